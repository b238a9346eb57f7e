// These kernels read an array again and again, and each thread sums what it reads: the bandwidth of L1, or of
// L2. At round r a thread starts 32 r elements behind its own for each load of a round, so that a warp reads
// what another warp of the block has read one round before.
//
// read_l1_{bits}_{loads}: `loads` loads of `bits` bits a thread and round, a warp's width apart, through L1;
// the array starts again behind element n, a power of two. microbenchmark_read_past_l1: one load of 32 bits a
// round through L1, without a start again, so that L1 misses where the array is longer. read_l2_{bits}_1: one
// load a round from L2, without a start again. All first read the array once.
//
// values: n elements of one, two or four floats; a load of the last warp may pass the end by less than a
// warp's width for each load. Where the array does not start again, n is the number of threads and 32 times
// the rounds. sums: float[number of threads], written.
//
// Block: 1024 x 1 x 1. Grid: 1, or as many as there shall be for read_l2. Deterministic.
//
// Host sequence: one of them once.
//
// Source: Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018; GPU
// Microbenchmark of Accel-Sim's collection (the accesses of l1_bw_*, l2_bw_*).
#include "cuda.h"

// Loads that stay where they are written, with the operators of the PTX ISA: .ca caches in L1 and L2, .cg in
// L2.
HEDDLE_DEVICE float load_l1(const float* at) {
  float value;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(at) : "memory");
  return value;
}

HEDDLE_DEVICE float2 load_l1(const float2* at) {
  float2 value;
  asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(at) : "memory");
  return value;
}

HEDDLE_DEVICE float4 load_l1(const float4* at) {
  float4 value;
  asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(at)
               : "memory");
  return value;
}

HEDDLE_DEVICE float load_l2(const float* at) {
  float value;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(at) : "memory");
  return value;
}

HEDDLE_DEVICE float2 load_l2(const float2* at) {
  float2 value;
  asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "l"(at) : "memory");
  return value;
}

HEDDLE_DEVICE void add(float& sum, float value) {
  sum += value;
}

HEDDLE_DEVICE void add(float2& sum, const float2& value) {
  sum.x += value.x;
  sum.y += value.y;
}

HEDDLE_DEVICE void add(float4& sum, const float4& value) {
  sum.x += value.x;
  sum.y += value.y;
  sum.z += value.z;
  sum.w += value.w;
}

HEDDLE_DEVICE float total(float sum) {
  return sum;
}

HEDDLE_DEVICE float total(const float2& sum) {
  return sum.x + sum.y;
}

HEDDLE_DEVICE float total(const float4& sum) {
  return (sum.x + sum.y) + (sum.z + sum.w);
}

// Reads with kLoads loads a round. n: in elements of type T.
template <unsigned kLoads, class T>
HEDDLE_DEVICE void read_l1(const T* values, float* sums, unsigned n, unsigned rounds) {
  T sum[kLoads] = {};
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) add(sum[0], load_l1(values + i));
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round) {
    const T* const at = values + ((threadIdx.x + round * kWarpSize * kLoads) & (n - 1));
    T found[kLoads];
#pragma unroll
    for (unsigned load = 0; load < kLoads; ++load) found[load] = load_l1(at + load * kWarpSize);
#pragma unroll
    for (unsigned load = 0; load < kLoads; ++load) add(sum[load], found[load]);
  }
  __syncthreads();
#pragma unroll
  for (unsigned load = 1; load < kLoads; ++load) add(sum[0], sum[load]);
  sums[threadIdx.x] = total(sum[0]);
}

HEDDLE_KERNEL read_l1_32_4(const float* values, float* sums, unsigned n, unsigned rounds) {
  read_l1<4>(values, sums, n, rounds);
}

HEDDLE_KERNEL read_l1_32_1(const float* values, float* sums, unsigned n, unsigned rounds) {
  read_l1<1>(values, sums, n, rounds);
}

HEDDLE_KERNEL read_l1_64_2(const float2* values, float* sums, unsigned n, unsigned rounds) {
  read_l1<2>(values, sums, n, rounds);
}

HEDDLE_KERNEL read_l1_128_1(const float4* values, float* sums, unsigned n, unsigned rounds) {
  read_l1<1>(values, sums, n, rounds);
}

HEDDLE_KERNEL microbenchmark_read_past_l1(const float* values, float* sums, unsigned n, unsigned rounds) {
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += load_l1(values + i);
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round) sum += load_l1(values + threadIdx.x + round * kWarpSize);
  __syncthreads();
  sums[threadIdx.x] = sum;
}

template <class T>
HEDDLE_DEVICE void read_l2(const T* values, float* sums, unsigned n, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = {};
  for (unsigned i = thread; i < n; i += blockDim.x * gridDim.x) add(sum, load_l2(values + i));
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round) add(sum, load_l2(values + round * kWarpSize + thread));
  __syncthreads();
  sums[thread] = total(sum);
}

HEDDLE_KERNEL read_l2_32_1(const float* values, float* sums, unsigned n, unsigned rounds) {
  read_l2(values, sums, n, rounds);
}

HEDDLE_KERNEL read_l2_64_1(const float2* values, float* sums, unsigned n, unsigned rounds) {
  read_l2(values, sums, n, rounds);
}
