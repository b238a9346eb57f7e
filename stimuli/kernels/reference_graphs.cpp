#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

namespace heddle::kernels::detail {
namespace {

struct Graph {
  std::size_t nodes;
  const std::uint32_t* row_offsets;
  const std::uint32_t* columns;
};

Graph graph_of(Buffers& buffers, const Scalars& scalars) {
  Graph graph = {count(scalars, "nodes"), nullptr, nullptr};
  graph.row_offsets = view<std::uint32_t>(buffers, "row_offsets", graph.nodes + 1);
  graph.columns = view<std::uint32_t>(buffers, "columns", graph.row_offsets[graph.nodes]);
  return graph;
}

void breadth_first_search(Buffers& buffers, const Scalars& scalars) {
  const Graph graph = graph_of(buffers, scalars);
  auto* const frontier = view<std::uint8_t>(buffers, "frontier", graph.nodes);
  auto* const visited = view<std::uint8_t>(buffers, "visited", graph.nodes);
  auto* const levels = view<std::int32_t>(buffers, "levels", graph.nodes);
  std::queue<std::size_t> waiting;
  for (std::size_t node = 0; node < graph.nodes; ++node)
    if (frontier[node]) waiting.push(node);
  std::fill(frontier, frontier + graph.nodes, std::uint8_t{0});
  for (; !waiting.empty(); waiting.pop()) {
    const std::size_t node = waiting.front();
    for (std::size_t edge = graph.row_offsets[node]; edge < graph.row_offsets[node + 1]; ++edge) {
      const std::size_t neighbor = graph.columns[edge];
      if (visited[neighbor]) continue;
      visited[neighbor] = 1;
      levels[neighbor] = levels[node] + 1;
      waiting.push(neighbor);
    }
  }
}

// This reference uses the algorithm of Dijkstra, unlike the kernels.
void shortest_path(Buffers& buffers, const Scalars& scalars) {
  const Graph graph = graph_of(buffers, scalars);
  const auto* const weights = view<std::uint32_t>(buffers, "weights", graph.row_offsets[graph.nodes]);
  auto* const costs = view<std::uint32_t>(buffers, "costs", graph.nodes);
  auto* const offers = view<std::uint32_t>(buffers, "offers", graph.nodes);
  auto* const active = view<std::uint8_t>(buffers, "active", graph.nodes);
  using Entry = std::pair<std::uint32_t, std::size_t>;  // cost, node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  for (std::size_t node = 0; node < graph.nodes; ++node)
    if (active[node]) waiting.emplace(costs[node], node);
  while (!waiting.empty()) {
    const auto [cost, node] = waiting.top();
    waiting.pop();
    if (cost > costs[node]) continue;
    for (std::size_t edge = graph.row_offsets[node]; edge < graph.row_offsets[node + 1]; ++edge) {
      const std::uint32_t offer = cost + weights[edge];
      if (offer >= costs[graph.columns[edge]]) continue;
      costs[graph.columns[edge]] = offer;
      waiting.emplace(offer, graph.columns[edge]);
    }
  }
  std::copy(costs, costs + graph.nodes, offers);
  std::fill(active, active + graph.nodes, std::uint8_t{0});
}

// This reference uses the algorithm of Prim, which starts at every node that no tree has reached.
void minimum_spanning_tree(Buffers& buffers, const Scalars& scalars) {
  const std::size_t nodes = count(scalars, "nodes");
  const std::size_t edges = count(scalars, "edges");
  const auto* const from = view<std::uint32_t>(buffers, "from", edges);
  const auto* const to = view<std::uint32_t>(buffers, "to", edges);
  const auto* const weights = view<std::uint32_t>(buffers, "weights", edges);
  auto* const in_tree = view<std::uint8_t>(buffers, "in_tree", edges);
  std::vector<std::vector<std::size_t>> edges_of(nodes);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    edges_of[from[edge]].push_back(edge);
    edges_of[to[edge]].push_back(edge);
  }
  using Entry = std::tuple<std::uint32_t, std::size_t, std::size_t>;  // weight, edge, node at its other end
  std::vector<bool> reached(nodes);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  const auto reach = [&](std::size_t node) {
    reached[node] = true;
    for (const std::size_t edge : edges_of[node])
      waiting.emplace(weights[edge], edge, from[edge] == node ? to[edge] : from[edge]);
  };
  for (std::size_t start = 0; start < nodes; ++start) {
    if (reached[start]) continue;
    reach(start);
    while (!waiting.empty()) {
      const auto [weight, edge, node] = waiting.top();
      waiting.pop();
      if (reached[node]) continue;
      in_tree[edge] = 1;
      reach(node);
    }
  }
}

// This reference uses the algorithm of Kruskal.
void spanning_tree_blocks(Buffers& buffers, const Scalars& scalars) {
  const Graph graph = graph_of(buffers, scalars);
  const std::size_t edges = graph.row_offsets[graph.nodes];
  const auto* const weights = view<std::uint32_t>(buffers, "weights", edges);
  auto* const in_tree = view<std::uint8_t>(buffers, "in_tree", edges);
  std::vector<std::size_t> parent(graph.nodes);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&parent](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::vector<std::size_t> order(edges);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [weights](std::size_t a, std::size_t b) { return weights[a] < weights[b]; });
  for (const std::size_t edge : order) {
    const auto row = std::upper_bound(graph.row_offsets, graph.row_offsets + graph.nodes, edge) - 1;
    const std::size_t a = root_of(static_cast<std::size_t>(row - graph.row_offsets));
    const std::size_t b = root_of(graph.columns[edge]);
    if (a == b) continue;
    in_tree[edge] = 1;
    parent[std::max(a, b)] = std::min(a, b);
  }
}

}  // namespace

std::vector<Reference> graphs() {
  return {
      {"breadth_first_search",
       breadth_first_search,
       {{"levels", Element::kInt32}, {"visited", Element::kUint8}, {"frontier", Element::kUint8}}},
      {"shortest_path",
       shortest_path,
       {{"costs", Element::kUint32}, {"offers", Element::kUint32}, {"active", Element::kUint8}}},
      {"shortest_path_groups",
       shortest_path,
       {{"costs", Element::kUint32}, {"offers", Element::kUint32}, {"active", Element::kUint8}}},
      {"spanning_tree_blocks", spanning_tree_blocks, {{"in_tree", Element::kUint8}}},
      {"minimum_spanning_tree", minimum_spanning_tree, {{"in_tree", Element::kUint8}}},
  };
}

}  // namespace heddle::kernels::detail
