// This kernel adds the products of two matrices and a vector, PolyBench's gesummv: y = alpha a x + beta b x,
// with alpha 43532 and beta 12313. Both sums stay in memory.
//
// a, b: float[n][n]. x: float[n]. y, sums: float[n], 0 at the start, written: sums = a x.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: gesummv once.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL gesummv(const float* a, const float* b, const float* x, float* y, float* sums, int n) {
  constexpr float kAlpha = 43532;
  constexpr float kBeta = 12313;
  const int i = thread_x();
  if (i >= n) return;
  for (int j = 0; j < n; ++j) {
    sums[i] += a[i * n + j] * x[j];
    y[i] += b[i * n + j] * x[j];
  }
  y[i] = kAlpha * sums[i] + kBeta * y[i];
}
