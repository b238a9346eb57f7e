#pragma once
// Directed graphs of small numbers, and who dominates whom in them.

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
  std::vector<std::uint32_t> start_;  // into targets_, by node
  std::vector<std::uint32_t> targets_;
};

// A depth-first walk from a node.
struct DepthFirst {
  std::vector<std::uint32_t> order;   // nodes as they were reached
  std::vector<std::uint32_t> number;  // by node: its place in `order`; kNone: not reached
  std::vector<std::uint32_t> parent;  // by node
  std::vector<std::uint32_t> last;    // by node: the greatest number in the tree below it

  DepthFirst(const Graph& graph, std::uint32_t root);
  bool reached(std::uint32_t node) const { return number[node] != Graph::kNone; }
  bool is_ancestor(std::uint32_t above, std::uint32_t below) const {
    return number[above] <= number[below] && number[below] <= last[above];
  }
};

// By node: its immediate dominator; kNone of the root and of what it does not reach. Lengauer and Tarjan, "A
// Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1979, the simple version: no graph is slow.
std::vector<std::uint32_t> immediate_dominators(const Graph& graph, const DepthFirst& walk);

}  // namespace heddle::ptx
