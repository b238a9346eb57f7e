// This kernel convolves an image with 3 x 3 coefficients, PolyBench/GPU's 2DCONV. The edge of the image is
// not written.
//
// a, b: float[n][n]; b is written. The sizes of the image are arguments of their own.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: convolution_2d once.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL convolution_2d(const float* a, float* b, int ni, int nj) {
  const int j = thread_x();
  const int i = thread_y();
  if (i < 1 || i >= ni - 1 || j < 1 || j >= nj - 1) return;
  const auto at = [=](int row, int column) { return a[(i + row) * nj + j + column]; };
  b[i * nj + j] = 0.2F * at(-1, -1) + 0.5F * at(-1, 0) - 0.8F * at(-1, 1) - 0.3F * at(0, -1) +
                  0.6F * at(0, 0) - 0.9F * at(0, 1) + 0.4F * at(1, -1) + 0.7F * at(1, 0) + 0.1F * at(1, 1);
}
