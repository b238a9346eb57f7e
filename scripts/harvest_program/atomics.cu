// Atomic additions that return nothing or the old value: time of a warp instruction of the whole GPU, by how
// many addresses the lanes of a warp meet.

#include "scripts/harvest_program/parts.h"

namespace harvest {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kRounds = 64;
constexpr unsigned kWarpLanes = 32;

// The lanes of a warp that meet one address. Every form adds to words that lie side by side.
enum class Addresses { kOne, kOnePerWarp, kOnePerThread };

// `zero` holds 0, which the compiler does not know: it would merge lanes that provably meet one address.
template <Addresses kAddresses, bool kReturns>
__global__ void add(unsigned* words, const unsigned* zero, unsigned* last) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  unsigned at = kAddresses == Addresses::kOne          ? 0U
                : kAddresses == Addresses::kOnePerWarp ? thread / kWarpLanes
                                                       : thread;
  at += zero[threadIdx.x % kWarpLanes];
  unsigned old = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    if constexpr (kReturns)
      asm volatile("atom.global.add.u32 %0, [%1], %2;" : "+r"(old) : "l"(words + at), "r"(1U) : "memory");
    else
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(words + at), "r"(1U) : "memory");
  }
  if (kReturns && old == ~0U) last[0] = old;  // never
}

// The same to one address, in CUDA C: what the compiler makes of it.
__global__ void add_plainly(unsigned* words) {
  for (unsigned round = 0; round < kRounds; ++round) {
    atomicAdd(words, 1U);
    asm volatile("" ::: "memory");
  }
}

template <Addresses kAddresses, bool kReturns>
void measure(Session& session, const char* addresses) {
  const unsigned most = session.quick() ? 2 : 8 * session.sms();
  for (unsigned blocks = 1; blocks <= most; blocks = blocks == 1 ? session.sms() : 8 * blocks) {
    if (blocks > most) break;
    const std::size_t count = std::size_t{blocks} * kThreads;
    unsigned* words = nullptr;
    unsigned* zero = nullptr;
    require(cudaMalloc(&words, count * sizeof(*words)), "words of atomics");
    require(cudaMalloc(&zero, kWarpLanes * sizeof(*zero)), "words of atomics");
    require(cudaMemset(words, 0, count * sizeof(*words)), "words of atomics");
    require(cudaMemset(zero, 0, kWarpLanes * sizeof(*zero)), "words of atomics");
    unsigned launches = 0;
    const Launch launch = [&](cudaStream_t stream) {
      add<kAddresses, kReturns><<<blocks, kThreads, 0, stream>>>(words, zero, words);
      require(cudaGetLastError(), "launch of atomics");
      ++launches;
    };
    const double instructions = static_cast<double>(blocks) * (kThreads / kWarpLanes) * kRounds;
    session.row("atomic",
                std::string("form=") + (kReturns ? "atom" : "red") + " addresses=" + addresses +
                    " blocks=" + std::to_string(blocks),
                "ns",
                session.repeat([&] { return 1e3 * session.time_us(launch, Caches::kWarm) / instructions; }));
    const unsigned meet = kAddresses == Addresses::kOne          ? blocks * kThreads
                          : kAddresses == Addresses::kOnePerWarp ? kWarpLanes
                                                                 : 1;
    unsigned sum = 0;
    require(cudaMemcpy(&sum, words, sizeof(sum), cudaMemcpyDeviceToHost), "sums of atomics");
    if (sum != launches * meet * kRounds) fail("atomics: the sum is wrong");
    cudaFree(words);
    cudaFree(zero);
  }
}

void measure_plain(Session& session) {
  unsigned* words = nullptr;
  require(cudaMalloc(&words, sizeof(*words)), "words of atomics");
  for (const unsigned blocks :
       {1U, session.quick() ? 2U : session.sms(), session.quick() ? 3U : 8 * session.sms()}) {
    const double instructions = static_cast<double>(blocks) * (kThreads / kWarpLanes) * kRounds;
    session.row(
        "atomic", "form=plain addresses=one blocks=" + std::to_string(blocks), "ns", session.repeat([&] {
          return 1e3 *
                 session.time_us(
                     [&](cudaStream_t stream) { add_plainly<<<blocks, kThreads, 0, stream>>>(words); },
                     Caches::kWarm) /
                 instructions;
        }));
  }
  cudaFree(words);
}

template <bool kReturns>
void measure_all(Session& session) {
  measure<Addresses::kOne, kReturns>(session, "one");
  measure<Addresses::kOnePerWarp, kReturns>(session, "warp");
  measure<Addresses::kOnePerThread, kReturns>(session, "thread");
}

}  // namespace

void measure_atomics(Session& session) {
  measure_all<false>(session);
  measure_all<true>(session);
  measure_plain(session);
}

}  // namespace harvest
