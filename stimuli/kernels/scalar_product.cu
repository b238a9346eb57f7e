// This kernel computes the scalar products of pairs of vectors. One block computes each pair.
//
// a, b: float[pairs][length]; products: float[pairs], written.
//
// Block: 256 x 1 x 1. Grid: pairs. Deterministic.
//
// Host sequence: scalar_product once.
//
// Source: Golub and Van Loan, Matrix Computations, section 1.1; the sum by a tree: Blelloch, Prefix Sums and
// Their Applications, 1990.
#include "cuda.h"

constexpr unsigned kBlock = 256;

HEDDLE_KERNEL scalar_product(const float* a, const float* b, float* products, unsigned length) {
  __shared__ float sums[kBlock];
  const unsigned thread = threadIdx.x;
  const unsigned first = blockIdx.x * length;
  float sum = 0;
  for (unsigned i = thread; i < length; i += kBlock) sum = fmaf(a[first + i], b[first + i], sum);
  sums[thread] = sum;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) products[blockIdx.x] = sums[0];
}
