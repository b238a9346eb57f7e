// These kernels compute two matrix products, PolyBench's 2mm: e = a b d.
//
// a, b, d: float[n][n]. c, e: float[n][n], 0 at the start, written: c = a b, e = c d. The sizes of the
// matrices are arguments of their own.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: product_of_a_b, then product_of_c_d.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL product_of_a_b(const float* a, const float* b, float* c, int ni, int nj, int nk) {
  add_product(a, b, c, ni, nj, nk);
}

HEDDLE_KERNEL product_of_c_d(const float* c, const float* d, float* e, int ni, int nj, int nl) {
  add_product(c, d, e, ni, nl, nj);
}
