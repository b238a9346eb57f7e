// These kernels write a chain of addresses and follow it, so that the time of a step is the latency of a load
// of L1 (chase_l1), of L2 (chase_l2) or of DRAM (microbenchmark_chase_dram). The difference to pointer_chase
// is that the elements are the addresses themselves: nothing is added between two loads.
//
// ring: uint64[n], written; element i holds the address of element i + chains, which is that of element
// i + chains - n at the end. last: uint64[chains], written: the element at which each chain is after 1 +
// steps loads.
//
// One thread writes and follows the chain of chase_l1 and chase_l2. The threads of microbenchmark_chase_dram
// write, and the first four follow a chain each, so that a step reads a sector of 32 bytes. DRAM is reached
// where the array is longer than L2.
//
// Block: 1 x 1 x 1, microbenchmark_chase_dram: X x 1 x 1. Grid: 1. Deterministic.
//
// Host sequence: one of them once.
//
// Source: see microbenchmark_read.cu (l1_lat, l2_lat, mem_lat).
#include "cuda.h"

// Loads that stay where they are written: .ca caches in L1 and L2, .cg in L2, .cv fetches again.
struct FromL1 {
  static __device__ __forceinline__ uint64 load(uint64 at) {
    uint64 next;
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
  }
};

struct FromL2 {
  static __device__ __forceinline__ uint64 load(uint64 at) {
    uint64 next;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
  }
};

struct Fetched {
  static __device__ __forceinline__ uint64 load(uint64 at) {
    uint64 next;
    asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
  }
};

HEDDLE_DEVICE uint64 address_of(const uint64* element) {
  return reinterpret_cast<uint64>(element);
}

// Returns the index of the element that is reached from `first`.
template <class From>
HEDDLE_DEVICE uint64 follow(const uint64* ring, unsigned first, unsigned steps) {
  uint64 at = From::load(address_of(ring + first));
  for (unsigned i = 0; i < steps; ++i) at = From::load(at);
  return (at - address_of(ring)) / sizeof(uint64);
}

HEDDLE_DEVICE void write_chain(uint64* ring, unsigned n) {
  for (unsigned i = 0; i < n - 1; ++i) ring[i] = address_of(ring + i + 1);
  ring[n - 1] = address_of(ring);
}

HEDDLE_KERNEL chase_l1(uint64* ring, uint64* last, unsigned n, unsigned steps) {
  write_chain(ring, n);
  *last = follow<FromL1>(ring, 0, steps);
}

HEDDLE_KERNEL chase_l2(uint64* ring, uint64* last, unsigned n, unsigned steps) {
  write_chain(ring, n);
  *last = follow<FromL2>(ring, 0, steps);
}

HEDDLE_KERNEL microbenchmark_chase_dram(uint64* ring, uint64* last, unsigned n, unsigned steps) {
  constexpr unsigned kChains = 4;
  const unsigned thread = threadIdx.x;
  for (unsigned i = thread; i < n - kChains; i += blockDim.x) ring[i] = address_of(ring + i + kChains);
  if (thread >= kChains) return;
  ring[n - kChains + thread] = address_of(ring + thread);
  last[thread] = follow<Fetched>(ring, thread, steps);
}
