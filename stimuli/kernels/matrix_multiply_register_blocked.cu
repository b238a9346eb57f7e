// This kernel computes the matrix product c = a * b. A block computes 64 x 64 elements, a thread 4 x 4 of
// them in registers.
//
// a: float[m][k], b: float[k][n], c: float[m][n], row by row; c is written.
//
// Block: 16 x 16 x 1. Grid: ceil(n / 64) x ceil(m / 64). Deterministic.
//
// Host sequence: matrix_multiply_register_blocked once.
//
// Source: Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra, SC 2008.
#include "cuda.h"

constexpr unsigned kSide = 16;             // threads of a block in each dimension
constexpr unsigned kEach = 4;              // elements of a thread in each dimension
constexpr unsigned kTile = kSide * kEach;  // elements of a block in each dimension
constexpr unsigned kDepth = 16;

HEDDLE_KERNEL matrix_multiply_register_blocked(const float* a, const float* b, float* c, unsigned m,
                                               unsigned n, unsigned k) {
  // tile_a is transposed, and padded against bank conflicts of its writes.
  __shared__ float tile_a[kDepth][kTile + 1];
  __shared__ float tile_b[kDepth][kTile];
  const unsigned thread = threadIdx.y * kSide + threadIdx.x;
  const unsigned first_row = blockIdx.y * kTile;
  const unsigned first_column = blockIdx.x * kTile;
  float sums[kEach][kEach] = {};
  for (unsigned first = 0; first < k; first += kDepth) {
    for (unsigned i = thread; i < kTile * kDepth; i += kSide * kSide) {
      const unsigned row = first_row + i / kDepth;
      const unsigned depth = first + i % kDepth;
      tile_a[i % kDepth][i / kDepth] = row < m && depth < k ? a[row * k + depth] : 0;
    }
    for (unsigned i = thread; i < kTile * kDepth; i += kSide * kSide) {
      const unsigned depth = first + i / kTile;
      const unsigned column = first_column + i % kTile;
      tile_b[i / kTile][i % kTile] = depth < k && column < n ? b[depth * n + column] : 0;
    }
    __syncthreads();
    for (unsigned d = 0; d < kDepth; ++d)
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i)
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j)
          sums[i][j] =
              fmaf(tile_a[d][threadIdx.y + i * kSide], tile_b[d][threadIdx.x + j * kSide], sums[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i)
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned row = first_row + threadIdx.y + i * kSide;
      const unsigned column = first_column + threadIdx.x + j * kSide;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
}
