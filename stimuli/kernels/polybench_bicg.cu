// These kernels compute both products of a step of the biconjugate gradient method, PolyBench's bicg: s = a^T
// r, q = a p.
//
// a: float[n][n]. r, p: float[n]. s, q: float[n], written.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: bicg_columns, then bicg_rows.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL bicg_columns(const float* a, const float* r, float* s, int nx, int ny) {
  const int j = thread_x();
  if (j >= ny) return;
  s[j] = 0;
  add_column_product(a, r, s + j, j, nx, ny);
}

HEDDLE_KERNEL bicg_rows(const float* a, const float* p, float* q, int nx, int ny) {
  const int i = thread_x();
  if (i >= nx) return;
  q[i] = 0;
  add_row_product(a, p, q + i, i, ny);
}
