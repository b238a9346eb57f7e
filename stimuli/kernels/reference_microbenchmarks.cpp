// The references of the micro-benchmarks.

#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace heddle::kernels::detail {
namespace {

constexpr std::size_t kBlockThreads = 1024;
constexpr std::size_t kWarp = 32;

// What a thread reads in microbenchmark_read.cu. Counts are of vectors of `width` numbers.
struct Reading {
  std::size_t n, rounds, threads;
  std::size_t loads = 1;
  std::size_t width = 1;
  bool starts_again = false;
};

void read(Buffers& buffers, const Reading& reading) {
  if (reading.starts_again && (reading.n & (reading.n - 1)) != 0)
    throw std::invalid_argument("scalar 'n' is no power of two");
  const std::size_t beyond = (reading.loads - 1) * kWarp;
  const std::size_t last = reading.starts_again ? reading.n : reading.threads + reading.rounds * kWarp;
  const auto* const values =
      view<float>(buffers, "values", (std::max(reading.n, last) + beyond) * reading.width);
  auto* const sums = view<float>(buffers, "sums", reading.threads);
  for (std::size_t thread = 0; thread < reading.threads; ++thread) {
    double sum = 0;
    const auto add = [&](std::size_t vector) {
      for (std::size_t i = 0; i < reading.width; ++i) sum += values[vector * reading.width + i];
    };
    for (std::size_t i = thread; i < reading.n; i += reading.threads) add(i);
    for (std::size_t round = 0; round < reading.rounds; ++round) {
      std::size_t at = thread + round * kWarp * reading.loads;
      if (reading.starts_again) at &= reading.n - 1;
      for (std::size_t load = 0; load < reading.loads; ++load) add(at + load * kWarp);
    }
    sums[thread] = static_cast<float>(sum);
  }
}

void read_level(Buffers& buffers, const Scalars& scalars) {
  read(buffers, {count(scalars, "n"), count(scalars, "rounds"), kBlockThreads * count(scalars, "blocks"),
                 count(scalars, "loads"), count(scalars, "bits") / 32, count(scalars, "level") == 1});
}

void read_past_l1(Buffers& buffers, const Scalars& scalars) {
  read(buffers, {count(scalars, "n"), count(scalars, "rounds"), kBlockThreads});
}

// Writes the elements at which `chains` chains are after 1 + steps loads.
void chase(Buffers& buffers, const Scalars& scalars, std::size_t chains) {
  const std::size_t n = count(scalars, "n");
  if (n < chains || n % chains != 0)
    throw std::invalid_argument("scalar 'n' is no multiple of the number of chains");
  auto* const last = view<std::uint64_t>(buffers, "last", chains);
  for (std::size_t chain = 0; chain < chains; ++chain)
    last[chain] = (chain + (1 + count(scalars, "steps")) * chains) % n;
}

void chase_alone(Buffers& buffers, const Scalars& scalars) {
  chase(buffers, scalars, 1);
}

void chase_dram(Buffers& buffers, const Scalars& scalars) {
  chase(buffers, scalars, 4);
}

void chase_shared(Buffers& buffers, const Scalars& scalars) {
  const std::size_t words = count(scalars, "words");
  const std::size_t threads = count(scalars, "threads");
  const std::size_t way = count(scalars, "stride") * count(scalars, "steps");
  auto* const last = view<std::uint32_t>(buffers, "last", threads);
  for (std::size_t thread = 0; thread < threads; ++thread)
    last[thread] = static_cast<std::uint32_t>((thread + way) % words);
}

void chase_shared_and_l1(Buffers& buffers, const Scalars& scalars) {
  constexpr std::size_t kWords = 8192;
  constexpr std::size_t kStride = kBlockThreads + 7;
  const std::size_t n = count(scalars, "n");
  const std::size_t steps = count(scalars, "steps");
  const auto* const first = view<std::uint32_t>(buffers, "first", kBlockThreads);
  auto* const last = view<std::uint32_t>(buffers, "last", kBlockThreads);
  for (std::size_t thread = 0; thread < kBlockThreads; ++thread) {
    std::size_t at = thread;
    for (std::size_t i = 0; i < n + steps; ++i) {
      if (at >= n) throw std::invalid_argument("scalar 'n' is too small for the indices");
      at = at < kBlockThreads ? first[at] : 0;
    }
    last[thread] = static_cast<std::uint32_t>((thread + steps * kStride) % kWords + at);
  }
}

void sum(Buffers& buffers, const Scalars& scalars) {
  const std::size_t numbers = 4 * count(scalars, "n");
  std::vector<const float*> terms;
  for (const char* const name : {"a", "b", "c", "d", "e"})
    terms.push_back(view<float>(buffers, name, numbers));
  auto* const sums = view<float>(buffers, "sums", numbers);
  for (std::size_t i = 0; i < numbers; ++i) {
    sums[i] = terms[0][i];
    for (std::size_t term = 1; term < terms.size(); ++term) sums[i] += terms[term][i];
  }
}

void transpose(Buffers& buffers, const Scalars& scalars) {
  const std::size_t width = count(scalars, "width");
  const auto* const from = view<float>(buffers, "from", width * width);
  auto* const to = view<float>(buffers, "to", width * width);
  for (std::size_t row = 0; row < width; ++row)
    for (std::size_t column = 0; column < width; ++column)
      to[column * width + row] = from[row * width + column];
}

void sums_of_products(Buffers& buffers, const Scalars& scalars) {
  const std::size_t threads = kBlockThreads * count(scalars, "blocks");
  const auto products = static_cast<std::uint32_t>(4 * count(scalars, "rounds"));
  const auto* const a = view<std::uint32_t>(buffers, "a", threads);
  const auto* const b = view<std::uint32_t>(buffers, "b", threads);
  auto* const sums = view<std::uint32_t>(buffers, "sums", threads);
  for (std::size_t i = 0; i < threads; ++i) sums[i] = products * a[i] * b[i];
}

constexpr std::string_view kOrder =
    "sums in single precision, in another order, of values that do not cancel";

}  // namespace

std::vector<Reference> microbenchmarks() {
  return {
      {"microbenchmark_read", read_level, {{"sums", Element::kFloat, kOfSums}}, kOrder},
      {"microbenchmark_read_past_l1", read_past_l1, {{"sums", Element::kFloat, kOfSums}}, kOrder},
      {"microbenchmark_chase", chase_alone, {{"last", Element::kUint64}}},
      {"microbenchmark_chase_dram", chase_dram, {{"last", Element::kUint64}}},
      {"microbenchmark_shared", chase_shared, {{"last", Element::kUint32}}},
      {"microbenchmark_shared_and_l1", chase_shared_and_l1, {{"last", Element::kUint32}}},
      {"microbenchmark_sum", sum, {{"sums", Element::kFloat}}},
      {"microbenchmark_transpose", transpose, {{"to", Element::kFloat}}},
      {"microbenchmark_multiply_add", sums_of_products, {{"sums", Element::kInt32}}},
  };
}

}  // namespace heddle::kernels::detail
