#include "stimuli/ptx/analysis/flow_graph.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

bool leaves(const Statement& statement) {
  return statement.opcode == Opcode::kRet || statement.opcode == Opcode::kExit ||
         statement.opcode == Opcode::kTrap;
}

}  // namespace

FlowGraph::FlowGraph(const Function& function) : graph_(0, {}) {
  find_blocks(function);
  graph_ = lead_all_out(function, blocks_, find_edges(function));
}

void FlowGraph::find_blocks(const Function& function) {
  const auto size = static_cast<std::uint32_t>(function.code.size());
  std::vector<bool> starts(size + 1);
  starts[0] = true;
  for (std::uint32_t i = 0; i < size; ++i) {
    const Statement& statement = function.code[i];
    const bool branch = statement.opcode == Opcode::kBra;
    if (branch) starts[statement.target] = true;
    if (branch || leaves(statement)) starts[i + 1] = true;
  }
  block_of_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (starts[i]) blocks_.push_back({i, i});
    blocks_.back().end = i + 1;
    block_of_[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
  }
}

std::vector<Graph::Edge> FlowGraph::find_edges(const Function& function) const {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    const Statement& last = function.code[blocks_[block].end - 1];
    const bool branch = last.opcode == Opcode::kBra;
    const bool goes_on = last.guarded() || (!branch && !leaves(last));
    if (goes_on) edges.emplace_back(block, block + 1);
    if (branch) edges.emplace_back(block, block_of_[last.target]);
    if (leaves(last) && !last.guarded()) edges.emplace_back(block, exit());
  }
  return edges;
}

Graph FlowGraph::lead_all_out(const Function& function, const std::vector<Block>& blocks,
                              std::vector<Graph::Edge> edges) {
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  const Graph backwards = Graph(exit + 1, edges).reversed();
  std::vector<bool> out(exit + 1);
  std::vector<std::uint32_t> waiting;
  const auto reach = [&](std::uint32_t from) {
    waiting.push_back(from);
    out[from] = true;
    while (!waiting.empty()) {
      const std::uint32_t node = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t before : backwards.successors(node)) {
        if (out[before]) continue;
        out[before] = true;
        waiting.push_back(before);
      }
    }
  };
  reach(exit);
  for (const bool guarded_end : {true, false}) {
    for (std::uint32_t block = exit; block-- > 0;) {
      if (out[block] || (guarded_end && !leaves(function.code[blocks[block].end - 1]))) continue;
      edges.emplace_back(block, exit);
      reach(block);
    }
  }
  return {exit + 1, edges};
}

std::vector<std::uint32_t> FlowGraph::post_dominators() const {
  const Graph backwards = graph_.reversed();
  std::vector<std::uint32_t> found = immediate_dominators(backwards, DepthFirst(backwards, exit()));
  found.pop_back();
  return found;
}

std::vector<std::uint32_t> FlowGraph::irreducible() const {
  const DepthFirst walk(graph_, 0);
  const std::vector<std::uint32_t> dominators = immediate_dominators(graph_, walk);
  std::vector<Graph::Edge> tree_edges;
  for (std::uint32_t node = 0; node < graph_.nodes(); ++node)
    if (dominators[node] != Graph::kNone) tree_edges.emplace_back(dominators[node], node);
  const DepthFirst tree(Graph(graph_.nodes(), tree_edges), 0);
  std::vector<std::uint32_t> found;
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    if (!walk.reached(block)) continue;
    for (const std::uint32_t target : graph_.successors(block))
      if (walk.is_ancestor(target, block) && !tree.is_ancestor(target, block))
        found.push_back(blocks_[block].end - 1);
  }
  return found;
}

void set_reconvergence(Function& function, const FlowGraph& graph) {
  const std::vector<std::uint32_t> post_dominators = graph.post_dominators();
  for (std::uint32_t block = 0; block < graph.blocks().size(); ++block) {
    Statement& last = function.code[graph.blocks()[block].end - 1];
    if (last.opcode != Opcode::kBra || !last.guarded()) continue;
    const std::uint32_t meeting = post_dominators[block];
    last.reconvergence = meeting == graph.exit() ? Statement::kNowhere : graph.blocks()[meeting].first;
  }
}

}  // namespace heddle::ptx
