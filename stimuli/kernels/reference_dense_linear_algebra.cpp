#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

double inner_product(const float* a, std::size_t stride_a, const float* b, std::size_t stride_b,
                     std::size_t length) {
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += static_cast<double>(a[i * stride_a]) * b[i * stride_b];
  return sum;
}

void matrix_multiply(Buffers& buffers, const Scalars& scalars) {
  const std::size_t m = count(scalars, "m");
  const std::size_t n = count(scalars, "n");
  const std::size_t k = count(scalars, "k");
  const auto* const a = view<float>(buffers, "a", m * k);
  const auto* const b = view<float>(buffers, "b", k * n);
  auto* const c = view<float>(buffers, "c", m * n);
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t column = 0; column < n; ++column)
      c[row * n + column] = static_cast<float>(inner_product(a + row * k, 1, b + column, n, k));
}

// Returns the value of a number of half precision that is finite.
float half(std::uint16_t bits) {
  constexpr int kMantissaBits = 10;
  constexpr int kLeastExponent = -24;  // of the last bit of a subnormal number
  const int exponent = bits >> kMantissaBits & 31;
  const int mantissa = (bits & 1023) | (exponent == 0 ? 0 : 1024);
  const float magnitude =
      std::ldexp(static_cast<float>(mantissa), kLeastExponent + std::max(exponent, 1) - 1);
  return bits >> 15U != 0 ? -magnitude : magnitude;
}

// c = a * transposed b, of halves.
void half_matrix_multiply(Buffers& buffers, const Scalars& scalars) {
  const std::size_t m = count(scalars, "m");
  const std::size_t n = count(scalars, "n");
  const std::size_t k = count(scalars, "k");
  const auto floats = [&](const char* name, std::size_t size) {
    const auto* const bits = view<std::uint16_t>(buffers, name, size);
    std::vector<float> values(size);
    std::transform(bits, bits + size, values.begin(), half);
    return values;
  };
  const std::vector<float> a = floats("a", m * k);
  const std::vector<float> b = floats("b", n * k);
  auto* const c = view<float>(buffers, "c", m * n);
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t column = 0; column < n; ++column)
      c[row * n + column] = static_cast<float>(inner_product(&a[row * k], 1, &b[column * k], 1, k));
}

void matrix_vector(Buffers& buffers, const Scalars& scalars) {
  const std::size_t rows = count(scalars, "rows");
  const std::size_t columns = count(scalars, "columns");
  const auto* const a = view<float>(buffers, "a", rows * columns);
  const auto* const x = view<float>(buffers, "x", columns);
  auto* const y = view<float>(buffers, "y", rows);
  for (std::size_t row = 0; row < rows; ++row)
    y[row] = static_cast<float>(inner_product(a + row * columns, 1, x, 1, columns));
}

void scalar_product(Buffers& buffers, const Scalars& scalars) {
  const std::size_t pairs = count(scalars, "pairs");
  const std::size_t length = count(scalars, "length");
  const auto* const a = view<float>(buffers, "a", pairs * length);
  const auto* const b = view<float>(buffers, "b", pairs * length);
  auto* const products = view<float>(buffers, "products", pairs);
  for (std::size_t i = 0; i < pairs; ++i)
    products[i] = static_cast<float>(inner_product(a + i * length, 1, b + i * length, 1, length));
}

// Computes LU row by row. Each entry depends on the entries of L to its left and on those of U above it.
void lu_decomposition(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  auto* const matrix = view<float>(buffers, "matrix", n * n);
  std::vector<double> lu(matrix, matrix + n * n);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      double& entry = lu[row * n + column];
      for (std::size_t k = 0; k < std::min(row, column); ++k) entry -= lu[row * n + k] * lu[k * n + column];
      if (column < row) entry /= lu[column * n + column];
    }
  for (std::size_t i = 0; i < n * n; ++i) matrix[i] = static_cast<float>(lu[i]);
}

constexpr std::size_t kTile = 16;

// Subtracts from each entry behind the diagonal tile of a step what that step contributes to it.
void lu_internal(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t first = count(scalars, "first");
  auto* const matrix = view<float>(buffers, "matrix", n * n);
  for (std::size_t row = first + kTile; row < n; ++row)
    for (std::size_t column = first + kTile; column < n; ++column) {
      const double product =
          inner_product(matrix + row * n + first, 1, matrix + first * n + column, n, kTile);
      matrix[row * n + column] = static_cast<float>(matrix[row * n + column] - product);
    }
}

// Subtracts the row of the pivot from each row below it.
void gaussian_subtract(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t column = count(scalars, "column");
  auto* const matrix = view<float>(buffers, "matrix", n * n);
  auto* const right_side = view<float>(buffers, "right_side", n);
  const auto* const multipliers = view<float>(buffers, "multipliers", n * n);
  for (std::size_t row = column + 1; row < n; ++row) {
    const double multiplier = multipliers[row * n + column];
    matrix[row * n + column] = 0;
    for (std::size_t i = column + 1; i < n; ++i)
      matrix[row * n + i] = static_cast<float>(matrix[row * n + i] - multiplier * matrix[column * n + i]);
    right_side[row] = static_cast<float>(right_side[row] - multiplier * right_side[column]);
  }
}

// Eliminates row by row. All rows above are subtracted from a row before the next row.
void gaussian_elimination(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  auto* const matrix = view<float>(buffers, "matrix", n * n);
  auto* const right_side = view<float>(buffers, "right_side", n);
  auto* const multipliers = view<float>(buffers, "multipliers", n * n);
  std::vector<double> done(matrix, matrix + n * n);
  std::vector<double> right(right_side, right_side + n);
  for (std::size_t row = 1; row < n; ++row)
    for (std::size_t pivot = 0; pivot < row; ++pivot) {
      const double multiplier = done[row * n + pivot] / done[pivot * n + pivot];
      multipliers[row * n + pivot] = static_cast<float>(multiplier);
      done[row * n + pivot] = 0;
      for (std::size_t i = pivot + 1; i < n; ++i) done[row * n + i] -= multiplier * done[pivot * n + i];
      right[row] -= multiplier * right[pivot];
    }
  for (std::size_t i = 0; i < n * n; ++i) matrix[i] = static_cast<float>(done[i]);
  for (std::size_t i = 0; i < n; ++i) right_side[i] = static_cast<float>(right[i]);
}

struct Layer {
  std::size_t sources;
  std::size_t sinks;
  const float* values;
  float* weights;
  float* changes;
  float* results;
  float* errors;
};

void forward(const Layer& layer) {
  for (std::size_t j = 0; j < layer.sinks; ++j) {
    const double sum = layer.weights[layer.sources * layer.sinks + j] +
                       inner_product(layer.values, 1, layer.weights + j, layer.sinks, layer.sources);
    layer.results[j] = static_cast<float>(1 / (1 + std::exp(-sum)));
  }
}

void adjust(const Layer& layer, double rate, double momentum) {
  for (std::size_t i = 0; i <= layer.sources; ++i)
    for (std::size_t j = 0; j < layer.sinks; ++j) {
      const double value = i < layer.sources ? layer.values[i] : 1;
      float& last = layer.changes[i * layer.sinks + j];
      last = static_cast<float>(rate * layer.errors[j] * value + momentum * last);
      layer.weights[i * layer.sinks + j] += last;
    }
}

void perceptron_adjust(Buffers& buffers, const Scalars& scalars) {
  const std::size_t sources = count(scalars, "sources");
  const std::size_t sinks = count(scalars, "sinks");
  const Layer layer = {sources,
                       sinks,
                       view<float>(buffers, "values", sources),
                       view<float>(buffers, "weights", (sources + 1) * sinks),
                       view<float>(buffers, "changes", (sources + 1) * sinks),
                       nullptr,
                       view<float>(buffers, "errors", sinks)};
  adjust(layer, real(scalars, "rate"), real(scalars, "momentum"));
}

void layer_contributions(Buffers& buffers, const Scalars& scalars) {
  const std::size_t sources = count(scalars, "sources");
  const std::size_t pitch = count(scalars, "pitch");
  if (pitch < kTile || sources % kTile != 0)
    throw std::invalid_argument("scalar 'pitch' is below 16, or 'sources' is no multiple of 16");
  const auto* const values = view<float>(buffers, "values", sources);
  auto* const contributions = view<float>(buffers, "contributions", sources * pitch);
  auto* const partial_sums = view<float>(buffers, "partial_sums", sources);
  for (std::size_t first = 0; first < sources; first += kTile)
    for (std::size_t sink = 0; sink < kTile; ++sink) {
      double sum = 0;
      for (std::size_t source = first; source < first + kTile; ++source) {
        float& contribution = contributions[source * pitch + sink];
        contribution *= values[source];
        sum += contribution;
      }
      partial_sums[first + sink] = static_cast<float>(sum);
    }
}

double slope(float sigmoid) {
  return static_cast<double>(sigmoid) * (1 - static_cast<double>(sigmoid));
}

Layer layer_of(Buffers& buffers, const std::string& name, const float* values, std::size_t sources,
               std::size_t sinks) {
  return {sources,
          sinks,
          values,
          view<float>(buffers, name + "_weights", (sources + 1) * sinks),
          view<float>(buffers, name + "_changes", (sources + 1) * sinks),
          view<float>(buffers, name + "_values", sinks),
          view<float>(buffers, name + "_errors", sinks)};
}

void perceptron(Buffers& buffers, const Scalars& scalars) {
  const std::size_t inputs = count(scalars, "inputs");
  const std::size_t hidden = count(scalars, "hidden");
  const std::size_t outputs = count(scalars, "outputs");
  const double rate = real(scalars, "rate");
  const double momentum = real(scalars, "momentum");
  const Layer first = layer_of(buffers, "hidden", view<float>(buffers, "inputs", inputs), inputs, hidden);
  const Layer second = layer_of(buffers, "output", first.results, hidden, outputs);
  const auto* const targets = view<float>(buffers, "targets", outputs);
  for (std::size_t example = 0; example < count(scalars, "examples"); ++example) {
    forward(first);
    forward(second);
    for (std::size_t j = 0; j < outputs; ++j)
      second.errors[j] = static_cast<float>(slope(second.results[j]) * (targets[j] - second.results[j]));
    for (std::size_t i = 0; i < hidden; ++i)
      first.errors[i] =
          static_cast<float>(slope(first.results[i]) *
                             inner_product(second.errors, 1, second.weights + i * outputs, 1, outputs));
    adjust(second, rate, momentum);
    adjust(first, rate, momentum);
  }
}

constexpr std::string_view kSums = "sums in single precision, in another order";
constexpr std::string_view kElimination =
    "single precision without pivoting, of a diagonally dominant matrix";

}  // namespace

std::vector<Reference> dense_linear_algebra() {
  return {
      {"matrix_multiply_tiled", matrix_multiply, {{"c", Element::kFloat, kOfSums}}, kSums},
      {"matrix_multiply_register_blocked", matrix_multiply, {{"c", Element::kFloat, kOfSums}}, kSums},
      {"hopper_matrix_multiply", half_matrix_multiply, {{"c", Element::kFloat, kOfSums}}, kSums},
      {"hopper_matrix_multiply_pairs", half_matrix_multiply, {{"c", Element::kFloat, kOfSums}}, kSums},
      {"matrix_vector", matrix_vector, {{"y", Element::kFloat, kOfSums}}, kSums},
      {"scalar_product", scalar_product, {{"products", Element::kFloat, kOfSums}}, kSums},
      {"scalar_product_accumulators", scalar_product, {{"products", Element::kFloat, kOfSums}}, kSums},
      {"sdk_scalar_product", scalar_product, {{"products", Element::kFloat, kOfSums}}, kSums},
      {"lu_decomposition", lu_decomposition, {{"matrix", Element::kFloat, kOfElimination}}, kElimination},
      {"rodinia_lud", lu_decomposition, {{"matrix", Element::kFloat, kOfElimination}}, kElimination},
      {"gaussian_elimination",
       gaussian_elimination,
       {{"matrix", Element::kFloat, kOfElimination},
        {"right_side", Element::kFloat, kOfElimination},
        {"multipliers", Element::kFloat, kOfElimination}},
       kElimination},
      {"lu_internal", lu_internal, {{"matrix", Element::kFloat, kOfSums}}, kSums},
      {"gaussian_subtract",
       gaussian_subtract,
       {{"matrix", Element::kFloat, kOfSums}, {"right_side", Element::kFloat, kOfSums}},
       kElimination},
      {"perceptron_adjust",
       perceptron_adjust,
       {{"weights", Element::kFloat, kOfSums}, {"changes", Element::kFloat, kOfSums}},
       kSums},
      {"layer_contributions",
       layer_contributions,
       {{"contributions", Element::kFloat}, {"partial_sums", Element::kFloat, kOfSums}},
       kSums},
      {"perceptron",
       perceptron,
       {{"hidden_values", Element::kFloat, kOfSums},
        {"output_values", Element::kFloat, kOfSums},
        {"hidden_errors", Element::kFloat, kOfElimination},
        {"output_errors", Element::kFloat, kOfElimination},
        {"hidden_weights", Element::kFloat, kOfSums},
        {"output_weights", Element::kFloat, kOfSums},
        {"hidden_changes", Element::kFloat, kOfElimination},
        {"output_changes", Element::kFloat, kOfElimination}},
       "sums in single precision, an approximate exponential, and errors that are differences of values"},
  };
}

}  // namespace heddle::kernels::detail
