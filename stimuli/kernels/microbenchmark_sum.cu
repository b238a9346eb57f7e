// This kernel adds five arrays, of which each thread has a vector of four numbers of each in flight: the
// bandwidth of DRAM, five parts read and one written.
//
// a, b, c, d, e: float4[n]. sums: float4[n], written.
//
// Block: X x 1 x 1. Grid: any. Deterministic.
//
// Host sequence: once.
//
// Source: see microbenchmark_read.cu (mem_bw).
#include "cuda.h"

HEDDLE_DEVICE float4 operator+(const float4& one, const float4& other) {
  return {one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w};
}

HEDDLE_KERNEL microbenchmark_sum(const float4* a, const float4* b, const float4* c, const float4* d,
                                 const float4* e, float4* sums, int n) {
  const int threads = static_cast<int>(blockDim.x * gridDim.x);
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads)
    sums[i] = a[i] + b[i] + c[i] + d[i] + e[i];
  __syncthreads();
}
