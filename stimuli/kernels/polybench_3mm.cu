// These kernels compute three matrix products, PolyBench's 3mm: g = (a b) (c d).
//
// a, b, c, d: float[n][n]. e, f, g: float[n][n], 0 at the start, written: e = a b, f = c d, g = e f. The
// sizes of the matrices are arguments of their own.
//
// Block: X x 8 x 1. Grid: ceil(n / X) x ceil(n / 8). Deterministic.
//
// Host sequence: product_of_a_b, product_of_c_d, product_of_e_f.
//
// Source: see polybench.cuh.
#include "polybench.cuh"

HEDDLE_KERNEL product_of_a_b(const float* a, const float* b, float* e, int ni, int nj, int nk) {
  add_product(a, b, e, ni, nj, nk);
}

HEDDLE_KERNEL product_of_c_d(const float* c, const float* d, float* f, int nj, int nl, int nm) {
  add_product(c, d, f, nj, nl, nm);
}

HEDDLE_KERNEL product_of_e_f(const float* e, const float* f, float* g, int ni, int nl, int nj) {
  add_product(e, f, g, ni, nl, nj);
}
