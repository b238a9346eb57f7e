// This kernel multiplies a matrix by a vector, y = a * x. Each warp computes one row and adds the sums of its
// lanes with shuffles.
//
// a: float[rows][columns], row by row; x: float[columns]; y: float[rows], written.
//
// Block: 256 x 1 x 1, eight rows. Grid: ceil(rows / 8). Deterministic.
//
// Host sequence: matrix_vector once.
//
// Source: Golub and Van Loan, Matrix Computations, section 1.1 (the row-oriented form).
#include "cuda.h"

HEDDLE_KERNEL matrix_vector(const float* a, const float* x, float* y, unsigned rows, unsigned columns) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
  const unsigned lane = threadIdx.x % kWarpSize;
  if (row >= rows) return;  // the condition is equal for all lanes of a warp
  float sum = 0;
  for (unsigned column = lane; column < columns; column += kWarpSize)
    sum = fmaf(a[row * columns + column], x[column], sum);
  for (unsigned mask = kWarpSize / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  if (lane == 0) y[row] = sum;
}
