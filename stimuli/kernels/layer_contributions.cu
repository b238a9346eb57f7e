// This kernel computes what the sources of a layer of a perceptron contribute to its sinks, 16 sources a
// block. The sums over the blocks are left to the host. perceptron.cu has the same layer with one block per
// sink.
//
// values: float[sources]; sources is a multiple of 16. contributions: float[sources][pitch], whose first 16
// columns have the weights and are changed to weight times value. partial_sums: float[sources / 16][16],
// written: the contributions of 16 sources to each of 16 sinks.
//
// Block: 16 x 16 x 1. Grid: 1 x sources / 16. Deterministic.
//
// Host sequence: layer_contributions.
//
// Source: Rumelhart, Hinton and Williams, Learning Representations by Back-propagating Errors, Nature, 1986.
#include "cuda.h"

constexpr unsigned kTile = 16;

HEDDLE_KERNEL layer_contributions(const float* values, float* contributions, float* partial_sums,
                                  unsigned pitch) {
  __shared__ float sources[kTile];
  __shared__ float tile[kTile][kTile];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned source = blockIdx.y * kTile + y;
  if (x == 0) sources[y] = values[source];
  __syncthreads();
  const float contribution = contributions[source * pitch + x] * sources[y];
  contributions[source * pitch + x] = contribution;
  tile[y][x] = contribution;
  __syncthreads();
  for (unsigned height = 1; height < kTile; height *= 2) {
    if (y % (2 * height) == 0) tile[y][x] += tile[y + height][x];
    __syncthreads();
  }
  if (x == 0) partial_sums[blockIdx.y * kTile + y] = tile[0][y];
}
