// This kernel adds vectors: c = a + b.
//
// a, b, c: float[n]; c is written.
//
// Block: 256 x 1 x 1. Grid: ceil(n / 256). Deterministic.
//
// Host sequence: vector_add once.
//
// Source: the first example of any text on data parallelism, see Kirk and Hwu, Programming Massively
// Parallel Processors, chapter 2.
#include "cuda.h"

HEDDLE_KERNEL vector_add(const float* a, const float* b, float* c, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
