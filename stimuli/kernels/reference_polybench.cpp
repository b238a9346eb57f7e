// The references of the PolyBench programs. Sums are in double precision.

#include "stimuli/kernels/reference_arguments.h"

namespace heddle::kernels::detail {
namespace {

using Values = std::vector<double>;

// Returns the buffer of n * n elements as a matrix in double precision.
Values matrix_of(Buffers& buffers, const std::string& name, std::size_t n) {
  const auto* const values = view<float>(buffers, name, n * n);
  return {values, values + n * n};
}

Values vector_of(Buffers& buffers, const std::string& name, std::size_t n) {
  const auto* const values = view<float>(buffers, name, n);
  return {values, values + n};
}

void write(Buffers& buffers, const std::string& name, const Values& values) {
  auto* const out = view<float>(buffers, name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]);
}

Values product(const Values& a, const Values& b, std::size_t n) {
  Values c(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}

Values transposed(const Values& a, std::size_t n) {
  Values result(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[j * n + i] = a[i * n + j];
  return result;
}

Values times_vector(const Values& a, const Values& x, std::size_t n) {
  Values y(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
  return y;
}

// Returns alpha * a + beta * b.
Values weighted_sum(double alpha, const Values& a, double beta, const Values& b) {
  Values sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] = alpha * a[i] + beta * b[i];
  return sum;
}

void two_products(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values c = product(matrix_of(buffers, "a", n), matrix_of(buffers, "b", n), n);
  write(buffers, "c", c);
  write(buffers, "e", product(c, matrix_of(buffers, "d", n), n));
}

void three_products(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values e = product(matrix_of(buffers, "a", n), matrix_of(buffers, "b", n), n);
  const Values f = product(matrix_of(buffers, "c", n), matrix_of(buffers, "d", n), n);
  write(buffers, "e", e);
  write(buffers, "f", f);
  write(buffers, "g", product(e, f, n));
}

void gemm(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values ab = product(matrix_of(buffers, "a", n), matrix_of(buffers, "b", n), n);
  write(buffers, "c", weighted_sum(32412, ab, 2123, matrix_of(buffers, "c", n)));
}

void syrk(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values a = matrix_of(buffers, "a", n);
  write(buffers, "c", weighted_sum(12435, product(a, transposed(a, n), n), 4546, matrix_of(buffers, "c", n)));
}

void atax(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values a = matrix_of(buffers, "a", n);
  const Values products = times_vector(a, vector_of(buffers, "x", n), n);
  write(buffers, "products", products);
  write(buffers, "y", times_vector(transposed(a, n), products, n));
}

void bicg(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values a = matrix_of(buffers, "a", n);
  write(buffers, "s", times_vector(transposed(a, n), vector_of(buffers, "r", n), n));
  write(buffers, "q", times_vector(a, vector_of(buffers, "p", n), n));
}

void mvt(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values a = matrix_of(buffers, "a", n);
  const Values rows = times_vector(a, vector_of(buffers, "y1", n), n);
  const Values columns = times_vector(transposed(a, n), vector_of(buffers, "y2", n), n);
  write(buffers, "x1", weighted_sum(1, vector_of(buffers, "x1", n), 1, rows));
  write(buffers, "x2", weighted_sum(1, vector_of(buffers, "x2", n), 1, columns));
}

void gesummv(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const Values x = vector_of(buffers, "x", n);
  const Values sums = times_vector(matrix_of(buffers, "a", n), x, n);
  write(buffers, "sums", sums);
  write(buffers, "y", weighted_sum(43532, sums, 12313, times_vector(matrix_of(buffers, "b", n), x, n)));
}

void convolution_2d(Buffers& buffers, const Scalars& scalars) {
  constexpr double kCoefficients[3][3] = {{0.2, 0.5, -0.8}, {-0.3, 0.6, -0.9}, {0.4, 0.7, 0.1}};
  const std::size_t n = count(scalars, "n");
  const Values a = matrix_of(buffers, "a", n);
  auto* const b = view<float>(buffers, "b", n * n);
  for (std::size_t i = 1; i + 1 < n; ++i)
    for (std::size_t j = 1; j + 1 < n; ++j) {
      double sum = 0;
      for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 3; ++x) sum += kCoefficients[y][x] * a[(i + y - 1) * n + j + x - 1];
      b[i * n + j] = static_cast<float>(sum);
    }
}

// A Tap is a coefficient of the convolution of a cube and its place: 0, 1 or 2 from the neighbor below in
// each direction.
struct Tap {
  double coefficient;
  std::size_t depth, row, column;
};

// The coefficients of equal places are added up.
constexpr Tap kTaps[] = {{2 + 5 - 8, 0, 0, 0}, {4 + 7 + 10, 2, 0, 0}, {-3, 1, 0, 1}, {6, 1, 1, 1},
                         {-9, 1, 2, 1},        {2, 0, 0, 2},          {4, 2, 0, 2},  {5, 0, 1, 2},
                         {7, 2, 1, 2},         {-8, 0, 2, 2},         {10, 2, 2, 2}};

void convolution_3d(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const a = view<float>(buffers, "a", n * n * n);
  auto* const b = view<float>(buffers, "b", n * n * n);
  const auto at = [n](std::size_t depth, std::size_t row, std::size_t column) {
    return (depth * n + row) * n + column;
  };
  for (std::size_t i = 1; i + 1 < n; ++i)
    for (std::size_t j = 1; j + 1 < n; ++j)
      for (std::size_t k = 1; k + 1 < n; ++k) {
        double sum = 0;
        for (const Tap& tap : kTaps)
          sum += tap.coefficient * a[at(i + tap.depth - 1, j + tap.row - 1, k + tap.column - 1)];
        b[at(i, j, k)] = static_cast<float>(sum);
      }
}

constexpr std::string_view kProgramSums = "sums in single precision";

Output sums_in(std::string_view buffer) {
  return {buffer, Element::kFloat, kOfSums};
}

}  // namespace

std::vector<Reference> polybench() {
  return {
      {"polybench_2mm", two_products, {sums_in("c"), sums_in("e")}, kProgramSums},
      {"polybench_3mm", three_products, {sums_in("e"), sums_in("f"), sums_in("g")}, kProgramSums},
      {"polybench_gemm", gemm, {sums_in("c")}, kProgramSums},
      {"polybench_syrk", syrk, {sums_in("c")}, kProgramSums},
      {"polybench_atax", atax, {sums_in("products"), sums_in("y")}, kProgramSums},
      {"polybench_bicg", bicg, {sums_in("s"), sums_in("q")}, kProgramSums},
      {"polybench_mvt", mvt, {sums_in("x1"), sums_in("x2")}, kProgramSums},
      {"polybench_gesummv", gesummv, {sums_in("sums"), sums_in("y")}, kProgramSums},
      {"polybench_2dconv", convolution_2d, {sums_in("b")}, kProgramSums},
      {"polybench_3dconv", convolution_3d, {sums_in("b")}, kProgramSums},
  };
}

}  // namespace heddle::kernels::detail
