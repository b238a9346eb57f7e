#include "stimuli/ptx/analysis/dominators.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

// The forest of the nodes that have been processed. It finds for a node the ancestor with the least
// semidominator.
class Forest {
 public:
  Forest(std::uint32_t nodes, const std::vector<std::uint32_t>& semi)
      : semi_(semi), ancestor_(nodes, Graph::kNone), best_(nodes) {
    for (std::uint32_t node = 0; node < nodes; ++node) best_[node] = node;
  }

  void link(std::uint32_t parent, std::uint32_t node) { ancestor_[node] = parent; }

  std::uint32_t best(std::uint32_t node) {
    if (ancestor_[node] == Graph::kNone) return node;
    path_.clear();
    for (std::uint32_t at = node; ancestor_[ancestor_[at]] != Graph::kNone; at = ancestor_[at])
      path_.push_back(at);
    for (; !path_.empty(); path_.pop_back()) {
      const std::uint32_t at = path_.back();
      const std::uint32_t above = ancestor_[at];
      if (semi_[best_[above]] < semi_[best_[at]]) best_[at] = best_[above];
      ancestor_[at] = ancestor_[above];
    }
    return best_[node];
  }

 private:
  const std::vector<std::uint32_t>& semi_;
  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

Graph::Graph(std::uint32_t nodes, const std::vector<Edge>& edges)
    : start_(nodes + 1), targets_(edges.size()) {
  for (const Edge& edge : edges) ++start_[edge.first + 1];
  for (std::uint32_t node = 0; node < nodes; ++node) start_[node + 1] += start_[node];
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Edge& edge : edges) targets_[next[edge.first]++] = edge.second;
}

Graph Graph::reversed() const {
  std::vector<Edge> edges;
  edges.reserve(targets_.size());
  for (std::uint32_t node = 0; node < nodes(); ++node)
    for (const std::uint32_t target : successors(node)) edges.emplace_back(target, node);
  return {nodes(), edges};
}

DepthFirst::DepthFirst(const Graph& graph, std::uint32_t root)
    : number(graph.nodes(), Graph::kNone), parent(graph.nodes(), Graph::kNone), last(graph.nodes()) {
  struct Step {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<Step> stack;
  const auto enter = [&](std::uint32_t node) {
    number[node] = static_cast<std::uint32_t>(order.size());
    order.push_back(node);
    stack.push_back({node, 0});
  };
  enter(root);
  while (!stack.empty()) {
    const std::uint32_t node = stack.back().node;
    const Graph::Nodes next = graph.successors(node);
    if (stack.back().next == next.size()) {
      last[node] = static_cast<std::uint32_t>(order.size() - 1);
      stack.pop_back();
      continue;
    }
    const std::uint32_t target = next.first[stack.back().next++];
    if (reached(target)) continue;
    parent[target] = node;
    enter(target);
  }
}

std::vector<std::uint32_t> immediate_dominators(const Graph& graph, const DepthFirst& walk) {
  const std::uint32_t nodes = graph.nodes();
  const Graph backwards = graph.reversed();
  std::vector<std::uint32_t> semi = walk.number;
  std::vector<std::uint32_t> dominator(nodes, Graph::kNone);
  std::vector<std::vector<std::uint32_t>> buckets(nodes);
  Forest forest(nodes, semi);
  for (std::size_t i = walk.order.size() - 1; i > 0; --i) {
    const std::uint32_t node = walk.order[i];
    for (const std::uint32_t before : backwards.successors(node))
      if (walk.reached(before)) semi[node] = std::min(semi[node], semi[forest.best(before)]);
    buckets[walk.order[semi[node]]].push_back(node);
    const std::uint32_t parent = walk.parent[node];
    forest.link(parent, node);
    for (const std::uint32_t waiting : buckets[parent]) {
      const std::uint32_t best = forest.best(waiting);
      dominator[waiting] = semi[best] < semi[waiting] ? best : parent;
    }
    buckets[parent].clear();
  }
  for (std::size_t i = 1; i < walk.order.size(); ++i) {
    const std::uint32_t node = walk.order[i];
    if (dominator[node] != walk.order[semi[node]]) dominator[node] = dominator[dominator[node]];
  }
  return dominator;
}

}  // namespace heddle::ptx
