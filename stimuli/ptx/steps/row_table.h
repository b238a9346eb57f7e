#pragma once
// Assigns rows of a warp's storage to registers, immediate values, special registers and local addresses.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/physical_registers.h"
#include "stimuli/ptx/steps/entry_code.h"

namespace heddle::ptx {

class RowTable {
 public:
  RowTable(const Image& image, EntryCode& code) : image_(image), code_(code) {}

  // The rows of the following calls belong to this function.
  void begin(FunctionCode& function, const PhysicalRegisters& physical);

  // The operand is not a vector. `wide` states whether an address, which has no type, has 64 bits.
  Row row(const Operand& operand, bool wide);
  // A sink destination `_` writes to this row, which nothing reads.
  Row scratch() const { return {scratch_, RowBase::kFrame, true}; }
  std::uint32_t predicate(std::uint32_t index) const { return predicates_ + 4 * index; }

  // Returns the address of a variable in its own space.
  std::uint64_t address_of(std::uint32_t variable) const;

 private:
  Row number(std::uint64_t value, std::uint32_t bits);
  Row special(const Operand& operand);
  Row local(std::uint64_t value, bool wide);
  std::uint32_t take(std::uint32_t bytes);

  const Image& image_;
  EntryCode& code_;
  FunctionCode* function_ = nullptr;
  std::vector<std::uint32_t> registers_;  // offset in the frame, by Function::registers
  std::uint32_t predicates_ = 0;
  std::uint32_t scratch_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers_;  // (value, bits) -> offset
};

}  // namespace heddle::ptx
