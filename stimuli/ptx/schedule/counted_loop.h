#pragma once
// A loop of one basic block whose number of turns is known when it starts.

#include <cstdint>
#include <optional>
#include <vector>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

struct CountedLoop {
  std::uint32_t first = 0;  // statements first .. branch
  std::uint32_t branch = 0;
  std::uint32_t test = 0;     // the statement that compares
  std::uint32_t counter = 0;  // register
  Operand bound;              // the counter is compared with it
  std::uint64_t step = 0;     // magnitude of the change in a turn
  bool rises = false;         // the counter rises
  // The loop goes on while the counter, after the step, is below a bound to which it rises, or above one to
  // which it falls.
  bool includes_bound = false;  // and also where both are equal
  bool is_inequality = false;   // it goes on until both are equal
  // By register: the statement that adds a constant in each turn; Graph::kNone: there is none.
  std::vector<std::uint32_t> steps;
};

// Returns the block as a loop; nothing if it is none. A loop that ends by a comparison for equality is none
// for ptxas 13.0.
std::optional<CountedLoop> counted_loop(const Function& function, const FlowGraph::Block& block);

}  // namespace heddle::ptx
