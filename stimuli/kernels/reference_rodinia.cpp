#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

namespace heddle::kernels::detail {
namespace {

// A sink has the weighted sum of the sources, to which `steps` multiply-adds are applied.
void forward(const float* values, std::size_t sources, const float* weights, float* results,
             std::size_t sinks, std::size_t steps) {
  for (std::size_t sink = 0; sink < sinks; ++sink) {
    double sum = 0;
    for (std::size_t i = 0; i < sources; ++i)
      sum += static_cast<double>(weights[sink * sources + i]) * values[i];
    for (std::size_t i = 0; i < steps; ++i) sum = sum * 1.0000001F + 1e-6;
    results[sink] = static_cast<float>(sum);
  }
}

// Adds the outer product of the values, and a share of the latest changes, to the weights.
void adjust(float* weights, float* changes, const float* row_values, std::size_t rows,
            const float* column_values, std::size_t columns, double rate, double momentum) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      float& change = changes[row * columns + column];
      change = static_cast<float>(rate * row_values[row] * column_values[column] + momentum * change);
      weights[row * columns + column] += change;
    }
}

void backprop(Buffers& buffers, const Scalars& scalars) {
  const std::size_t inputs = count(scalars, "inputs");
  const std::size_t hidden = count(scalars, "hidden");
  const std::size_t outputs = count(scalars, "outputs");
  const std::size_t steps = count(scalars, "steps");
  const double rate = real(scalars, "rate");
  const double momentum = real(scalars, "momentum");
  const auto* const input_values = view<float>(buffers, "input_values", inputs);
  auto* const hidden_values = view<float>(buffers, "hidden_values", inputs);
  auto* const output_values = view<float>(buffers, "output_values", hidden);
  auto* const hidden_weights = view<float>(buffers, "hidden_weights", hidden * inputs);
  auto* const output_weights = view<float>(buffers, "output_weights", outputs * hidden);
  auto* const hidden_changes = view<float>(buffers, "hidden_changes", hidden * inputs);
  auto* const output_changes = view<float>(buffers, "output_changes", outputs * hidden);
  forward(input_values, inputs, hidden_weights, hidden_values, hidden, steps);
  for (std::size_t round = 0; round < count(scalars, "rounds"); ++round) {
    forward(input_values, inputs, hidden_weights, hidden_values, hidden, steps);
    forward(hidden_values, hidden, output_weights, output_values, outputs, steps);
    adjust(hidden_weights, hidden_changes, hidden_values, inputs, input_values, hidden, rate, momentum);
    adjust(output_weights, output_changes, output_values, hidden, hidden_values, outputs, rate, momentum);
  }
}

// Searches at most `most_levels` levels. Nodes of that level are the frontier at the end.
void bfs(Buffers& buffers, const Scalars& scalars) {
  const std::size_t nodes = count(scalars, "nodes");
  const auto most = static_cast<std::int32_t>(count(scalars, "most_levels"));
  const auto* const offsets = view<std::uint32_t>(buffers, "row_offsets", nodes + 1);
  const auto* const columns = view<std::uint32_t>(buffers, "columns", offsets[nodes]);
  auto* const frontier = view<std::uint8_t>(buffers, "frontier", nodes);
  auto* const visited = view<std::uint8_t>(buffers, "visited", nodes);
  auto* const levels = view<std::int32_t>(buffers, "levels", nodes);
  std::queue<std::size_t> waiting;
  for (std::size_t node = 0; node < nodes; ++node)
    if (frontier[node]) waiting.push(node);
  for (; !waiting.empty() && levels[waiting.front()] < most; waiting.pop()) {
    const std::size_t node = waiting.front();
    frontier[node] = 0;
    for (std::size_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
      const std::size_t neighbor = columns[edge];
      if (visited[neighbor]) continue;
      visited[neighbor] = 1;
      frontier[neighbor] = 1;
      levels[neighbor] = levels[node] + 1;
      waiting.push(neighbor);
    }
  }
}

// Subtracts from each row, one after the other, the rows of the first `steps` pivots above it.
void gaussian(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t steps = count(scalars, "steps");
  auto* const matrix = view<float>(buffers, "matrix", n * n);
  auto* const right_side = view<float>(buffers, "right_side", n);
  auto* const multipliers = view<float>(buffers, "multipliers", n * n);
  std::vector<double> done(matrix, matrix + n * n);
  std::vector<double> right(right_side, right_side + n);
  for (std::size_t row = 1; row < n; ++row)
    for (std::size_t pivot = 0; pivot < std::min(row, steps); ++pivot) {
      const double multiplier = done[row * n + pivot] / done[pivot * n + pivot];
      multipliers[row * n + pivot] = static_cast<float>(multiplier);
      for (std::size_t i = pivot; i < n; ++i) done[row * n + i] -= multiplier * done[pivot * n + i];
      right[row] -= multiplier * right[pivot];
    }
  for (std::size_t i = 0; i < n * n; ++i) matrix[i] = static_cast<float>(done[i]);
  for (std::size_t i = 0; i < n; ++i) right_side[i] = static_cast<float>(right[i]);
}

// The sums are made in the order of the kernel, so that rounding decides between near distances as it does
// there.
void kmeans(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t clusters = count(scalars, "clusters");
  const std::size_t feature_count = count(scalars, "feature_count");
  const auto* const features = view<float>(buffers, "features", feature_count * n);
  const auto* const centers = view<float>(buffers, "centers", clusters * feature_count);
  auto* const membership = view<std::int32_t>(buffers, "membership", n);
  std::vector<float> squares(clusters);
  for (std::size_t point = 0; point < n; ++point) {
    for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
      squares[cluster] = 0;
      for (std::size_t i = 0; i < feature_count; ++i) {
        const float distance = features[i * n + point] - centers[cluster * feature_count + i];
        squares[cluster] = std::fma(distance, distance, squares[cluster]);
      }
    }
    membership[point] =
        static_cast<std::int32_t>(std::min_element(squares.begin(), squares.end()) - squares.begin());
  }
}

// Reads the leaves instead of a path from the root.
void b_plus_tree(Buffers& buffers, const Scalars& scalars) {
  constexpr std::size_t kEntries = 32;
  const std::size_t nodes = count(scalars, "nodes");
  const std::size_t queries = count(scalars, "queries");
  const auto* const tree = view<std::int32_t>(buffers, "tree", nodes * (2 + 2 * kEntries));
  const auto* const keys = view<std::int32_t>(buffers, "keys", queries);
  auto* const found = view<std::int32_t>(buffers, "found", queries);
  std::map<std::int32_t, std::int32_t> values;
  for (const std::int32_t* node = tree; node != tree + nodes * (2 + 2 * kEntries); node += 2 + 2 * kEntries)
    if (node[0])
      for (std::int32_t i = 0; i < node[1]; ++i) values[node[2 + i]] = node[2 + kEntries + i];
  for (std::size_t i = 0; i < queries; ++i) {
    const auto at = values.find(keys[i]);
    found[i] = at == values.end() ? -1 : at->second;
  }
}

}  // namespace

std::vector<Reference> rodinia() {
  return {
      {"rodinia_backprop",
       backprop,
       {{"hidden_values", Element::kFloat, kOfSums},
        {"output_values", Element::kFloat, kOfSums},
        {"hidden_weights", Element::kFloat, kOfSums},
        {"output_weights", Element::kFloat, kOfSums},
        {"hidden_changes", Element::kFloat, kOfSums},
        {"output_changes", Element::kFloat, kOfSums}},
       "sums in single precision"},
      {"rodinia_b_plus_tree", b_plus_tree, {{"found", Element::kInt32}}},
      {"rodinia_bfs",
       bfs,
       {{"levels", Element::kInt32}, {"visited", Element::kUint8}, {"frontier", Element::kUint8}}},
      {"rodinia_gaussian",
       gaussian,
       {{"matrix", Element::kFloat, kOfElimination},
        {"right_side", Element::kFloat, kOfElimination},
        {"multipliers", Element::kFloat, kOfElimination}},
       "single precision without pivoting, of a diagonally dominant matrix"},
      {"rodinia_kmeans", kmeans, {{"membership", Element::kInt32}}},
  };
}

}  // namespace heddle::kernels::detail
