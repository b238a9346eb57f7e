// This kernel multiplies a sparse matrix by a vector, y = a * x. The matrix is in jagged diagonal storage:
// its rows are sorted by descending length, and the first entries of all rows are followed by all second
// entries, and so on.
//
// values: float[entries]. columns: unsigned[entries]. diagonals: unsigned[longest row], index of the first of
// the first, second, ... entries. lengths: unsigned[rows], lengths of the sorted rows. permutation:
// unsigned[rows], original number of each sorted row. x: float[width of the matrix]. y: float[rows], written.
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
