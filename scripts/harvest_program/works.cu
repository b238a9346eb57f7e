#include "scripts/harvest_program/works.h"

#include <algorithm>
#include <cmath>

#include "stimuli/kernels/cuda.h"
// The very sources that Heddle executes as PTX.
#include "stimuli/kernels/black_scholes.cu"
#include "stimuli/kernels/histogram.cu"
#include "stimuli/kernels/matrix_multiply_tiled.cu"
#include "stimuli/kernels/multiply_add.cu"
#include "stimuli/kernels/pointer_chase.cu"
#include "stimuli/kernels/reduction.cu"
#include "stimuli/kernels/stream_read.cu"
#include "stimuli/kernels/triad.cu"
#include "stimuli/kernels/vector_add.cu"

namespace harvest {

namespace {

template <class T>
using Array = std::shared_ptr<T>;  // on the device

template <class T>
Array<T> on_device(const std::vector<T>& values) {
  T* at = nullptr;
  require(cudaMalloc(&at, values.size() * sizeof(T)), "memory of a kernel");
  require(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return Array<T>(at, [](T* of) { cudaFree(of); });
}

template <class T>
std::vector<T> on_host(const Array<T>& array, std::size_t count) {
  std::vector<T> values(count);
  require(cudaMemcpy(values.data(), array.get(), count * sizeof(T), cudaMemcpyDeviceToHost), "kernel");
  return values;
}

// Numbers from 0 to 1023 without a pattern that a cache or a bank would see.
unsigned scattered(unsigned i) {
  return i * 2654435761U >> 22U;
}

template <class T>
std::vector<T> filled(std::size_t count, const std::function<T(unsigned)>& of) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = of(static_cast<unsigned>(i));
  return values;
}

unsigned ceil_of(unsigned a, unsigned b) {
  return (a + b - 1) / b;
}

std::string number(const char* name, unsigned value) {
  return std::string(name) + "=" + std::to_string(value);
}

Launch checked(Launch launch) {
  return [launch = std::move(launch)](cudaStream_t stream) {
    launch(stream);
    require(cudaGetLastError(), "launch of a kernel");
  };
}

}  // namespace

void require_right(const Work& work) {
  if (!work.right()) fail(work.name + " " + work.parameters + ": the results are wrong");
}

Work make_vector_add(unsigned n) {
  const auto a = on_device(filled<float>(n, [](unsigned i) { return scattered(i); }));
  const auto b = on_device(filled<float>(n, [](unsigned i) { return i % 1000; }));
  const auto c = on_device(std::vector<float>(n));
  return {
      "vector_add", number("n", n), checked([=](cudaStream_t stream) {
        vector_add<<<ceil_of(n, 256), 256, 0, stream>>>(a.get(), b.get(), c.get(), n);
      }),
      [=] { return on_host(c, n) == filled<float>(n, [](unsigned i) { return scattered(i) + i % 1000; }); }};
}

Work make_triad(unsigned n, unsigned blocks) {
  const auto a = on_device(std::vector<double>(n));
  const auto b = on_device(filled<double>(n, [](unsigned i) { return scattered(i); }));
  const auto c = on_device(filled<double>(n, [](unsigned i) { return i; }));
  return {
      "triad", number("n", n) + " " + number("blocks", blocks), checked([=](cudaStream_t stream) {
        triad<<<blocks, 256, 0, stream>>>(a.get(), b.get(), c.get(), 3.0, n);
      }),
      [=] { return on_host(a, n) == filled<double>(n, [](unsigned i) { return scattered(i) + 3.0 * i; }); }};
}

Work make_matrix_multiply(unsigned side) {
  const std::size_t count = std::size_t{side} * side;
  const auto host_a = filled<float>(count, [](unsigned i) { return scattered(i) % 8; });
  const auto host_b = filled<float>(count, [](unsigned i) { return scattered(i + 1) % 8; });
  const auto a = on_device(host_a);
  const auto b = on_device(host_b);
  const auto c = on_device(std::vector<float>(count));
  const auto right = [=] {
    const std::vector<float> found = on_host(c, count);
    for (unsigned row = 0; row < side; row += 7) {  // sums of small integers, which are exact
      const unsigned column = scattered(row) % side;
      float sum = 0;
      for (unsigned k = 0; k < side; ++k) sum += host_a[row * side + k] * host_b[k * side + column];
      if (found[row * side + column] != sum) return false;
    }
    return true;
  };
  const std::string parameters = number("m", side) + " " + number("n", side) + " " + number("k", side);
  return {"matrix_multiply_tiled", parameters, checked([=](cudaStream_t stream) {
            const dim3 grid(ceil_of(side, 16), ceil_of(side, 16));
            matrix_multiply_tiled<<<grid, dim3(16, 16), 0, stream>>>(a.get(), b.get(), c.get(), side, side,
                                                                     side);
          }),
          right};
}

Work make_black_scholes(unsigned n) {
  const auto host_prices = filled<float>(n, [](unsigned i) { return 5 + scattered(i) % 25; });
  const auto host_strikes = filled<float>(n, [](unsigned i) { return 1 + scattered(i + 1) % 99; });
  const auto host_years = filled<float>(n, [](unsigned i) { return 0.25F + scattered(i + 2) % 10; });
  const auto prices = on_device(host_prices);
  const auto strikes = on_device(host_strikes);
  const auto years = on_device(host_years);
  const auto calls = on_device(std::vector<float>(n));
  const auto puts = on_device(std::vector<float>(n));
  const auto right = [=] {  // a call less a put is the price less the strike of today
    const std::vector<float> call = on_host(calls, n);
    const std::vector<float> put = on_host(puts, n);
    for (unsigned i = 0; i < n; ++i) {
      const float strike = host_strikes[i] * std::exp(-0.02F * host_years[i]);
      if (!(std::abs(call[i] - put[i] - (host_prices[i] - strike)) < 1e-3F * (1 + strike))) return false;
    }
    return true;
  };
  return {"black_scholes", number("n", n), checked([=](cudaStream_t stream) {
            black_scholes<<<ceil_of(n, 128), 128, 0, stream>>>(prices.get(), strikes.get(), years.get(),
                                                               calls.get(), puts.get(), 0.02F, 0.3F, n);
          }),
          right};
}

Work make_reduction(unsigned n, unsigned blocks) {
  const auto values = on_device(std::vector<float>(n, 1.0F));  // sums up to 2^24 are exact
  const auto sums = on_device(std::vector<float>(blocks));
  const auto total = on_device(std::vector<float>(1));
  return {"reduction", number("n", n) + " " + number("blocks", blocks), checked([=](cudaStream_t stream) {
            reduce_sum<<<blocks, 256, 0, stream>>>(values.get(), sums.get(), n);
            reduce_sum<<<1, 256, 0, stream>>>(sums.get(), total.get(), blocks);
          }),
          [=] { return on_host(total, 1)[0] == static_cast<float>(n); }};
}

Work make_histogram(unsigned n, unsigned blocks) {
  const auto host_values = filled<uint8>(n, [](unsigned i) { return scattered(i) % 256; });
  const auto values = on_device(host_values);
  const auto counts = on_device(std::vector<unsigned>(256));
  const auto launches = std::make_shared<unsigned>(0);  // each adds to the counts
  const auto right = [=] {
    std::vector<unsigned> wanted(256);
    for (const uint8 value : host_values) wanted[value] += *launches;
    return on_host(counts, 256) == wanted;
  };
  return {"histogram", number("n", n) + " " + number("blocks", blocks), checked([=](cudaStream_t stream) {
            histogram<<<blocks, 256, 0, stream>>>(values.get(), counts.get(), n);
            ++*launches;
          }),
          right};
}

Work make_multiply_add(unsigned blocks, unsigned threads, unsigned rounds) {
  const unsigned n = rounds == 0 ? 0 : std::min(blocks * threads, 4096U);
  const auto sums = on_device(std::vector<float>(std::max(n, 1U)));
  const auto right = [=] {
    const std::vector<float> found = on_host(sums, n);
    for (unsigned thread = 0; thread < n; ++thread) {
      float chains[4];
      for (unsigned i = 0; i < 4; ++i) chains[i] = static_cast<float>(thread + i);
      for (unsigned round = 0; round < rounds; ++round)
        for (float& chain : chains) chain = std::fma(chain, 0.5F, 1.0F);
      if (found[thread] != (chains[0] + chains[1]) + (chains[2] + chains[3])) return false;
    }
    return true;
  };
  const std::string parameters = number("n", n) + " " + number("blocks", blocks) + " " +
                                 number("threads", threads) + " " + number("rounds", rounds);
  return {"multiply_add", parameters, checked([=](cudaStream_t stream) {
            multiply_add<<<blocks, threads, 0, stream>>>(sums.get(), n, rounds, 0.5F);
          }),
          right};
}

void enqueue_stream_read(const float4* values, float* sums, unsigned n, unsigned each, unsigned blocks,
                         cudaStream_t stream, unsigned threads) {
  stream_read<<<blocks, threads, 0, stream>>>(values, sums, n, each);
  require(cudaGetLastError(), "launch of a kernel");
}

Work make_stream_read(unsigned n, unsigned each, unsigned blocks) {
  const auto values = on_device(std::vector<float4>(n, float4{1, 0, 0, 0}));
  const auto sums = on_device(std::vector<float>(std::size_t{1024} * blocks));
  const std::string parameters = number("n", n) + " " + number("each", each) + " " + number("blocks", blocks);
  return {
      "stream_read", parameters,
      [=](cudaStream_t stream) { enqueue_stream_read(values.get(), sums.get(), n, each, blocks, stream); },
      [=] {
        const std::size_t threads = std::size_t{1024} * blocks;
        return on_host(sums, threads) == std::vector<float>(threads, static_cast<float>(each) / 1024);
      }};
}

namespace {

// Byte offsets, each `stride` behind its own place; the last one leads back to the first.
std::vector<unsigned> ring_of(unsigned footprint, unsigned stride) {
  std::vector<unsigned> ring(footprint / 4);
  for (unsigned i = 0; i < ring.size(); ++i) ring[i] = 4 * i + stride;
  ring[(footprint - stride) / 4] = 0;
  return ring;
}

}  // namespace

Work make_pointer_chase(unsigned footprint, unsigned stride, unsigned steps) {
  const auto ring = on_device(ring_of(footprint, stride));
  const auto last = on_device(std::vector<unsigned>(1));
  const std::string parameters =
      number("footprint", footprint) + " " + number("stride", stride) + " " + number("steps", steps);
  return {"pointer_chase", parameters, checked([=](cudaStream_t stream) {
            pointer_chase<<<1, 1, 0, stream>>>(ring.get(), last.get(), steps);
          }),
          [=] { return on_host(last, 1)[0] == steps % (footprint / stride) * stride; }};
}

Work make_shared_chase(unsigned steps) {
  constexpr unsigned kWords = 256;
  const auto ring = on_device(ring_of(4 * kWords, 4));
  const auto last = on_device(std::vector<unsigned>(1));
  return {"shared_chase", number("words", kWords) + " " + number("steps", steps),
          checked([=](cudaStream_t stream) {
            shared_chase<<<1, 1, 0, stream>>>(ring.get(), last.get(), kWords, steps);
          }),
          [=] { return on_host(last, 1)[0] == steps % kWords * 4; }};
}

std::vector<Work> make_pair_works(unsigned sms, bool quick) {
  return {make_multiply_add(4 * sms, 256, quick ? 32 : 4096),
          make_triad(quick ? 1U << 14U : 1U << 21U, 8 * sms), make_matrix_multiply(quick ? 64 : 512)};
}

}  // namespace harvest
