// The references of the programs of the CUDA SDK that no other program shares.

#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace heddle::kernels::detail {
namespace {

// Returns the scalar 'length', of which the scalar 'n' must be a multiple.
std::size_t length_of_arrays(const Scalars& scalars) {
  const std::size_t length = count(scalars, "length");
  if (length == 0 || count(scalars, "n") % length != 0)
    throw std::invalid_argument("scalar 'n' is no multiple of 'length'");
  return length;
}

// Prefixes of each array of `length` values.
void scan_arrays(Buffers& buffers, const Scalars& scalars) {
  const std::size_t length = length_of_arrays(scalars);
  const std::size_t n = count(scalars, "n");
  const auto* const values = view<std::uint32_t>(buffers, "values", n);
  auto* const prefixes = view<std::uint32_t>(buffers, "prefixes", n);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % length == 0) sum = 0;
    prefixes[i] = sum;
    sum += values[i];
  }
}

constexpr std::size_t kScanPiece = 1024;

void scan_long_arrays(Buffers& buffers, const Scalars& scalars) {
  scan_arrays(buffers, scalars);
  const std::size_t pieces = count(scalars, "n") / kScanPiece;
  const auto* const prefixes = view<std::uint32_t>(buffers, "prefixes", pieces * kScanPiece);
  auto* const sums = view<std::uint32_t>(buffers, "sums", pieces);
  for (std::size_t piece = 0; piece < pieces; ++piece) sums[piece] = prefixes[piece * kScanPiece];
}

// Sorts the records of each array of `length` by their keys.
void sort_arrays(Buffers& buffers, const Scalars& scalars) {
  const std::size_t length = length_of_arrays(scalars);
  const std::size_t n = count(scalars, "n");
  const bool ascending = count(scalars, "ascending") != 0;
  const auto* const keys = view<std::uint32_t>(buffers, "keys", n);
  const auto* const values = view<std::uint32_t>(buffers, "values", n);
  auto* const sorted_keys = view<std::uint32_t>(buffers, "sorted_keys", n);
  auto* const sorted_values = view<std::uint32_t>(buffers, "sorted_values", n);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> records;
  for (std::size_t first = 0; first < n; first += length) {
    records.clear();
    for (std::size_t i = first; i < first + length; ++i) records.emplace_back(keys[i], values[i]);
    std::sort(records.begin(), records.end());
    if (!ascending) std::reverse(records.begin(), records.end());
    for (std::size_t i = 0; i < length; ++i)
      std::tie(sorted_keys[first + i], sorted_values[first + i]) = records[i];
  }
}

// The Walsh transform in natural order, by butterflies.
void walsh(std::vector<double>& values) {
  for (std::size_t stride = values.size() / 2; stride > 0; stride /= 2)
    for (std::size_t i = 0; i < values.size(); ++i)
      if ((i & stride) == 0) {
        const double a = values[i];
        const double b = values[i + stride];
        values[i] = a + b;
        values[i + stride] = a - b;
      }
}

void walsh_convolution(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  if (n == 0 || (n & (n - 1)) != 0) throw std::invalid_argument("scalar 'n' is no power of two");
  auto* const data = view<float>(buffers, "data", n);
  auto* const kernel = view<float>(buffers, "kernel", n);
  std::vector<double> transformed(data, data + n);
  std::vector<double> weights(kernel, kernel + n);
  walsh(transformed);
  walsh(weights);
  for (std::size_t i = 0; i < n; ++i) transformed[i] *= weights[i] / static_cast<double>(n);
  walsh(transformed);
  for (std::size_t i = 0; i < n; ++i) {
    data[i] = static_cast<float>(transformed[i]);
    kernel[i] = static_cast<float>(weights[i]);
  }
}

void copy_matrix(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "width") * count(scalars, "height");
  const auto* const from = view<float>(buffers, "from", n);
  std::copy(from, from + n, view<float>(buffers, "to", n));
}

constexpr std::string_view kTransforms = "transforms in single precision";

}  // namespace

std::vector<Reference> sdk() {
  const std::vector<Output> sorted = {{"sorted_keys", Element::kUint32}, {"sorted_values", Element::kUint32}};
  return {
      {"scan_pieces", scan_arrays, {{"prefixes", Element::kUint32}}},
      {"sdk_scan", scan_long_arrays, {{"prefixes", Element::kUint32}, {"sums", Element::kUint32}}},
      {"sdk_bitonic_sort", sort_arrays, sorted},
      {"sdk_odd_even_sort", sort_arrays, sorted},
      {"sdk_merge_sort", sort_arrays, sorted},
      {"sdk_walsh_transform",
       walsh_convolution,
       {{"data", Element::kFloat, kOfSums}, {"kernel", Element::kFloat, kOfSums}},
       kTransforms},
      {"sdk_copy_tiles", copy_matrix, {{"to", Element::kFloat}}},
  };
}

}  // namespace heddle::kernels::detail
