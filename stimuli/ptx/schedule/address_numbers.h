#pragma once
// Numbers of the values that addresses are made of, by which accesses are told apart (local value numbering).

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// The statements of a basic block are passed in the order of the code. Two values with one number differ by
// the difference of their offsets, in every thread.
class AddressNumbers {
 public:
  struct Value {
    std::uint32_t number = 0;
    std::uint64_t offset = 0;
  };

  explicit AddressNumbers(const Function& function) : function_(function) {}

  // The block starts: nothing is known of the registers.
  void start();
  // The statement's results have new values.
  void write(const Statement& statement);
  // Returns the value of an address `[...]` before the statement that has it.
  Value address_of(const Operand& address);

 private:
  using Key = std::array<std::uint64_t, 8>;

  Value value_of(const Operand& operand);
  Value sum_of(Value value, std::uint64_t added);
  Value result_of(const Statement& statement);
  Value numbered(const Key& key);
  Value fresh() { return {next_++, 0}; }

  const Function& function_;
  std::uint32_t next_ = 0;
  std::map<Key, std::uint32_t> numbers_;
  std::map<std::uint32_t, Value> registers_;  // those that the block has read or written
};

}  // namespace heddle::ptx
