// These kernels multiply a matrix and its transpose with a vector, PolyBench's atax: y = a^T (a x).
//
// a: float[n][n]. x: float[n]. products, y: float[n], 0 at the start, written: products = a x, y = a^T
// products.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: atax_rows, then atax_columns.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL atax_rows(const float* a, const float* x, float* products, int nx, int ny) {
  const int i = thread_x();
  if (i < nx) add_row_product(a, x, products + i, i, ny);
}

HEDDLE_KERNEL atax_columns(const float* a, float* y, const float* products, int nx, int ny) {
  const int j = thread_x();
  if (j < ny) add_column_product(a, products, y + j, j, nx, ny);
}
