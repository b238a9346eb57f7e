// Latencies of loads, also of L2 as each SM sees it, and bandwidths by the number of SMs that read or copy,
// and by the warps of an SM.

#include <algorithm>

#include "scripts/harvest_program/parts.h"
#include "scripts/harvest_program/works.h"

namespace harvest {

namespace {

constexpr double kNsPerUs = 1e3;

// The latency of a step is the difference between two numbers of steps: what a launch costs, and the first
// round through the ring, are in both.
void measure_latency(Session& session, const std::string& parameters, const Work& few, const Work& many,
                     unsigned more_steps, Caches caches) {
  session.row("latency", parameters, "ns", session.repeat([&] {
    const double least = session.time_us(few.launch, caches);
    return kNsPerUs * (session.time_us(many.launch, caches) - least) / more_steps;
  }));
  require_right(few);
  require_right(many);
}

void measure_latencies(Session& session) {
  const unsigned steps = session.quick() ? 256 : 16384;
  measure_latency(session, "memory=shared", make_shared_chase(steps), make_shared_chase(2 * steps), steps,
                  Caches::kWarm);
  const auto most = static_cast<unsigned>(std::min<std::size_t>(2 * session.l2_bytes(), 1U << 28U));
  for (unsigned footprint = 4096; footprint <= (session.quick() ? 16384 : most); footprint *= 2) {
    // One round, and then as many steps more as make a time that can be told apart.
    const unsigned round = footprint / kLineBytes;
    const unsigned more = session.quick() ? round : std::max(4096U, std::min(round, 65536U));
    measure_latency(session, "memory=global footprint=" + std::to_string(footprint),
                    make_pointer_chase(footprint, kLineBytes, round),
                    make_pointer_chase(footprint, kLineBytes, round + more), more, Caches::kWarm);
  }
  // Each line is read once, and L2 has none of them.
  const unsigned stride = 4 * kLineBytes;
  const unsigned half = session.quick() ? 64 : 4096;
  const unsigned footprint = 2 * half * stride;
  measure_latency(session, "memory=dram footprint=" + std::to_string(footprint),
                  make_pointer_chase(footprint, stride, half),
                  make_pointer_chase(footprint, stride, 2 * half), half, Caches::kCold);
}

constexpr unsigned kL2Lines = 256;
constexpr unsigned kTries = 6;

// One thread of each SM loads each line several times past L1, and keeps the least latency. The words are 0,
// which the compiler does not know, so that the clock is read when the word is there.
__global__ void time_lines(const unsigned* words, unsigned stride, unsigned* cycles) {
  for (unsigned line = 0; line < kL2Lines; ++line) {
    unsigned least = ~0U;
    for (unsigned i = 0; i < kTries; ++i) {
      unsigned word = 0;
      const long long start = clock64();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(words + line * stride) : "memory");
      if (word != 0) cycles[0] = 0;
      least = min(least, static_cast<unsigned>(clock64() - start));
    }
    cycles[blockIdx.x * kL2Lines + line] = least;
  }
}

// The latencies of lines in L2 over all SMs: an SM is nearer to some slices than to others.
void measure_l2_spread(Session& session) {
  if (session.is_over()) return;
  constexpr unsigned kStride = 1024;
  const std::size_t count = std::size_t{session.sms()} * kL2Lines;
  unsigned* words = nullptr;
  unsigned* cycles = nullptr;
  require(cudaMalloc(&words, kL2Lines * kStride * sizeof(*words)), "lines of L2");
  require(cudaMemset(words, 0, kL2Lines * kStride * sizeof(*words)), "lines of L2");
  require(cudaMalloc(&cycles, count * sizeof(*cycles)), "latencies of L2");
  time_lines<<<session.sms(), 1>>>(words, kStride, cycles);
  std::vector<unsigned> found(count);
  require(cudaMemcpy(found.data(), cycles, count * sizeof(*cycles), cudaMemcpyDeviceToHost),
          "latencies of L2");
  std::sort(found.begin(), found.end());
  for (const unsigned percent : {1U, 5U, 25U, 50U, 75U, 95U, 99U})
    session.row("l2_spread", "percentile=" + std::to_string(percent), "cycles",
                {static_cast<double>(found[(count - 1) * percent / 100])});
  cudaFree(words);
  cudaFree(cycles);
}

__global__ void copy(const float4* from, float4* to, unsigned each) {
  const std::size_t at = std::size_t{blockIdx.x} * each;
  for (unsigned i = threadIdx.x; i < each; i += 4 * blockDim.x) {
    float4 values[4];
    for (unsigned k = 0; k < 4; ++k) values[k] = from[at + i + k * blockDim.x];
    for (unsigned k = 0; k < 4; ++k) to[at + i + k * blockDim.x] = values[k];
  }
}

// Copies from DRAM to DRAM by two blocks on each of some SMs; other blocks would find room there, too, but
// there are none. Bytes read and bytes written count.
void measure_copies(Session& session, const std::vector<unsigned>& numbers) {
  const unsigned each = session.quick() ? kStreamStep : 32 * kStreamStep;
  const unsigned most = 2 * numbers.back() * each;
  float4* from = nullptr;
  float4* to = nullptr;
  require(cudaMalloc(&from, most * sizeof(float4)), "memory of copies");
  require(cudaMalloc(&to, most * sizeof(float4)), "memory of copies");
  require(cudaMemset(from, 0, most * sizeof(float4)), "memory of copies");
  for (const unsigned sms : numbers) {
    const double bytes = 2.0 * 2 * sms * each * sizeof(float4);
    session.row("bandwidth", "memory=copy sms=" + std::to_string(sms) + " each=" + std::to_string(2 * each),
                "GB/s", session.repeat([&] {
                  const Launch launch = [&](cudaStream_t stream) {
                    copy<<<2 * sms, 1024, 0, stream>>>(from, to, each);
                    require(cudaGetLastError(), "launch of a copy");
                  };
                  return bytes / session.time_us(launch, Caches::kCold) / kNsPerUs;
                }));
  }
  cudaFree(from);
  cudaFree(to);
}

// Reads from DRAM by one block of few or many warps on each SM: how many loads an SM has in flight.
void measure_occupancy(Session& session) {
  const unsigned each = session.quick() ? kStreamStep : 16 * kStreamStep;
  const unsigned n = each * session.sms();
  float4* values = nullptr;
  float* sums = nullptr;
  require(cudaMalloc(&values, n * sizeof(float4)), "memory of reads");
  require(cudaMemset(values, 0, n * sizeof(float4)), "memory of reads");
  require(cudaMalloc(&sums, std::size_t{1024} * session.sms() * sizeof(float)), "memory of reads");
  for (unsigned warps = 1; warps <= 32; warps *= 2)
    session.row("occupancy", "memory=dram warps=" + std::to_string(warps) + " each=" + std::to_string(each),
                "GB/s", session.repeat([&] {
                  const Launch launch = [&](cudaStream_t stream) {
                    enqueue_stream_read(values, sums, n, each, session.sms(), stream, 32 * warps);
                  };
                  return double{sizeof(float4)} * n / session.time_us(launch, Caches::kCold) / kNsPerUs;
                }));
  cudaFree(values);
  cudaFree(sums);
}

void measure_bandwidth(Session& session, const char* memory, const Work& work, unsigned each, unsigned blocks,
                       Caches caches) {
  const double bytes = static_cast<double>(each) * blocks * sizeof(float4);
  session.row(
      "bandwidth",
      std::string("memory=") + memory + " sms=" + std::to_string(blocks) + " each=" + std::to_string(each),
      "GB/s", session.repeat([&] { return bytes / session.time_us(work.launch, caches) / kNsPerUs; }));
  require_right(work);
}

}  // namespace

void measure_memory(Session& session) {
  measure_latencies(session);
  measure_l2_spread(session);
  // 1 MiB for each SM. In L2 all of them read the same quarter of it, which the launch before has left there.
  const unsigned each = session.quick() ? kStreamStep : 16 * kStreamStep;
  const auto in_l2 =
      static_cast<unsigned>(session.l2_bytes() / 4 / sizeof(float4) / kStreamStep * kStreamStep);
  const unsigned shared = std::max(kStreamStep, std::min(in_l2, 64 * kStreamStep));
  std::vector<unsigned> numbers;
  for (unsigned sms = 1; sms < session.sms(); sms *= 2) numbers.push_back(sms);
  numbers.push_back(session.sms());
  for (const unsigned sms : numbers) {
    measure_bandwidth(session, "dram", make_stream_read(each * sms, each, sms), each, sms, Caches::kCold);
    measure_bandwidth(session, "l2", make_stream_read(shared, each, sms), each, sms, Caches::kWarm);
  }
  measure_copies(session, numbers);
  measure_occupancy(session);
}

}  // namespace harvest
