// This kernel computes a general matrix product, PolyBench's gemm: c = alpha a b + beta c, with alpha 32412
// and beta 2123.
//
// a, b: float[n][n]. c: float[n][n], changed. The sizes of the matrices are arguments of their own.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: gemm once.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL gemm(const float* a, const float* b, float* c, int ni, int nj, int nk) {
  constexpr float kAlpha = 32412;
  constexpr float kBeta = 2123;
  const int j = thread_x();
  const int i = thread_y();
  if (i >= ni || j >= nj) return;
  c[i * nj + j] *= kBeta;
  for (int k = 0; k < nk; ++k) c[i * nj + j] += kAlpha * a[i * nk + k] * b[k * nj + j];
}
