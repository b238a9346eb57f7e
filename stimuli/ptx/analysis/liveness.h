#pragma once
// Which registers a function still needs where, and how many it needs at most.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/text/module.h"

namespace heddle::ptx {

// Registers by number, then predicates: predicate p is name registers.size() + p. What an instruction under a
// guard writes may keep its old value, so it stays live before it.
class Liveness {
 public:
  static constexpr std::uint64_t kMostBits = std::uint64_t{1} << 31U;

  // Throws config::Error for a function of more than kMostBits blocks times names live between blocks.
  Liveness(const Function& function, const FlowGraph& graph);

  // By name: whether its value before the instruction may still be read.
  std::vector<bool> live_before(std::uint32_t statement) const;

  // By instruction: registers live before it in units of 32 bits. A register of 64 bits counts two, a
  // narrower one one, a predicate none.
  const std::vector<std::uint32_t>& units() const { return units_; }
  // The most that are live at once, results that nothing reads included.
  std::uint32_t most_units() const { return most_units_; }

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
  std::vector<std::uint32_t> dense_;   // by name: its bit among those live between blocks; kNone: none
  std::vector<std::uint32_t> shared_;  // by that bit: the name
  std::vector<std::uint64_t> in_;      // by block, a row of bits
  std::vector<std::uint32_t> units_;
  std::uint32_t most_units_ = 0;
};

// By function: how many registers of 32 bits its threads take: the most units live at once in it or in
// anything it calls, and 2. ptxas schedules and unrolls for its own ends, and gives whatever calls vprintf or
// the like 24 or more: against it the median error is 12 %.
std::vector<std::uint32_t> register_estimates(const Module& module);

}  // namespace heddle::ptx
