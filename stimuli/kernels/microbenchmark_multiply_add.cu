// This kernel multiplies two integers and adds the product, four times a round, each time to the sum before.
//
// a, b: int[number of threads]. sums: int[number of threads], written. Sums wrap around.
//
// Block: X x 1 x 1. Grid: any. Deterministic.
//
// Host sequence: once.
//
// Source: see microbenchmark_read.cu (MaxIops_int32).
#include "cuda.h"

HEDDLE_DEVICE void add_product(int& sum, int a, int b) {
  asm volatile("mad.lo.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
}

HEDDLE_KERNEL microbenchmark_multiply_add(const int* a, const int* b, int* sums, int rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int left = a[thread];
  const int right = b[thread];
  int sum = 0;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 4; ++i) add_product(sum, left, right);
  }
  __syncthreads();
  sums[thread] = sum;
}
