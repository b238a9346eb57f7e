// These kernels perform Gaussian elimination without pivoting. The first kernel computes the multipliers of a
// column, the second one subtracts the row.
//
// matrix: float[n][n], row by row, changed to upper triangular form; the entries below its diagonal become 0.
// right_side: float[n], changed with it. multipliers: float[n][n]; the entries below the diagonal are
// written. column: the step.
//
// Block: gaussian_multipliers 256 x 1 x 1, gaussian_subtract 16 x 16 x 1. Grid, with r = n - 1 - column rows
// below: gaussian_multipliers ceil(r / 256), gaussian_subtract ceil((r + 1) / 16) x ceil(r / 16).
// Deterministic.
//
// Host sequence: for column = 0 ... n - 2: gaussian_multipliers, then gaussian_subtract.
//
// Source: Golub and Van Loan, Matrix Computations, section 3.2.
#include "cuda.h"

HEDDLE_KERNEL gaussian_multipliers(const float* matrix, float* multipliers, unsigned n, unsigned column) {
  const unsigned row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) multipliers[row * n + column] = matrix[row * n + column] / matrix[column * n + column];
}

HEDDLE_KERNEL gaussian_subtract(float* matrix, float* right_side, const float* multipliers, unsigned n,
                                unsigned column) {
  const unsigned row = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned x = column + blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || x >= n) return;
  const float multiplier = multipliers[row * n + column];
  if (x == column) {
    matrix[row * n + x] = 0;
    right_side[row] -= multiplier * right_side[column];
  } else {
    matrix[row * n + x] -= multiplier * matrix[column * n + x];
  }
}
