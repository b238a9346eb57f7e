// This kernel computes the discrete cosine transform (type II, orthonormal) of the 8 x 8 tiles of an image,
// with eight threads for each tile and several tiles in a block at once. A thread copies a column of its tile
// to shared memory, transforms a row and then a column of it in registers, and copies a column to the result.
// It loads its column of the next tile into registers before it transforms this one.
//
// image, transform: float[height][width]; transform is written. Both sides are multiples of 8. tiles: how
// many the image has.
//
// Block: T x 1 x 1, T a multiple of 8, with 36 * T bytes of dynamic shared memory. Grid: any; blocks stride
// over the tiles. Deterministic; the results are the same for every T and grid.
//
// Host sequence: dct_tiles once.
//
// Source: Ahmed, Natarajan and Rao, Discrete Cosine Transform, IEEE Transactions on Computers, 1974; the
// factorisation into even and odd parts: Chen, Smith and Fralick, IEEE Transactions on Communications, 1977.
// Blocks of tiles in shared memory with a row or column for each thread: dct8x8 of the CUDA SDK.
#include "cuda.h"

constexpr unsigned kSide = 8;
constexpr unsigned kPitch = kSide + 1;  // words of a row, so that rows and columns have no conflicts
constexpr unsigned kTileWords = kSide * kPitch;

// kHalfCosines[k] is cos(k pi / 16) / 2. The factor of the constant coefficient is that of k = 4.
constexpr float kHalfCosines[kSide] = {0.5F,         0.49039264F,  0.461939766F, 0.415734806F,
                                       0.353553391F, 0.277785117F, 0.191341716F, 0.097545161F};

// Transforms eight values that lie `stride` words apart.
HEDDLE_DEVICE void transform_line(float* line, unsigned stride) {
  constexpr const float* c = kHalfCosines;
  float sum[kSide / 2];
  float difference[kSide / 2];
  for (unsigned i = 0; i < kSide / 2; ++i) {
    const float near = line[i * stride];
    const float far = line[(kSide - 1 - i) * stride];
    sum[i] = near + far;
    difference[i] = near - far;
  }
  const float outer = sum[0] + sum[3];
  const float inner = sum[1] + sum[2];
  const float rising = sum[0] - sum[3];
  const float falling = sum[1] - sum[2];
  line[0 * stride] = (outer + inner) * c[4];
  line[4 * stride] = (outer - inner) * c[4];
  line[2 * stride] = fmaf(rising, c[2], falling * c[6]);
  line[6 * stride] = fmaf(rising, c[6], -falling * c[2]);
  const float a = difference[0];
  const float b = difference[1];
  const float d = difference[2];
  const float e = difference[3];
  line[1 * stride] = fmaf(a, c[1], fmaf(b, c[3], fmaf(d, c[5], e * c[7])));
  line[3 * stride] = fmaf(a, c[3], fmaf(b, -c[7], fmaf(d, -c[1], -e * c[5])));
  line[5 * stride] = fmaf(a, c[5], fmaf(b, -c[1], fmaf(d, c[7], e * c[3])));
  line[7 * stride] = fmaf(a, c[7], fmaf(b, -c[5], fmaf(d, c[3], -e * c[1])));
}

HEDDLE_KERNEL dct_tiles(const float* image, float* transform, unsigned width, unsigned tiles) {
  extern __shared__ float words[];
  const unsigned thread = threadIdx.x;
  const unsigned place = thread % kSide;
  const unsigned across = width / kSide;
  const unsigned step = gridDim.x * blockDim.x / kSide;  // tiles that all blocks transform at once
  float* const own = words + thread / kSide * kTileWords;
  unsigned tile = (blockIdx.x * blockDim.x + thread) / kSide;
  unsigned first = tile / across * kSide * width + tile % across * kSide + place;
  float next[kSide];
  if (tile < tiles)
    for (unsigned i = 0; i < kSide; ++i) next[i] = image[first + i * width];
      // All threads of a block take as many rounds as its first one, so that they meet at the barriers.
#pragma unroll 1
  for (unsigned leader = blockIdx.x * blockDim.x / kSide; leader < tiles; leader += step) {
    const bool is_inside = tile < tiles;
    const unsigned here = first;
    if (is_inside)
      for (unsigned i = 0; i < kSide; ++i) own[i * kPitch + place] = next[i];
    tile += step;
    first = tile / across * kSide * width + tile % across * kSide + place;
    if (tile < tiles)
      for (unsigned i = 0; i < kSide; ++i) next[i] = image[first + i * width];
    __syncthreads();
    if (is_inside) transform_line(own + place * kPitch, 1);
    __syncthreads();
    if (is_inside) transform_line(own + place, kPitch);
    __syncthreads();
    if (is_inside)
      for (unsigned i = 0; i < kSide; ++i) transform[here + i * width] = own[i * kPitch + place];
  }
}
