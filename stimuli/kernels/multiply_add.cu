// This kernel computes: each thread has four chains of multiply-add operations that do not depend on each
// other. It loads nothing. Without rounds and without sums it is a kernel that does nothing.
//
// sums: float[n], written: the sum of the four chains of each of the first n threads.
//
// Block: any. Grid: any. Deterministic.
//
// Host sequence: multiply_add once.
//
// Source: Williams, Waterman and Patterson, Roofline, 2009 (the ceiling of arithmetic).
#include "cuda.h"

HEDDLE_KERNEL multiply_add(float* sums, unsigned n, unsigned rounds, float factor) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float a = static_cast<float>(thread);
  float b = a + 1;
  float c = a + 2;
  float d = a + 3;
#pragma unroll 8
  for (unsigned i = 0; i < rounds; ++i) {
    a = fmaf(a, factor, 1);
    b = fmaf(b, factor, 1);
    c = fmaf(c, factor, 1);
    d = fmaf(d, factor, 1);
  }
  if (thread < n) sums[thread] = (a + b) + (c + d);
}
