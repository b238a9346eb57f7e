// These kernels find the k records that are nearest to a place. The first kernel computes all distances, the
// second one selects the k least.
//
// latitudes, longitudes: float[n]. distances: float[n], written; infinity for the records that were selected.
// nearest: unsigned[k], written: the selected records, the nearest first, and of equal ones the first.
// nearest_distances: float[k], written. k is at most n.
//
// Block: 256 x 1 x 1. Grid: nearest_distance ceil(n / 256), nearest_pick 1. Deterministic.
//
// Host sequence: nearest_distance, then nearest_pick.
//
// Source: Cover and Hart, Nearest Neighbor Pattern Classification, 1967 (exhaustive search).
#include "cuda.h"

constexpr unsigned kBlock = 256;
constexpr uint64 kNone = ~0ULL;

HEDDLE_KERNEL nearest_distance(const float* latitudes, const float* longitudes, float* distances, unsigned n,
                               float latitude, float longitude) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float dy = latitudes[i] - latitude;
  const float dx = longitudes[i] - longitude;
  distances[i] = sqrtf(fmaf(dx, dx, dy * dy));
}

HEDDLE_DEVICE uint64 lesser(uint64 a, uint64 b) {
  return a < b ? a : b;
}

HEDDLE_KERNEL nearest_pick(float* distances, unsigned* nearest, float* nearest_distances, unsigned n,
                           unsigned k) {
  __shared__ uint64 of_warps[kBlock / kWarpSize];
  const unsigned thread = threadIdx.x;
  for (unsigned picked = 0; picked < k; ++picked) {
    // Distances are not negative, so that their bits compare as integers. The lower 32 bits hold the record.
    uint64 least = kNone;
    for (unsigned i = thread; i < n; i += kBlock)
      least = lesser(least, static_cast<uint64>(float_bits(distances[i])) << 32 | i);
    for (unsigned mask = kWarpSize / 2; mask > 0; mask /= 2) least = lesser(least, shuffle_xor(least, mask));
    if (thread % kWarpSize == 0) of_warps[thread / kWarpSize] = least;
    __syncthreads();
    if (thread == 0) {
      for (unsigned i = 1; i < kBlock / kWarpSize; ++i) least = lesser(least, of_warps[i]);
      const unsigned record = static_cast<unsigned>(least);
      nearest[picked] = record;
      nearest_distances[picked] = distances[record];
      distances[record] = __builtin_inff();
    }
    __syncthreads();
  }
}
