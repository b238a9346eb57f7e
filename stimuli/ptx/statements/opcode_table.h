#pragma once
// A table with a value for each opcode, which is written as groups of opcodes that have the same value.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "stimuli/ptx/statements/opcode.h"

namespace heddle::ptx {

template <typename Value>
class OpcodeTable {
 public:
  struct Group {
    Value value;
    std::initializer_list<Opcode> opcodes;
  };

  constexpr OpcodeTable(std::initializer_list<Group> groups) {
    for (const Group& group : groups)
      for (const Opcode opcode : group.opcodes) {
        values_[static_cast<std::size_t>(opcode)] = group.value;
        ++groups_of_[static_cast<std::size_t>(opcode)];
      }
  }

  // Returns whether each opcode stands in exactly one group. A static_assert asks this of every table.
  constexpr bool is_complete() const {
    for (const std::uint8_t groups : groups_of_)
      if (groups != 1) return false;
    return true;
  }

  constexpr const Value& operator[](Opcode opcode) const { return values_[static_cast<std::size_t>(opcode)]; }

 private:
  std::array<Value, kAllOpcodes> values_{};
  std::array<std::uint8_t, kAllOpcodes> groups_of_{};
};

}  // namespace heddle::ptx
