#pragma once
// The parts of registers that the operands of video instructions select, as in %r1.b2, %r1.h10 and %r1.b7610.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stimuli/ptx/statements/opcode.h"

namespace heddle::ptx {

// Returns 1 for a scalar video instruction, 2 and 4 for those of halves and bytes, and 0 for all others.
std::uint32_t video_parts(Opcode opcode);

// Parts number `part`[0 .. count - 1], the lowest first. A part has 8 or 16 bits, or 32 without a selector.
struct Selector {
  std::uint8_t bits = 32;
  std::uint8_t count = 1;
  std::array<std::uint8_t, 4> part{};
};

// Returns the selector of an operand that names none: the whole word, or all parts of the register. Parts
// from number video_parts on are those of the second source, which are the ones that it selects.
Selector default_selector(Opcode opcode, bool second_source);
// Returns nothing for a text that the operand cannot have. A destination has at most one of each part, in
// descending order.
std::optional<Selector> parse_selector(std::string_view text, Opcode opcode, bool destination);

// A selector as Operand::value, which is 0 without one.
std::uint64_t packed(const Selector& selector);
Selector unpacked(std::uint64_t value);

}  // namespace heddle::ptx
