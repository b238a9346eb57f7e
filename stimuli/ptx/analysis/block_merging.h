#pragma once
// Joins blocks of machine code, as an assembler does to schedule more operations together.

#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// Appends blocks to those that they always follow, and replaces branches around short blocks by guards.
void merge_blocks(MachineCode& code);

}  // namespace heddle::ptx
