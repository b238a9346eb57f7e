#pragma once
// Reads PTX text into a Module.

#include <string>
#include <string_view>

#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

constexpr std::size_t kMostText = std::size_t{64} << 20U;  // bytes

// Whatever has no meaning here is refused: opcodes, types, modifiers, operands, directives that are unknown
// or not implemented, irreducible flow. Throws config::Error with every problem, "file:line:column: message".
Module parse_module(std::string_view text, const std::string& file);
Module load_module(const std::string& file);

}  // namespace heddle::ptx
