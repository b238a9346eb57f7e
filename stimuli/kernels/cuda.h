#pragma once
// This file declares the part of CUDA C that the kernels of this folder use. clang compiles it without any
// file of NVIDIA. Each arithmetic function is a single PTX instruction, except exp_approx and log_approx,
// which also multiply. The functions whose names end in _approx are the approximations of the hardware.
// __syncthreads is built into clang. nvcc, with which scripts/harvest compiles some of the kernels for a
// card and scripts/make_kernels others, takes its own header and cuda_nvcc.h.

#ifdef __NVCC__
#include "stimuli/kernels/cuda_nvcc.h"
#else

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define HEDDLE_DEVICE static inline __attribute__((device, always_inline))
#define HEDDLE_KERNEL extern "C" __global__ void

using uint8 = unsigned char;
using uint64 = unsigned long long;

struct __attribute__((aligned(8))) int2 {
  int x, y;
};

struct __attribute__((aligned(16))) int4 {
  int x, y, z, w;
};

struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};

#define HEDDLE_INDEX(type, x_register, y_register, z_register)                         \
  struct type {                                                                        \
    __device__ static unsigned get_x() { return __nvvm_read_ptx_sreg_##x_register(); } \
    __device__ static unsigned get_y() { return __nvvm_read_ptx_sreg_##y_register(); } \
    __device__ static unsigned get_z() { return __nvvm_read_ptx_sreg_##z_register(); } \
    __declspec(property(get = get_x)) unsigned x;                                      \
    __declspec(property(get = get_y)) unsigned y;                                      \
    __declspec(property(get = get_z)) unsigned z;                                      \
  }
HEDDLE_INDEX(ThreadIndex, tid_x, tid_y, tid_z);
HEDDLE_INDEX(BlockIndex, ctaid_x, ctaid_y, ctaid_z);
HEDDLE_INDEX(BlockShape, ntid_x, ntid_y, ntid_z);
HEDDLE_INDEX(GridShape, nctaid_x, nctaid_y, nctaid_z);
extern const __device__ __attribute__((weak)) ThreadIndex threadIdx;
extern const __device__ __attribute__((weak)) BlockIndex blockIdx;
extern const __device__ __attribute__((weak)) BlockShape blockDim;
extern const __device__ __attribute__((weak)) GridShape gridDim;

constexpr unsigned kWarpSize = 32;

HEDDLE_DEVICE unsigned atomicAdd(unsigned* at, unsigned value) {
  return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(at), static_cast<int>(value)));
}
HEDDLE_DEVICE uint64 atomicAdd(uint64* at, uint64 value) {
  return static_cast<uint64>(
      __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(at), static_cast<long long>(value)));
}
HEDDLE_DEVICE unsigned atomicMin(unsigned* at, unsigned value) {
  return __nvvm_atom_min_gen_ui(at, value);
}
HEDDLE_DEVICE uint64 atomicMin(uint64* at, uint64 value) {
  return __nvvm_atom_min_gen_ull(at, value);
}

HEDDLE_DEVICE float fmaf(float a, float b, float c) {
  return __nvvm_fma_rn_f(a, b, c);
}
HEDDLE_DEVICE double fma(double a, double b, double c) {
  return __nvvm_fma_rn_d(a, b, c);
}
HEDDLE_DEVICE float fminf(float a, float b) {
  return __nvvm_fmin_f(a, b);
}
HEDDLE_DEVICE float fmaxf(float a, float b) {
  return __nvvm_fmax_f(a, b);
}
HEDDLE_DEVICE float fabsf(float a) {
  return __nvvm_fabs_f(a);
}
HEDDLE_DEVICE float sqrtf(float a) {
  return __nvvm_sqrt_rn_f(a);
}
HEDDLE_DEVICE float rsqrt_approx(float a) {
  return __nvvm_rsqrt_approx_f(a);
}
HEDDLE_DEVICE float exp_approx(float a) {
  return __nvvm_ex2_approx_f(a * 1.4426950408889634F);
}
HEDDLE_DEVICE float log_approx(float a) {
  return __nvvm_lg2_approx_f(a) * 0.6931471805599453F;
}

HEDDLE_DEVICE unsigned float_bits(float a) {
  return __builtin_bit_cast(unsigned, a);
}

// Returns whether the condition holds for a lane. All lanes of the warp must execute it.
HEDDLE_DEVICE bool any_lane(bool condition) {
  return __nvvm_vote_any_sync(0xffffffff, condition);
}

// Makes the writes of this thread visible to the other blocks before its later writes.
HEDDLE_DEVICE void fence_device() {
  __nvvm_membar_gl();
}

// The shuffles must be executed by all lanes of the warp.
HEDDLE_DEVICE unsigned shuffle_xor(unsigned value, unsigned mask) {
  unsigned result;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(result) : "r"(value), "r"(mask));
  return result;
}
HEDDLE_DEVICE float shuffle_xor(float value, unsigned mask) {
  return __builtin_bit_cast(float, shuffle_xor(float_bits(value), mask));
}
HEDDLE_DEVICE uint64 shuffle_xor(uint64 value, unsigned mask) {
  const uint64 high = shuffle_xor(static_cast<unsigned>(value >> 32), mask);
  return high << 32 | shuffle_xor(static_cast<unsigned>(value), mask);
}
// Returns the value of the lane that is `distance` lanes lower. The lowest `distance` lanes get their own
// value.
HEDDLE_DEVICE int shuffle_up(int value, unsigned distance) {
  int result;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;" : "=r"(result) : "r"(value), "r"(distance));
  return result;
}

#endif
