#pragma once
// Spilling keeps values of a function in local memory, so that its threads need fewer registers.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// Rewrites the functions whose threads need more than `most` registers of 32 bits, or more than their own
// .maxnreg. A spilled value is stored to local memory behind each operation that writes it and loaded before
// each that reads it. Of the values that are live where too many are, those with the fewest accesses are
// spilled; an access in a loop counts ten times for each level. The function then has its limit as .maxnreg.
// Statements keep their order and their results.
//
// With kAnyRegisters nothing changes.
constexpr std::uint32_t kAnyRegisters = ~std::uint32_t{0};
void spill_registers(Module& module, std::uint32_t most);

// Returns a note for each function of which values were spilled, among the entry and what it may call.
std::vector<std::string> spill_notes(const Module& module, std::uint32_t entry);

}  // namespace heddle::ptx
