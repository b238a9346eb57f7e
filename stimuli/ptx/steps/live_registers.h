#pragma once
// How many registers of a thread are live at each step of a kernel's entry.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/steps/entry_code.h"

namespace heddle::ptx {

// Returns for each step of the entry the registers of 32 bits that a thread holds there, as held_registers()
// counts them in the order of the steps. A step that calls a function counts those of its callees. No step
// counts more than `most`.
std::vector<std::uint32_t> live_registers(const Module& module, const EntryCode& code, std::uint32_t most);

}  // namespace heddle::ptx
