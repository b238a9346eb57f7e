#pragma once
// Live registers of a function.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// A name is a register's index, or registers.size() + p for predicate p. A register that a guarded statement
// writes may keep its old value, so it is live before the statement.
class Liveness {
 public:
  static constexpr std::uint64_t kMostBits = std::uint64_t{1} << 31U;

  // Throws config::Error if the blocks times the names that are live between blocks exceed kMostBits.
  Liveness(const Function& function, const FlowGraph& graph);

  // Returns for each name whether the statement or a later one may read its value.
  std::vector<bool> live_before(std::uint32_t statement) const;

  // Units of 32 bits that are live before each statement. A register of 64 bits counts two, a narrower one
  // counts one, and a predicate counts none.
  const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  void find_shared_names();
  std::vector<std::uint64_t> summarise();
  void solve();
  void count_units();
  void set_live_behind(std::uint32_t block, std::vector<bool>& live) const;
  std::uint64_t* row(std::vector<std::uint64_t>& bits, std::uint32_t block) const {
    return bits.data() + block * words_;
  }

  const Function& function_;
  const FlowGraph& graph_;
  std::uint32_t names_ = 0;
  std::size_t words_ = 0;
  std::vector<std::uint32_t> dense_;   // by name: its bit in a row of in_; kNone: not live between blocks
  std::vector<std::uint32_t> shared_;  // by bit: the name
  std::vector<std::uint64_t> in_;      // live-in sets, a row of bits for each block
  std::vector<std::uint32_t> units_;
};

// Returns the units of 32 bits of a name: 2 for a register of 64 bits, 1 for a narrower one, 0 for a
// predicate.
std::uint32_t units_of(const Function& function, std::uint32_t name);

}  // namespace heddle::ptx
