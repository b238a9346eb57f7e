#include "stimuli/kernels/reference_arguments.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace heddle::kernels::detail {
namespace {

void pointer_chase(Buffers& buffers, const Scalars& scalars) {
  const std::size_t steps = count(scalars, "steps");
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < steps; ++i)
    std::memcpy(&at, bytes_of(buffers, "ring", std::size_t{at} + sizeof(at)) + at, sizeof(at));
  *view<std::uint32_t>(buffers, "last", 1) = at;
}

void stream_read(Buffers& buffers, const Scalars& scalars) {
  const std::size_t threads = count(scalars, "threads");
  const std::size_t n = count(scalars, "n");
  const std::size_t each = count(scalars, "each");
  const std::size_t blocks = count(scalars, "blocks");
  const auto* const values = view<float>(buffers, "values", 4 * n);
  auto* const sums = view<float>(buffers, "sums", threads * blocks);
  for (std::size_t block = 0; block < blocks; ++block) {
    std::vector<double> of_block(threads);
    for (std::size_t i = 0; i < each; ++i) {
      const float* const vector = values + 4 * ((block * each + i) % n);
      of_block[i % threads] += static_cast<double>(vector[0]) + vector[1] + vector[2] + vector[3];
    }
    for (std::size_t i = 0; i < threads; ++i) sums[block * threads + i] = static_cast<float>(of_block[i]);
  }
}

void multiply_add(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const std::size_t rounds = count(scalars, "rounds");
  const float factor = real(scalars, "factor");
  auto* const sums = view<float>(buffers, "sums", n);
  for (std::size_t thread = 0; thread < n; ++thread) {
    float chains[4];
    for (std::size_t i = 0; i < 4; ++i) chains[i] = static_cast<float>(thread) + static_cast<float>(i);
    for (std::size_t round = 0; round < rounds; ++round)
      for (float& chain : chains) chain = std::fma(chain, factor, 1.0F);
    sums[thread] = (chains[0] + chains[1]) + (chains[2] + chains[3]);
  }
}

}  // namespace

std::vector<Reference> probes() {
  return {
      {"pointer_chase", pointer_chase, {{"last", Element::kUint32}}},
      {"shared_chase", pointer_chase, {{"last", Element::kUint32}}},
      {"stream_read",
       stream_read,
       {{"sums", Element::kFloat, kOfSums}},
       "sums in single precision, in another order, of values that do not cancel"},
      {"multiply_add", multiply_add, {{"sums", Element::kFloat}}},
  };
}

}  // namespace heddle::kernels::detail
