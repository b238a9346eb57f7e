#include "stimuli/ptx/schedule/convergence_barriers.h"

#include <map>

#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/flow_graph.h"

namespace heddle::ptx {
namespace {

class BarrierFinder {
 public:
  explicit BarrierFinder(const Function& function)
      : function_(function),
        graph_(function),
        dominators_(immediate_dominators(graph_.graph(), DepthFirst(graph_.graph(), 0))),
        diverges_(divergent_branches(function, graph_)) {}

  std::vector<ConvergenceBarrier> find() const {
    std::map<std::uint32_t, std::uint32_t> setters;  // by block where lanes reconverge
    for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
      const Statement& branch = function_.code[graph_.blocks()[block].end - 1];
      if (!diverges_[block] || branch.opcode != Opcode::kBra || branch.reconvergence == Statement::kNowhere ||
          dominators_of(block).empty())
        continue;
      const std::uint32_t meeting = graph_.block_of(branch.reconvergence);
      const auto [at, is_first] = setters.emplace(meeting, block);
      if (!is_first) at->second = common_dominator(at->second, block);
    }
    std::vector<ConvergenceBarrier> barriers;
    for (const auto& [meeting, block] : setters) {
      const std::uint32_t setter = outside_of_loops(block, meeting);
      const std::uint32_t end = graph_.blocks()[setter].end;
      barriers.push_back(
          {end, function_.code[end - 1].opcode == Opcode::kBra, graph_.blocks()[meeting].first});
    }
    return barriers;
  }

 private:
  // Returns the block and those that dominate it, the entry last; none if the block is not reached.
  std::vector<std::uint32_t> dominators_of(std::uint32_t block) const {
    std::vector<std::uint32_t> chain;
    for (; block != Graph::kNone; block = dominators_[block]) chain.push_back(block);
    return chain.back() == 0 ? chain : std::vector<std::uint32_t>();
  }
  std::uint32_t common_dominator(std::uint32_t a, std::uint32_t b) const {
    const std::vector<std::uint32_t> above = dominators_of(a);
    for (const std::uint32_t block : dominators_of(b))
      for (const std::uint32_t other : above)
        if (block == other) return block;
    return 0;
  }
  // Returns the next dominator of the block that is in no loop without the place where the lanes meet.
  std::uint32_t outside_of_loops(std::uint32_t block, std::uint32_t meeting) const {
    while (dominators_[block] != Graph::kNone && comes_back(block, meeting)) block = dominators_[block];
    return block;
  }
  bool comes_back(std::uint32_t block, std::uint32_t without) const {
    std::vector<bool> seen(graph_.exit() + 1U);
    std::vector<std::uint32_t> open{block};
    seen[without] = true;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : graph_.graph().successors(at)) {
        if (next == block) return true;
        if (seen[next]) continue;
        seen[next] = true;
        open.push_back(next);
      }
    }
    return false;
  }

  const Function& function_;
  const FlowGraph graph_;
  const std::vector<std::uint32_t> dominators_;  // by block
  const std::vector<bool> diverges_;             // by block: its lanes may take different ways at its end
};

}  // namespace

std::vector<ConvergenceBarrier> convergence_barriers(const Function& function) {
  return BarrierFinder(function).find();
}

}  // namespace heddle::ptx
