// This kernel computes the triad a = b + scale * c in double precision with one rounding per element.
//
// a, b, c: double[n]; a is written.
//
// Block: 256 x 1 x 1. Grid: any; the threads stride over the vectors. Deterministic.
//
// Host sequence: triad once.
//
// Source: McCalpin, Memory Bandwidth and Machine Balance in Current High Performance Computers, 1995
// (STREAM).
#include "cuda.h"

HEDDLE_KERNEL triad(double* a, const double* b, const double* c, double scale, unsigned n) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) a[i] = fma(scale, c[i], b[i]);
}
