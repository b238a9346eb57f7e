#pragma once
// Directed graphs whose nodes are small numbers, and their dominators.

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::ptx {

class Graph {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  // from, to

  struct Nodes {
    const std::uint32_t* first;
    const std::uint32_t* last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };

  Graph(std::uint32_t nodes, const std::vector<Edge>& edges);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(start_.size() - 1); }
  Nodes successors(std::uint32_t node) const {
    return {targets_.data() + start_[node], targets_.data() + start_[node + 1]};
  }
  Graph reversed() const;

 private:
  std::vector<std::uint32_t> start_;  // first edge in targets_, by node
  std::vector<std::uint32_t> targets_;
};

// The depth-first search from a node.
struct DepthFirst {
  std::vector<std::uint32_t> order;   // nodes in the order of the search
  std::vector<std::uint32_t> number;  // by node: its index in `order`; kNone: not reached
  std::vector<std::uint32_t> parent;  // by node: its parent in the search tree
  std::vector<std::uint32_t> last;    // by node: the greatest number in its subtree

  DepthFirst(const Graph& graph, std::uint32_t root);
  bool reached(std::uint32_t node) const { return number[node] != Graph::kNone; }
  bool is_ancestor(std::uint32_t above, std::uint32_t below) const {
    return number[above] <= number[below] && number[below] <= last[above];
  }
};

// Returns for each node its immediate dominator; kNone for the root and for unreachable nodes. The algorithm
// is the simple version of Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph",
// TOPLAS 1979, whose time is bounded for every graph.
std::vector<std::uint32_t> immediate_dominators(const Graph& graph, const DepthFirst& walk);

}  // namespace heddle::ptx
