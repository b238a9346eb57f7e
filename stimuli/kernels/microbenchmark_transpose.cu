// These kernels transpose a square matrix by tiles of 32 x 32 in shared memory. The rows of a tile are 32
// words apart in transpose_32, so that the lanes of a warp read its columns from one bank, and 33 in
// transpose_33.
//
// from, to: float[width][width]; to is written. width: a multiple of 32.
//
// Block: 32 x 8 x 1. Grid: width / 32 x width / 32. Deterministic.
//
// Host sequence: one of them once.
//
// Source: Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009; microbenchmark_read.cu
// (shared_bank_conflicts).
#include "cuda.h"

constexpr int kTile = 32;
constexpr int kRows = 8;

template <int kPitch>
HEDDLE_DEVICE void transpose(float (&tile)[kTile][kPitch], const float* from, float* to, int width) {
  const int lane = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTile;
  const int top = static_cast<int>(blockIdx.y) * kTile;
  const float* const source = from + (top + row) * width + left + lane;
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) tile[row + i][lane] = source[i * width];
  __syncthreads();
  float* const target = to + (left + row) * width + top + lane;
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) target[i * width] = tile[lane][row + i];
}

HEDDLE_KERNEL transpose_32(const float* from, float* to, int width) {
  __shared__ float tile[kTile][kTile];
  transpose(tile, from, to, width);
}

HEDDLE_KERNEL transpose_33(const float* from, float* to, int width) {
  __shared__ float tile[kTile][kTile + 1];
  transpose(tile, from, to, width);
}
