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

void nearest_neighbors(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t k = count(scalars, "k");
  if (k > n) throw std::invalid_argument("scalar 'k' is larger than 'n'");
  const auto* const latitudes = view<float>(buffers, "latitudes", n);
  const auto* const longitudes = view<float>(buffers, "longitudes", n);
  auto* const distances = view<float>(buffers, "distances", n);
  auto* const nearest = view<std::uint32_t>(buffers, "nearest", k);
  auto* const nearest_distances = view<float>(buffers, "nearest_distances", k);
  for (std::size_t i = 0; i < n; ++i) {
    const float dy = latitudes[i] - real(scalars, "latitude");
    const float dx = longitudes[i] - real(scalars, "longitude");
    distances[i] = std::sqrt(std::fma(dx, dx, dy * dy));
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [distances](std::uint32_t a, std::uint32_t b) { return distances[a] < distances[b]; });
  for (std::size_t i = 0; i < k; ++i) {
    nearest[i] = order[i];
    nearest_distances[i] = std::exchange(distances[order[i]], std::numeric_limits<float>::infinity());
  }
}

}  // namespace

std::vector<Reference> searches() {
  return {
      {"grid_path", grid_path, {{"costs_in", Element::kInt32}, {"costs_out", Element::kInt32}}},
      {"n_queens", n_queens, {{"solutions", Element::kUint64}}},
      {"nearest_neighbors",
       nearest_neighbors,
       {{"distances", Element::kFloat},
        {"nearest", Element::kUint32},
        {"nearest_distances", Element::kFloat}}},
  };
}

}  // namespace heddle::kernels::detail
