#include "stimuli/kernels/reference_arguments.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

void vector_add(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const a = view<float>(buffers, "a", n);
  const auto* const b = view<float>(buffers, "b", n);
  auto* const c = view<float>(buffers, "c", n);
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void triad(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const double scale = real_double(scalars, "scale");
  auto* const a = view<double>(buffers, "a", n);
  const auto* const b = view<double>(buffers, "b", n);
  const auto* const c = view<double>(buffers, "c", n);
  for (std::size_t i = 0; i < n; ++i) a[i] = std::fma(scale, c[i], b[i]);
}

constexpr std::size_t kReductionBlock = 256;

void reduction(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t blocks = count(scalars, "blocks");
  if (blocks == 0) throw std::invalid_argument("scalar 'blocks' is 0");
  const auto* const values = view<float>(buffers, "values", n);
  auto* const sums = view<float>(buffers, "sums", blocks);
  std::vector<double> shares(blocks);
  for (std::size_t i = 0; i < n; ++i) shares[i / kReductionBlock % blocks] += values[i];
  for (std::size_t i = 0; i < blocks; ++i) sums[i] = static_cast<float>(shares[i]);
  *view<float>(buffers, "total", 1) = static_cast<float>(std::accumulate(shares.begin(), shares.end(), 0.0));
}

constexpr std::size_t kScanBlock = 512;

void scan(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t blocks = (n + kScanBlock - 1) / kScanBlock;
  if (blocks > kScanBlock) throw std::invalid_argument("scalar 'n' is larger than 262144");
  const auto* const values = view<std::int32_t>(buffers, "values", n);
  auto* const prefixes = view<std::int32_t>(buffers, "prefixes", n);
  auto* const sums = view<std::int32_t>(buffers, "sums", blocks);
  auto* const sum_prefixes = view<std::int32_t>(buffers, "sum_prefixes", blocks);
  std::uint32_t sum = 0;  // wraps around like the sums of the kernels
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kScanBlock == 0) sums[i / kScanBlock] = 0;
    const auto value = static_cast<std::uint32_t>(values[i]);
    sum += value;
    prefixes[i] = static_cast<std::int32_t>(sum);
    std::int32_t& of_block = sums[i / kScanBlock];
    of_block = static_cast<std::int32_t>(static_cast<std::uint32_t>(of_block) + value);
    sum_prefixes[i / kScanBlock] = prefixes[i];
  }
  *view<std::int32_t>(buffers, "total", 1) = static_cast<std::int32_t>(sum);
}

void reduction_tree(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const values = view<std::uint32_t>(buffers, "values", n);
  *view<std::uint32_t>(buffers, "total", 1) = std::accumulate(values, values + n, std::uint32_t{0});
}

void scan_large(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const values = view<std::uint32_t>(buffers, "values", n);
  std::partial_sum(values, values + n, view<std::uint32_t>(buffers, "prefixes", n));
}

void histogram(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const values = view<std::uint8_t>(buffers, "values", n);
  auto* const counts = view<std::uint32_t>(buffers, "counts", 256);
  for (std::size_t i = 0; i < n; ++i) ++counts[values[i]];
}

void jds_matrix_vector(Buffers& buffers, const Scalars& scalars) {
  const std::size_t rows = count(scalars, "rows");
  const auto* const lengths = view<std::uint32_t>(buffers, "lengths", rows);
  const auto* const permutation = view<std::uint32_t>(buffers, "permutation", rows);
  const std::size_t entries = std::accumulate(lengths, lengths + rows, std::size_t{0});
  const auto* const values = view<float>(buffers, "values", entries);
  const auto* const columns = view<std::uint32_t>(buffers, "columns", entries);
  const auto* const x = view<float>(buffers, "x", count(scalars, "width"));
  auto* const y = view<float>(buffers, "y", rows);
  std::vector<double> sums(rows);
  std::size_t entry = 0;  // entries are stored diagonal by diagonal
  for (std::size_t diagonal = 0; entry < entries; ++diagonal)
    for (std::size_t row = 0; row < rows && lengths[row] > diagonal; ++row, ++entry)
      sums[row] += static_cast<double>(values[entry]) * x[columns[entry]];
  for (std::size_t row = 0; row < rows; ++row) y[permutation[row]] = static_cast<float>(sums[row]);
}

double normal_distribution(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

void black_scholes(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const double rate = real(scalars, "rate");
  const double volatility = real(scalars, "volatility");
  const auto* const prices = view<float>(buffers, "prices", n);
  const auto* const strikes = view<float>(buffers, "strikes", n);
  const auto* const years = view<float>(buffers, "years", n);
  auto* const calls = view<float>(buffers, "calls", n);
  auto* const puts = view<float>(buffers, "puts", n);
  for (std::size_t i = 0; i < n; ++i) {
    const double price = prices[i];
    const double strike = strikes[i] * std::exp(-rate * years[i]);
    const double deviation = volatility * std::sqrt(static_cast<double>(years[i]));
    const double d1 = std::log(price / strike) / deviation + deviation / 2;
    const double call = price * normal_distribution(d1) - strike * normal_distribution(d1 - deviation);
    calls[i] = static_cast<float>(call);
    puts[i] = static_cast<float>(call - price + strike);  // put-call parity
  }
}

}  // namespace

std::vector<Reference> vectors() {
  return {
      {"vector_add", vector_add, {{"c", Element::kFloat}}},
      {"triad", triad, {{"a", Element::kDouble}}},
      {"reduction",
       reduction,
       {{"sums", Element::kFloat, kOfSums}, {"total", Element::kFloat, kOfSums}},
       "sums in single precision, in another order, of values that do not cancel"},
      {"scan",
       scan,
       {{"prefixes", Element::kInt32},
        {"sums", Element::kInt32},
        {"sum_prefixes", Element::kInt32},
        {"total", Element::kInt32}}},
      {"reduction_tree", reduction_tree, {{"total", Element::kUint32}}},
      {"scan_large", scan_large, {{"prefixes", Element::kUint32}}},
      {"histogram", histogram, {{"counts", Element::kUint32}}},
      {"jds_matrix_vector", jds_matrix_vector, {{"y", Element::kFloat, kOfSums}}, "sums in single precision"},
      {"black_scholes",
       black_scholes,
       {{"calls", Element::kFloat, kOfSums}, {"puts", Element::kFloat, kOfSums}},
       "approximate logarithm, exponential and normal distribution, and differences of prices"},
  };
}

}  // namespace heddle::kernels::detail
