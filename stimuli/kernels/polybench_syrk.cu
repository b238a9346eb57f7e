// This kernel updates a symmetric matrix by a product of rank n, PolyBench's syrk: c = alpha a a^T + beta c,
// with alpha 12435 and beta 4546. Threads that follow each other read rows of a that follow each other.
//
// a: float[n][n]. c: float[n][n], changed. The sizes of the matrices are arguments of their own.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: syrk once.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL syrk(const float* a, float* c, int n, int m) {
  constexpr float kAlpha = 12435;
  constexpr float kBeta = 4546;
  const int j = thread_x();
  const int i = thread_y();
  if (i >= n || j >= n) return;
  c[i * n + j] *= kBeta;
  for (int k = 0; k < m; ++k) c[i * n + j] += kAlpha * a[i * m + k] * a[j * m + k];
}
