// This kernel computes a five-point stencil: the new value of an inner point is
// center * its value + neighbor * the sum of its four neighbours.
//
// source, destination: float[height][width]; destination is written. Points of the border keep their value.
//
// Block: 16 x 16 x 1. Grid: ceil(width / 16) x ceil(height / 16). Deterministic.
//
// Host sequence: stencil_5_point `steps` times; source and destination are swapped after each, so that the
// last values are in `destination` after an odd number of steps and in `source` after an even one.
//
// Source: Datta et al., Stencil Computation Optimization and Auto-tuning, SC 2008.
#include "cuda.h"

constexpr unsigned kTile = 16;

HEDDLE_KERNEL stencil_5_point(const float* source, float* destination, unsigned width, unsigned height,
                              float center, float neighbor) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  const unsigned y = blockIdx.y * kTile + threadIdx.y;
  const unsigned i = threadIdx.x + 1;
  const unsigned j = threadIdx.y + 1;
  const bool inside = x < width && y < height;
  const unsigned at = y * width + x;
  if (inside) {
    tile[j][i] = source[at];
    if (i == 1 && x > 0) tile[j][0] = source[at - 1];
    if (i == kTile && x + 1 < width) tile[j][kTile + 1] = source[at + 1];
    if (j == 1 && y > 0) tile[0][i] = source[at - width];
    if (j == kTile && y + 1 < height) tile[kTile + 1][i] = source[at + width];
  }
  __syncthreads();
  if (!inside) return;
  float value = tile[j][i];
  if (x > 0 && x + 1 < width && y > 0 && y + 1 < height)
    value = fmaf(center, value,
                 neighbor * ((tile[j - 1][i] + tile[j + 1][i]) + (tile[j][i - 1] + tile[j][i + 1])));
  destination[at] = value;
}
