// This kernel computes the scalar products of pairs of vectors. A block adds each pair in four accumulators
// for each of its threads, which lie in shared memory, and adds the accumulators by a tree.
//
// a, b: float[pairs][length]; products: float[pairs], written.
//
// Block: T x 1 x 1, with 16 * T bytes of dynamic shared memory. Grid: any; the blocks stride over the pairs.
// Deterministic for a given T. Where every sum of products is exact, the results are the same for every T.
//
// Host sequence: scalar_product_accumulators once.
//
// Source: scalarProd of the CUDA SDK (accumulators in shared memory, then a tree); the tree: Blelloch, Prefix
// Sums and Their Applications, 1990.
#include "cuda.h"

constexpr unsigned kEach = 4;  // accumulators of a thread

HEDDLE_KERNEL scalar_product_accumulators(const float* a, const float* b, float* products, unsigned pairs,
                                          unsigned length) {
  extern __shared__ float sums[];
  const unsigned thread = threadIdx.x;
  const unsigned accumulators = kEach * blockDim.x;
  for (unsigned pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    const float* const left = a + pair * length;
    const float* const right = b + pair * length;
#pragma unroll 1
    for (unsigned accumulator = thread; accumulator < accumulators; accumulator += blockDim.x) {
      float sum = 0;
      for (unsigned i = accumulator; i < length; i += accumulators) sum = fmaf(left[i], right[i], sum);
      sums[accumulator] = sum;
    }
#pragma unroll 1
    for (unsigned left_over = accumulators; left_over > 1;) {
      const unsigned half = (left_over + 1) / 2;
      __syncthreads();
#pragma unroll 1
      for (unsigned i = thread; i + half < left_over; i += blockDim.x) sums[i] += sums[i + half];
      left_over = half;
    }
    if (thread == 0) products[pair] = sums[0];
    __syncthreads();
  }
}
