// These kernels compute inclusive prefix sums. Each block scans 512 values and writes their sum. The sums are
// scanned in the same way, and each is added to the values of the following block.
//
// values: int[n]; n is at most 512 * 512. prefixes: int[n], written. sums, sum_prefixes: int[b] with b =
// ceil(n / 512), and total: int[1]; all three are written.
//
// Block: 512 x 1 x 1. Grid: ceil(n / 512) for n values. Deterministic.
//
// Host sequence: scan_block(values, prefixes, sums, n); scan_block(sums, sum_prefixes, total, b) by one
// block; scan_add(prefixes, sum_prefixes, n).
//
// Source: Hillis and Steele, Data Parallel Algorithms, 1986 (within a warp); Blelloch, Prefix Sums and Their
// Applications, 1990 (across blocks).
#include "cuda.h"

constexpr unsigned kBlock = 512;

HEDDLE_DEVICE int scan_warp(int value, unsigned lane) {
  for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
    const int below = shuffle_up(value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

HEDDLE_KERNEL scan_block(const int* values, int* prefixes, int* sums, unsigned n) {
  __shared__ int of_warps[kWarpSize];
  const unsigned thread = threadIdx.x;
  const unsigned lane = thread % kWarpSize;
  const unsigned warp = thread / kWarpSize;
  const unsigned i = blockIdx.x * kBlock + thread;
  int value = scan_warp(i < n ? values[i] : 0, lane);
  if (lane == kWarpSize - 1) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) of_warps[lane] = scan_warp(lane < kBlock / kWarpSize ? of_warps[lane] : 0, lane);
  __syncthreads();
  if (warp > 0) value += of_warps[warp - 1];
  if (i < n) prefixes[i] = value;
  if (thread == kBlock - 1) sums[blockIdx.x] = value;
}

HEDDLE_KERNEL scan_add(int* prefixes, const int* sum_prefixes, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n && blockIdx.x > 0) prefixes[i] += sum_prefixes[blockIdx.x - 1];
}
