// These kernels follow chains of indices in shared memory: for the latency, by one thread
// (chase_shared_4096); for the bandwidth, by the threads of a block (chase_shared_8192), also together with a
// chain in L1 (microbenchmark_shared_and_l1).
//
// last: unsigned[number of threads], written: the sum of the indices to which the chains of a thread have
// come. ring: unsigned[n], indices; a thread starts at the element of its number, and first follows it n
// times. Element i of the chain in shared memory holds (i + stride) modulo its length: 4096 elements of 64
// bits for chase_shared_4096, 8192 of 32 bits for the others.
//
// Block: 1 x 1 x 1 for chase_shared_4096, X x 1 x 1 for the others. Grid: 1. Deterministic.
//
// Host sequence: one of them once.
//
// Source: see microbenchmark_read.cu (shared_lat, shared_bw, l1_shared_bw).
#include "cuda.h"

constexpr unsigned kLongs = 4096;
constexpr unsigned kWords = 8192;

HEDDLE_KERNEL chase_shared_4096(unsigned* last, unsigned stride, unsigned steps) {
  __shared__ uint64 chain[kLongs];
  for (unsigned i = threadIdx.x; i < kLongs - stride; i += blockDim.x) chain[i] = (i + stride) % kLongs;
  uint64 at = 0;
  for (unsigned i = 0; i < steps; ++i) at = chain[at];
  last[threadIdx.x] = static_cast<unsigned>(at);
}

HEDDLE_KERNEL chase_shared_8192(unsigned* last, unsigned stride, unsigned steps) {
  __shared__ unsigned chain[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) chain[i] = (i + stride) % kWords;
  __syncthreads();
  unsigned at = threadIdx.x;
  for (unsigned i = 0; i < steps; ++i) at = chain[at];
  __syncthreads();
  last[threadIdx.x] = at;
}

HEDDLE_KERNEL microbenchmark_shared_and_l1(unsigned* last, const unsigned* ring, unsigned n, unsigned stride,
                                           unsigned steps) {
  __shared__ unsigned chain[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) chain[i] = (i + stride) % kWords;
  unsigned in_l1 = threadIdx.x;
  for (unsigned i = 0; i < n; ++i) in_l1 = ring[in_l1];
  __syncthreads();
  unsigned in_shared = threadIdx.x;
  for (unsigned i = 0; i < steps; ++i) {
    in_shared = chain[in_shared];
    in_l1 = ring[in_l1];
  }
  __syncthreads();
  last[threadIdx.x] = in_shared + in_l1;
}
