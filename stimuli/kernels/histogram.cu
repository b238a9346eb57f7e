// This kernel computes the histogram of bytes. Each block counts in shared memory and then adds its counts to
// the total.
//
// values: uint8[n]. counts: unsigned[256], written; at the start 0.
//
// Block: 256 x 1 x 1. Grid: any; the threads stride over the values. Deterministic.
//
// Host sequence: histogram once.
//
// Source: Shams and Kennedy, Efficient Histogram Algorithms for NVIDIA CUDA Compatible Devices, 2007.
#include "cuda.h"

constexpr unsigned kBins = 256;

HEDDLE_KERNEL histogram(const uint8* values, unsigned* counts, unsigned n) {
  __shared__ unsigned of_block[kBins];
  of_block[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * kBins + threadIdx.x; i < n; i += gridDim.x * kBins)
    atomicAdd(&of_block[values[i]], 1U);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}
