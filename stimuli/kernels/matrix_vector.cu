// Matrix times vector, y = a * x: a warp for each row, whose lanes' sums meet by shuffles.
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
  if (row >= rows) return;  // whole warps
  float sum = 0;
  for (unsigned column = lane; column < columns; column += kWarpSize)
    sum = fmaf(a[row * columns + column], x[column], sum);
  for (unsigned mask = kWarpSize / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  if (lane == 0) y[row] = sum;
}
