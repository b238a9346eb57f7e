#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

void grid_path(Buffers& buffers, const Scalars& scalars) {
  const std::size_t rows = count(scalars, "rows");
  const std::size_t columns = count(scalars, "columns");
  const std::size_t at_once = count(scalars, "rows_per_launch");
  if (at_once == 0) throw std::invalid_argument("scalar 'rows_per_launch' is 0");
  const auto* const walls = view<std::int32_t>(buffers, "walls", rows * columns);
  auto* from = view<std::int32_t>(buffers, "costs_in", columns);
  auto* to = view<std::int32_t>(buffers, "costs_out", columns);
  std::vector<std::int32_t> costs(from, from + columns);
  for (std::size_t row = 1; row < rows; ++row) {
    std::vector<std::int32_t> next(columns);
    for (std::size_t column = 0; column < columns; ++column) {
      const auto first = costs.begin() + (column == 0 ? 0 : column - 1);
      const auto last = costs.begin() + std::min(column + 2, columns);
      next[column] = *std::min_element(first, last) + walls[row * columns + column];
    }
    costs = std::move(next);
    if (row % at_once != 0 && row + 1 != rows) continue;
    std::copy(costs.begin(), costs.end(), to);  // a launch ends here
    std::swap(from, to);
  }
}

// Returns the number of ways to complete the placement. queens[i] is the column of the queen in row i.
std::uint64_t placements(std::vector<std::size_t>& queens, std::size_t n) {
  const std::size_t row = queens.size();
  if (row == n) return 1;
  std::uint64_t found = 0;
  for (std::size_t column = 0; column < n; ++column) {
    bool attacked = false;
    for (std::size_t above = 0; above < row; ++above) {
      const std::size_t away = row - above;
      const std::size_t queen = queens[above];
      attacked = attacked || queen == column || queen + away == column || column + away == queen;
    }
    if (attacked) continue;
    queens.push_back(column);
    found += placements(queens, n);
    queens.pop_back();
  }
  return found;
}

void n_queens(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  if (n == 0 || n > 16) throw std::invalid_argument("scalar 'n' is not within 1 to 16");
  std::vector<std::size_t> queens;
  *view<std::uint64_t>(buffers, "solutions", 1) += placements(queens, n);
}

void nearest_distance(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const latitudes = view<float>(buffers, "latitudes", n);
  const auto* const longitudes = view<float>(buffers, "longitudes", n);
  auto* const distances = view<float>(buffers, "distances", n);
  for (std::size_t i = 0; i < n; ++i) {
    const float dy = latitudes[i] - real(scalars, "latitude");
    const float dx = longitudes[i] - real(scalars, "longitude");
    distances[i] = std::sqrt(std::fma(dx, dx, dy * dy));
  }
}

void place_distances(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const places = view<float>(buffers, "places", 2 * n);
  auto* const distances = view<float>(buffers, "distances", n);
  for (std::size_t i = 0; i < n; ++i)
    distances[i] =
        std::hypot(places[2 * i] - real(scalars, "latitude"), places[2 * i + 1] - real(scalars, "longitude"));
}

void nearest_neighbors(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t k = count(scalars, "k");
  if (k > n) throw std::invalid_argument("scalar 'k' is larger than 'n'");
  nearest_distance(buffers, scalars);
  auto* const distances = view<float>(buffers, "distances", n);
  auto* const nearest = view<std::uint32_t>(buffers, "nearest", k);
  auto* const nearest_distances = view<float>(buffers, "nearest_distances", k);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [distances](std::uint32_t a, std::uint32_t b) { return distances[a] < distances[b]; });
  for (std::size_t i = 0; i < k; ++i) {
    nearest[i] = order[i];
    nearest_distances[i] = std::exchange(distances[order[i]], std::numeric_limits<float>::infinity());
  }
}

constexpr std::size_t kWordsOfNode = 2 * 257;

struct SearchedTree {
  const std::uint32_t* nodes;
  std::size_t count;
  std::size_t levels;

  const std::uint32_t* children(std::size_t node) const { return nodes + node * kWordsOfNode; }
  const std::uint32_t* keys(std::size_t node) const { return children(node) + kWordsOfNode / 2; }
};

SearchedTree tree_of(Buffers& buffers, const Scalars& scalars) {
  const std::size_t nodes = count(scalars, "nodes");
  return {view<std::uint32_t>(buffers, "nodes", nodes * kWordsOfNode), nodes, count(scalars, "levels")};
}

struct Place {
  std::size_t node;   // the leaf
  std::size_t entry;  // the last one whose key is at most the wanted one
};

// Returns where the key is, or would be.
Place find(const SearchedTree& tree, std::uint32_t key) {
  Place place = {0, 0};
  for (std::size_t level = 0;; ++level) {
    const std::uint32_t* const keys = tree.keys(place.node);
    const auto above = std::upper_bound(keys, keys + kWordsOfNode / 2, key) - keys;
    if (above == 0) throw std::invalid_argument("a key is below all keys of the tree");
    place.entry = static_cast<std::size_t>(above) - 1;
    if (level == tree.levels) return place;
    place.node = tree.children(place.node)[place.entry];
    if (place.node >= tree.count) throw std::invalid_argument("a child is not a node of the tree");
  }
}

std::uint32_t record_of(const SearchedTree& tree, const Place& place) {
  return tree.children(place.node)[place.entry];
}

// Writes the leaves of the queries as the kernels leave them.
void write_leaves(Buffers& buffers, const std::string& name, std::size_t query, std::size_t queries,
                  const Place& place) {
  for (const char* const suffix : {"_at", "_next"})
    view<std::uint32_t>(buffers, name + suffix, queries)[query] = static_cast<std::uint32_t>(place.node);
}

void find_keys(Buffers& buffers, const Scalars& scalars) {
  const SearchedTree tree = tree_of(buffers, scalars);
  const std::size_t queries = count(scalars, "queries");
  const auto* const values = view<std::uint32_t>(buffers, "values", count(scalars, "records"));
  const auto* const keys = view<std::uint32_t>(buffers, "keys", queries);
  auto* const found = view<std::uint32_t>(buffers, "found", queries);
  for (std::size_t query = 0; query < queries; ++query) {
    const Place place = find(tree, keys[query]);
    write_leaves(buffers, "nodes", query, queries, place);
    if (tree.keys(place.node)[place.entry] == keys[query]) found[query] = values[record_of(tree, place)];
  }
}

void find_ranges(Buffers& buffers, const Scalars& scalars) {
  const SearchedTree tree = tree_of(buffers, scalars);
  const std::size_t queries = count(scalars, "queries");
  const auto* const starts = view<std::uint32_t>(buffers, "starts", queries);
  const auto* const ends = view<std::uint32_t>(buffers, "ends", queries);
  auto* const first_records = view<std::uint32_t>(buffers, "first_records", queries);
  auto* const lengths = view<std::uint32_t>(buffers, "lengths", queries);
  for (std::size_t query = 0; query < queries; ++query) {
    const Place first = find(tree, starts[query]);
    const Place last = find(tree, ends[query]);
    write_leaves(buffers, "firsts", query, queries, first);
    write_leaves(buffers, "lasts", query, queries, last);
    first_records[query] = record_of(tree, first);
    lengths[query] = record_of(tree, last) - first_records[query] + 1;
  }
}

void tree_search(Buffers& buffers, const Scalars& scalars) {
  find_keys(buffers, scalars);
  find_ranges(buffers, scalars);
}

const std::vector<Output> kOfKeys = {{"found", Element::kUint32}, {"nodes_at", Element::kUint32}};
const std::vector<Output> kOfRanges = {{"first_records", Element::kUint32},
                                       {"lengths", Element::kUint32},
                                       {"firsts_at", Element::kUint32},
                                       {"lasts_at", Element::kUint32}};

}  // namespace

std::vector<Reference> searches() {
  std::vector<Output> of_both = kOfKeys;
  of_both.insert(of_both.end(), kOfRanges.begin(), kOfRanges.end());
  return {
      {"grid_path", grid_path, {{"costs_in", Element::kInt32}, {"costs_out", Element::kInt32}}},
      {"rodinia_pathfinder", grid_path, {{"costs_in", Element::kInt32}, {"costs_out", Element::kInt32}}},
      {"n_queens", n_queens, {{"solutions", Element::kUint64}}},
      {"n_queens_stacks", n_queens, {{"solutions", Element::kUint64}}},
      {"nearest_neighbors",
       nearest_neighbors,
       {{"distances", Element::kFloat},
        {"nearest", Element::kUint32},
        {"nearest_distances", Element::kFloat}}},
      {"nearest_distance", nearest_distance, {{"distances", Element::kFloat}}},
      {"rodinia_nn",
       place_distances,
       {{"distances", Element::kFloat, kOfSums}},
       "a sum of squares in single precision"},
      {"tree_search", tree_search, of_both},
      {"find_keys", find_keys, kOfKeys},
      {"find_ranges", find_ranges, kOfRanges},
  };
}

}  // namespace heddle::kernels::detail
