#include "stimuli/ptx/schedule/waiting_loops.h"

#include <algorithm>

#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/flow_graph.h"

namespace heddle::ptx {
namespace {

class WaitingLoops {
 public:
  explicit WaitingLoops(const Function& function)
      : function_(function), graph_(function), backward_(graph_.graph().reversed()) {}

  std::vector<bool> find() const {
    std::vector<bool> branches(function_.code.size());
    const std::vector<bool> diverges = branches_on(Values::kDivergent, function_, graph_);
    const std::vector<bool> depends = branches_on(Values::kShared, function_, graph_);
    const std::vector<std::uint32_t> meets = graph_.post_dominators();
    for (std::uint32_t block = 0; block < graph_.exit(); ++block)
      if (diverges[block] && depends[block]) mark(loop_of(block, meets[block]), branches);
    return branches;
  }

 private:
  // Returns for each block whether it lies on a cycle through `block` that does not contain `without`.
  std::vector<bool> loop_of(std::uint32_t block, std::uint32_t without) const {
    std::vector<bool> loop = reached(graph_.graph(), block, without);
    const std::vector<bool> leads_here = reached(backward_, block, without);
    std::transform(loop.begin(), loop.end(), leads_here.begin(), loop.begin(), std::logical_and<>());
    return loop;
  }
  static std::vector<bool> reached(const Graph& graph, std::uint32_t from, std::uint32_t without) {
    std::vector<bool> reached(graph.nodes());
    std::vector<std::uint32_t> open{from};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : graph.successors(at)) {
        if (reached[next] || next == without) continue;
        reached[next] = true;
        open.push_back(next);
      }
    }
    return reached;
  }

  void mark(const std::vector<bool>& loop, std::vector<bool>& branches) const {
    if (!reads_shared_values(loop)) return;
    for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
      const std::uint32_t last = graph_.blocks()[block].end - 1;
      const Statement& branch = function_.code[last];
      if (loop[block] && branch.opcode == Opcode::kBra && branch.target <= last &&
          loop[graph_.block_of(branch.target)])
        branches[last] = true;
    }
  }
  bool reads_shared_values(const std::vector<bool>& loop) const {
    for (std::uint32_t block = 0; block < graph_.exit(); ++block) {
      const FlowGraph::Block& at = graph_.blocks()[block];
      if (loop[block] &&
          std::any_of(function_.code.begin() + at.first, function_.code.begin() + at.end, reads_shared_value))
        return true;
    }
    return false;
  }

  const Function& function_;
  const FlowGraph graph_;
  const Graph backward_;
};

}  // namespace

std::vector<bool> waiting_branches(const Function& function) {
  if (std::none_of(function.code.begin(), function.code.end(), reads_shared_value))
    return std::vector<bool>(function.code.size());
  return WaitingLoops(function).find();
}

}  // namespace heddle::ptx
