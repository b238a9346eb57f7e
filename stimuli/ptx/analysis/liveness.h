#pragma once
// Live registers of a function.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/live_values.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

// A name is a register's index, or registers.size() + p for predicate p. A register that a guarded statement
// writes may keep its old value, so it is live before the statement.
class Liveness {
 public:
  // Throws config::Error if the function is too large (LiveValues).
  Liveness(const Function& function, const FlowGraph& graph);

  // Returns for each name whether the statement or a later one may read its value.
  std::vector<bool> live_before(std::uint32_t statement) const;

  // Units of 32 bits that are live before each statement. A register of 64 bits counts two, a narrower one
  // counts one, and a predicate counts none.
  const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  void count_units();

  const FlowGraph& graph_;
  MachineCode code_;  // one operation for each statement
  LiveValues live_in_;
  std::vector<std::uint32_t> units_;
};

// Returns the units of 32 bits of a name: 2 for a register of 64 bits, 1 for a narrower one, 0 for a
// predicate.
std::uint32_t units_of(const Function& function, std::uint32_t name);

}  // namespace heddle::ptx
