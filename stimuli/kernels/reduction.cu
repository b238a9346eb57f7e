// This kernel sums a vector. Each block sums a part, first within its warps with shuffles, then over its
// warps.
//
// values: float[n]; sums: float[number of blocks], written.
//
// Block: 256 x 1 x 1. Grid: any up to 1024; the threads stride over the values. Deterministic for a given
// grid.
//
// Host sequence: reduce_sum of values into sums by `blocks` blocks; reduce_sum of sums, with n = blocks, into
// total (float[1]) by one block.
//
// Source: Blelloch, Prefix Sums and Their Applications, 1990 (the up-sweep).
#include "cuda.h"

HEDDLE_DEVICE float sum_of_warp(float value) {
  for (unsigned mask = kWarpSize / 2; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

HEDDLE_KERNEL reduce_sum(const float* values, float* sums, unsigned n) {
  __shared__ float of_warps[kWarpSize];
  const unsigned thread = threadIdx.x;
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + thread; i < n; i += gridDim.x * blockDim.x) sum += values[i];
  sum = sum_of_warp(sum);
  if (thread % kWarpSize == 0) of_warps[thread / kWarpSize] = sum;
  __syncthreads();
  if (thread >= kWarpSize) return;
  sum = sum_of_warp(thread < blockDim.x / kWarpSize ? of_warps[thread] : 0);
  if (thread == 0) sums[blockIdx.x] = sum;
}
