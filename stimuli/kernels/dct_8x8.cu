// This kernel computes the discrete cosine transform (type II, orthonormal) of the 8 x 8 tiles of an image.
//
// image, transform: float[height][width]; transform is written. Both sides are multiples of 8.
//
// Block: 8 x 8 x 1. Grid: width / 8 x height / 8. Deterministic.
//
// Host sequence: dct_8x8 once.
//
// Source: Ahmed, Natarajan and Rao, Discrete Cosine Transform, IEEE Transactions on Computers, 1974.
#include "cuda.h"

constexpr unsigned kSide = 8;

// Row u, column x is sqrt((u == 0 ? 1 : 2) / 8) * cos((2 x + 1) u pi / 16).
__constant__ float basis[kSide][kSide] = {
    {0.353553391F, 0.353553391F, 0.353553391F, 0.353553391F, 0.353553391F, 0.353553391F, 0.353553391F,
     0.353553391F},
    {0.49039264F, 0.415734806F, 0.277785117F, 0.097545161F, -0.097545161F, -0.277785117F, -0.415734806F,
     -0.49039264F},
    {0.461939766F, 0.191341716F, -0.191341716F, -0.461939766F, -0.461939766F, -0.191341716F, 0.191341716F,
     0.461939766F},
    {0.415734806F, -0.097545161F, -0.49039264F, -0.277785117F, 0.277785117F, 0.49039264F, 0.097545161F,
     -0.415734806F},
    {0.353553391F, -0.353553391F, -0.353553391F, 0.353553391F, 0.353553391F, -0.353553391F, -0.353553391F,
     0.353553391F},
    {0.277785117F, -0.49039264F, 0.097545161F, 0.415734806F, -0.415734806F, -0.097545161F, 0.49039264F,
     -0.277785117F},
    {0.191341716F, -0.461939766F, 0.461939766F, -0.191341716F, -0.191341716F, 0.461939766F, -0.461939766F,
     0.191341716F},
    {0.097545161F, -0.277785117F, 0.415734806F, -0.49039264F, 0.49039264F, -0.415734806F, 0.277785117F,
     -0.097545161F},
};

HEDDLE_KERNEL dct_8x8(const float* image, float* transform, unsigned width) {
  __shared__ float tile[kSide][kSide];
  __shared__ float half_way[kSide][kSide];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned at = (blockIdx.y * kSide + y) * width + blockIdx.x * kSide + x;
  tile[y][x] = image[at];
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < kSide; ++i) sum = fmaf(basis[x][i], tile[y][i], sum);
  half_way[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned i = 0; i < kSide; ++i) sum = fmaf(basis[y][i], half_way[i][x], sum);
  transform[at] = sum;
}
