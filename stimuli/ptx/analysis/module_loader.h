#pragma once
// Loads a PTX module: reads the text, sets the reconvergence points of branches, and lays out shared memory.

#include <string>
#include <string_view>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

constexpr std::size_t kMostText = std::size_t{64} << 20U;  // bytes

// Both throw config::Error with every problem as "file:line:column: message". Problems are unknown or
// unimplemented opcodes, types, modifiers, operands and directives, and irreducible control flow. With
// Refusal::kFunction, a function with problems keeps them, and refuses only the launches that reach it.
Module parse_module(std::string_view text, const std::string& file, Refusal refusal = Refusal::kModule);
Module load_module(const std::string& file);

}  // namespace heddle::ptx
