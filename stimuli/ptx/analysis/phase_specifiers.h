#pragma once
// Phase specifiers are statements of an entry at which its warps start a phase.

#include "stimuli/ptx/analysis/phases.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Returns the entry with a statement of the opcode kPhase before the first statement of each phase but that
// at the entry. Branches to such a statement lead to its specifier, and diverged lanes reconverge there.
Function with_specifiers(const Function& entry, const PhaseMap& phases);

}  // namespace heddle::ptx
