// This kernel computes the scalar products of pairs of vectors, as the CUDA SDK's scalarProd does: 1024
// accumulators of a block lie in shared memory and are added by a tree.
//
// a, b: float[pairs][length]; products: float[pairs], written.
//
// Block: any; 256 x 1 x 1 in the SDK. Grid: any, 128 in the SDK; the blocks stride over the pairs.
// Deterministic.
//
// Host sequence: scalar_products once.
//
// Source: Golub and Van Loan, Matrix Computations, section 1.1; scalarProd of the CUDA SDK (the work of a
// thread).
#include "cuda.h"

constexpr int kAccumulators = 1024;

HEDDLE_KERNEL scalar_products(float* products, const float* a, const float* b, int pairs, int length) {
  __shared__ float sums[kAccumulators];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (int pair = static_cast<int>(blockIdx.x); pair < pairs; pair += static_cast<int>(gridDim.x)) {
    const int first = pair * length;
    const int end = first + length;
    for (int accumulator = thread; accumulator < kAccumulators; accumulator += threads) {
      float sum = 0;
      for (int i = first + accumulator; i < end; i += kAccumulators) sum += a[i] * b[i];
      sums[accumulator] = sum;
    }
    for (int half = kAccumulators / 2; half > 0; half /= 2) {
      __syncthreads();
      for (int i = thread; i < half; i += threads) sums[i] += sums[half + i];
    }
    __syncthreads();
    if (thread == 0) products[pair] = sums[0];
  }
}
