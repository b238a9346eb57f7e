// These kernels perform steps of a Gaussian elimination without pivoting, as Rodinia's gaussian does. The
// first kernel computes the multipliers of a column, the second one subtracts the row, a thread for each
// element of the matrix.
//
// matrix: float[n][n], row by row, changed. right_side: float[n], changed with it. multipliers: float[n][n];
// the entries below the diagonal are written for the columns of the steps. column: the step.
//
// Block: X x 1 x 1. Grid: column_multipliers ceil(n / X), subtract_row ceil(n / X) x n. Deterministic.
//
// Host sequence: for column = 0 ... steps - 1: column_multipliers, then subtract_row.
//
// Source: Golub and Van Loan, Matrix Computations, section 3.2; gaussian of Rodinia (the work of a thread).
#include "cuda.h"

HEDDLE_KERNEL column_multipliers(float* multipliers, const float* matrix, int n, int column) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n - 1 - column) return;
  const int row = column + 1 + i;
  multipliers[row * n + column] = matrix[row * n + column] / matrix[column * n + column];
}

HEDDLE_KERNEL subtract_row(const float* multipliers, float* matrix, float* right_side, int n, int column) {
  const int i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n - 1 - column || j >= n - column) return;
  const int row = column + 1 + i;
  const int x = column + j;
  matrix[row * n + x] -= multipliers[row * n + column] * matrix[column * n + x];
  if (j == 0) right_side[row] -= multipliers[row * n + column] * right_side[column];
}
