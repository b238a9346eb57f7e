// This kernel computes a two-point angular correlation: it counts the pairs of points on a sphere by their
// distance. A block takes 128 points of the first set and reads the second set in tiles in shared memory.
//
// x, y, z: float[n], unit vectors of the first set. other_x, other_y, other_z: float[other_n], those of the
// second set. same: 1 if both are one set, 0 otherwise; within one set each pair counts once, and no point is
// paired with itself. limits: constant float[64] of the module, copied from a buffer of that name; limits[i]
// is the least cosine of bin i. There are `bins` limits, at most 63, in descending order. counts: unsigned
// long long[bins + 1], written; at the start 0. Its last element counts the pairs beyond all limits.
//
// Block: 128 x 1 x 1. Grid: ceil(n / 128). Deterministic.
//
// Host sequence: copy limits; two_point_correlation once for each pair of sets, with separate counts: data
// with itself, data with random points, random points with themselves.
//
// Source: Landy and Szalay, Bias and Variance of Angular Correlation Functions, 1993.
#include "cuda.h"

constexpr unsigned kBlock = 128;
constexpr unsigned kMostBins = 64;

__constant__ float limits[kMostBins];

// Returns the first bin whose limit the cosine reaches, by binary search; `bins` if it reaches none.
HEDDLE_DEVICE unsigned bin_of(float cosine, unsigned bins) {
  unsigned low = 0;
  unsigned high = bins;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (cosine >= limits[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

HEDDLE_KERNEL two_point_correlation(const float* x, const float* y, const float* z, const float* other_x,
                                    const float* other_y, const float* other_z, uint64* counts, unsigned n,
                                    unsigned other_n, unsigned bins, unsigned same) {
  __shared__ float tile[3][kBlock];
  __shared__ unsigned of_block[kMostBins];
  const unsigned thread = threadIdx.x;
  const unsigned point = blockIdx.x * kBlock + thread;
  if (thread < kMostBins) of_block[thread] = 0;
  const float own_x = point < n ? x[point] : 0;
  const float own_y = point < n ? y[point] : 0;
  const float own_z = point < n ? z[point] : 0;
  for (unsigned first = same ? blockIdx.x * kBlock : 0; first < other_n; first += kBlock) {
    __syncthreads();
    if (first + thread < other_n) {
      tile[0][thread] = other_x[first + thread];
      tile[1][thread] = other_y[first + thread];
      tile[2][thread] = other_z[first + thread];
    }
    __syncthreads();
    const unsigned count = other_n - first < kBlock ? other_n - first : kBlock;
    for (unsigned i = 0; i < count && point < n; ++i) {
      if (same && first + i <= point) continue;
      const float cosine = fmaf(own_x, tile[0][i], fmaf(own_y, tile[1][i], own_z * tile[2][i]));
      atomicAdd(&of_block[bin_of(cosine, bins)], 1U);
    }
  }
  __syncthreads();
  if (thread <= bins && of_block[thread] > 0)
    atomicAdd(&counts[thread], static_cast<uint64>(of_block[thread]));
}
