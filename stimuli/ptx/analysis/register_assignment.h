#pragma once
// The registers that an assembler assigns to the values of machine code.

#include <cstdint>

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Colours the values that are live at the same time, pairs of 64 bits first, and returns one more than the
// highest register. Two things cost registers beyond those that are live, as long as that takes no more than
// `free` of them: the values that an operation reads come from different banks, and a register that a load
// reads is not written again before the load has finished.
std::uint32_t registers_assigned(const MachineCode& code, std::uint32_t free);

}  // namespace heddle::ptx
