// Sparse matrix times vector, y = a * x, in jagged diagonal storage: rows in order of falling length, and all
// their first entries together, then all their second ones, and so on.
//
// values: float[entries], columns: unsigned[entries]; diagonals: unsigned[longest row], where the first,
// second ... entries start; lengths: unsigned[rows], of the rows in their new order; permutation:
// unsigned[rows]: where each of them stood; x: float[width of the matrix]; y: float[rows], written.
//
// Block: 256 x 1 x 1. Grid: ceil(rows / 256). Deterministic.
//
// Host sequence: jds_matrix_vector once.
//
// Source: Saad, Krylov Subspace Methods on Supercomputers, SIAM Journal on Scientific Computing, 1989.
#include "cuda.h"

HEDDLE_KERNEL jds_matrix_vector(const float* values, const unsigned* columns, const unsigned* diagonals,
                                const unsigned* lengths, const unsigned* permutation, const float* x,
                                float* y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (unsigned i = 0; i < lengths[row]; ++i) {
    const unsigned entry = diagonals[i] + row;
    sum = fmaf(values[entry], x[columns[entry]], sum);
  }
  y[permutation[row]] = sum;
}
