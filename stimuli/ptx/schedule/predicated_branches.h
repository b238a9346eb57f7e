#pragma once
// Branches around a few statements, which an assembler replaces by guards.

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns the function with guards instead of branches around short parts, with branches that lead to a jump
// leading to its target, and without jumps to the next statement. In a part with a guard, statements that
// write nothing but registers that are not read behind the part have no guard. Branches to the end of the
// thread remain.
Function with_predicated_branches(const Function& function);

}  // namespace heddle::ptx
