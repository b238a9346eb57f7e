// This kernel convolves one plane of a cube with 15 coefficients at 11 places, PolyBench/GPU's 3DCONV. The
// faces of the cube are not written.
//
// a, b: float[n][n][n]; b is written. The sizes of the cube are arguments of their own. plane: the plane of
// the launch.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: for plane = 1 ... n - 2: convolution_3d.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL convolution_3d(const float* a, float* b, int plane, int ni, int nj, int nk) {
  const int k = thread_x();
  const int j = thread_y();
  if (plane < 1 || plane >= ni - 1 || j < 1 || j >= nj - 1 || k < 1 || k >= nk - 1) return;
  const auto at = [=](int depth, int row, int column) {
    return a[(plane + depth) * (nk * nj) + (j + row) * nk + k + column];
  };
  b[plane * (nk * nj) + j * nk + k] =
      2 * at(-1, -1, -1) + 4 * at(1, -1, -1) + 5 * at(-1, -1, -1) + 7 * at(1, -1, -1) - 8 * at(-1, -1, -1) +
      10 * at(1, -1, -1) - 3 * at(0, -1, 0) + 6 * at(0, 0, 0) - 9 * at(0, 1, 0) + 2 * at(-1, -1, 1) +
      4 * at(1, -1, 1) + 5 * at(-1, 0, 1) + 7 * at(1, 0, 1) - 8 * at(-1, 1, 1) + 10 * at(1, 1, 1);
}
