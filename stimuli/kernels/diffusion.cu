// These kernels perform speckle-reducing anisotropic diffusion of an image. The first kernel computes the
// diffusion coefficients, the second one diffuses.
//
// image: float[rows][columns], positive, changed in place. coefficients: float[rows][columns], and gradients:
// float[4][rows][columns], to the north, south, west and east; the first kernel writes both. speckle: squared
// coefficient of variation of the speckle. rate: size of a step. Points beyond the edge of the image have the
// value of the nearest point.
//
// Block: 16 x 16 x 1. Grid: ceil(columns / 16) x ceil(rows / 16). Deterministic.
//
// Host sequence: `steps` times diffusion_coefficients, then diffusion_update.
//
// Source: Yu and Acton, Speckle Reducing Anisotropic Diffusion, IEEE Transactions on Image Processing, 2002.
#include "cuda.h"

HEDDLE_KERNEL diffusion_coefficients(const float* image, float* coefficients, float* gradients, unsigned rows,
                                     unsigned columns, float speckle) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const unsigned at = row * columns + column;
  const unsigned points = rows * columns;
  const float own = image[at];
  const float north = (row > 0 ? image[at - columns] : own) - own;
  const float south = (row + 1 < rows ? image[at + columns] : own) - own;
  const float west = (column > 0 ? image[at - 1] : own) - own;
  const float east = (column + 1 < columns ? image[at + 1] : own) - own;
  gradients[at] = north;
  gradients[at + points] = south;
  gradients[at + 2 * points] = west;
  gradients[at + 3 * points] = east;
  const float steepness = (north * north + south * south + west * west + east * east) / (own * own);
  const float curvature = (north + south + west + east) / own;
  const float base = 1 + 0.25F * curvature;
  const float variation = (0.5F * steepness - 0.0625F * curvature * curvature) / (base * base);
  const float coefficient = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
  coefficients[at] = fminf(fmaxf(coefficient, 0), 1);
}

HEDDLE_KERNEL diffusion_update(float* image, const float* coefficients, const float* gradients, unsigned rows,
                               unsigned columns, float rate) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const unsigned at = row * columns + column;
  const unsigned points = rows * columns;
  const float own = coefficients[at];
  const float south = row + 1 < rows ? coefficients[at + columns] : own;
  const float east = column + 1 < columns ? coefficients[at + 1] : own;
  const float divergence = own * gradients[at] + south * gradients[at + points] +
                           own * gradients[at + 2 * points] + east * gradients[at + 3 * points];
  image[at] += 0.25F * rate * divergence;
}
