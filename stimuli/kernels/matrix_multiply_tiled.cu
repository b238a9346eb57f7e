// This kernel computes the matrix product c = a * b with tiles in shared memory.
//
// a: float[m][k], b: float[k][n], c: float[m][n], row by row; c is written.
//
// Block: 16 x 16 x 1. Grid: ceil(n / 16) x ceil(m / 16). Deterministic.
//
// Host sequence: matrix_multiply_tiled once.
//
// Source: Kirk and Hwu, Programming Massively Parallel Processors, section on tiled multiplication.
#include "cuda.h"

constexpr unsigned kTile = 16;

HEDDLE_KERNEL matrix_multiply_tiled(const float* a, const float* b, float* c, unsigned m, unsigned n,
                                    unsigned k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned row = blockIdx.y * kTile + y;
  const unsigned column = blockIdx.x * kTile + x;
  float sum = 0;
  for (unsigned first = 0; first < k; first += kTile) {
    tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
    tile_b[y][x] = column < n && first + y < k ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (unsigned i = 0; i < kTile; ++i) sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
