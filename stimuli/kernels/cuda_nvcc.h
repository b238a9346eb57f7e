#pragma once
// What cuda.h declares, for nvcc, which has its own header: the names of this folder that CUDA lacks.

#include <cuda_runtime.h>

#define HEDDLE_DEVICE static __device__ __forceinline__
#define HEDDLE_KERNEL extern "C" __global__ void

using uint8 = unsigned char;
using uint64 = unsigned long long;

constexpr unsigned kWarpSize = 32;

HEDDLE_DEVICE float rsqrt_approx(float a) {
  return rsqrtf(a);
}
HEDDLE_DEVICE float exp_approx(float a) {
  float result;
  asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(a * 1.4426950408889634F));
  return result;
}
HEDDLE_DEVICE float log_approx(float a) {
  float result;
  asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result * 0.6931471805599453F;
}
HEDDLE_DEVICE unsigned float_bits(float a) {
  return __float_as_uint(a);
}
HEDDLE_DEVICE bool any_lane(bool condition) {
  return __any_sync(0xffffffff, condition) != 0;
}
HEDDLE_DEVICE void fence_device() {
  __threadfence();
}
template <class T>
HEDDLE_DEVICE T shuffle_xor(T value, unsigned mask) {
  return __shfl_xor_sync(0xffffffff, value, mask);
}
HEDDLE_DEVICE int shuffle_up(int value, unsigned distance) {
  return __shfl_up_sync(0xffffffff, value, distance);
}
