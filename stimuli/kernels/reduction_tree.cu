// This kernel sums a vector of integers. A thread adds four values at a time, a block at a distance from each
// other, and a block adds the sums of its threads by a tree in shared memory, for any number of threads.
//
// values: unsigned[n]; sums: unsigned[number of blocks], written. Sums wrap around.
//
// Block: T x 1 x 1, with 4 * T bytes of dynamic shared memory. Grid: any; blocks stride over the values.
// sums[0] of one block is the same for every T.
//
// Host sequence: reduction_tree of values into sums by `blocks` = ceil(n / (4 * T * rounds)) blocks;
// reduction_tree of sums, with n = blocks, into total (unsigned[1]) by one block.
//
// Source: Blelloch, Prefix Sums and Their Applications, 1990 (the up-sweep); several values for each thread:
// reduction of the CUDA SDK.
#include "cuda.h"

constexpr unsigned kEach = 4;

HEDDLE_KERNEL reduction_tree(const unsigned* values, unsigned* sums, unsigned n) {
  extern __shared__ unsigned of_threads[];
  const unsigned thread = threadIdx.x;
  const unsigned threads = blockDim.x;
  unsigned sum = 0;
  for (unsigned first = blockIdx.x * threads * kEach; first < n; first += gridDim.x * threads * kEach) {
    const unsigned own = first + thread;
    unsigned read[kEach];
    if (first + kEach * threads <= n) {
      for (unsigned i = 0; i < kEach; ++i) read[i] = values[own + i * threads];
    } else {
      for (unsigned i = 0; i < kEach; ++i) read[i] = own + i * threads < n ? values[own + i * threads] : 0;
    }
    for (unsigned i = 0; i < kEach; ++i) sum += read[i];
  }
  of_threads[thread] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned left_over = threads; left_over > 1;) {
    const unsigned half = (left_over + 1) / 2;
    if (thread + half < left_over) of_threads[thread] += of_threads[thread + half];
    __syncthreads();
    left_over = half;
  }
  if (thread == 0) sums[blockIdx.x] = of_threads[0];
}
