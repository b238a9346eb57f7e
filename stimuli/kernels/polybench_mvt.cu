// These kernels multiply a matrix and its transpose with two vectors, PolyBench's mvt: x1 = x1 + a y1,
// x2 = x2 + a^T y2.
//
// a: float[n][n]. y1, y2: float[n]. x1, x2: float[n], changed.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: mvt_rows, then mvt_columns.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL mvt_rows(const float* a, float* x1, const float* y1, int n) {
  const int i = thread_x();
  if (i < n) add_row_product(a, y1, x1 + i, i, n);
}

HEDDLE_KERNEL mvt_columns(const float* a, float* x2, const float* y2, int n) {
  const int j = thread_x();
  if (j < n) add_column_product(a, y2, x2 + j, j, n, n);
}
