// This kernel copies a matrix through tiles of 32 x 32 in shared memory. It is the second kernel of the CUDA
// SDK's transpose, with which that program compares its transpositions.
//
// from, to: float[height][width]; to is written; width and height are multiples of 32.
//
// Block: 32 x 16 x 1; a thread copies two elements. Grid: width / 32 x height / 32. Deterministic.
//
// Host sequence: copy_tiles once.
//
// Source: transpose of the CUDA SDK (the work of a thread).
#include "cuda.h"

constexpr int kTile = 32;
constexpr int kRows = 16;

HEDDLE_KERNEL copy_tiles(float* to, const float* from, int width, int height) {
  __shared__ float tile[kTile][kTile];
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  const int at = row * width + column;
  const bool inside = column < width && row < height;
  for (int i = 0; i < kTile; i += kRows)
    if (inside) tile[threadIdx.y + i][threadIdx.x] = from[at + i * width];
  __syncthreads();
  for (int i = 0; i < kTile; i += kRows)
    if (inside) to[at + i * width] = tile[threadIdx.y + i][threadIdx.x];
}
