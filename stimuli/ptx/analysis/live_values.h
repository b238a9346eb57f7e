#pragma once
// The values of machine code that are live between blocks, and the registers that they take.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/dominators.h"
#include "stimuli/ptx/analysis/machine_code.h"

namespace heddle::ptx {

// The values that blocks may read before they write them.
class LiveValues {
 public:
  static constexpr std::uint64_t kMostBits = std::uint64_t{1} << 31U;

  // Throws config::Error if the blocks times the values that are live between blocks exceed kMostBits.
  explicit LiveValues(const MachineCode& code);

  // Calls visit_value for each value that is live at the start of the block.
  template <class Visit>
  void visit(std::uint32_t block, const Visit& visit_value) const {
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t bits = in_[block * words_ + word]; bits != 0; bits &= bits - 1)
        visit_value(shared_[word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits))]);
  }

 private:
  void find_shared();
  void solve();
  void set(std::vector<std::uint64_t>& bits, std::uint32_t block, std::uint32_t value, bool on) const;

  const MachineCode& code_;
  std::size_t words_ = 0;              // of a row of in_
  std::vector<std::uint32_t> dense_;   // by value: its bit in a row; Graph::kNone: not live between blocks
  std::vector<std::uint32_t> shared_;  // by bit: the value
  std::vector<std::uint64_t> in_;      // a row of bits for each block
};

struct Pressure {
  std::uint32_t registers = 0;      // of 32 bits; the most that are live at once
  std::vector<std::uint32_t> live;  // values that are live where most are
};

Pressure pressure_of(const MachineCode& code);

// Returns for each statement of the function the most registers of 32 bits that are live before, in and after
// its operations. A statement without operations counts as the next operation of its block. The code is as
// machine_code() returns it.
std::vector<std::uint32_t> pressure_by_statement(const MachineCode& code, const FlowGraph& graph);

}  // namespace heddle::ptx
