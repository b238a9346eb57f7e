#pragma once
// The device functions of CUDA that the programs here use and stimuli/kernels/cuda.h does not have. Functions
// whose names begin with two underscores and end in f are the approximations of the hardware, as in CUDA.

#include <cstddef>

#include "stimuli/kernels/cuda.h"

constexpr unsigned kAllLanes = 0xffffffffu;

// Shuffles.
HEDDLE_DEVICE int __shfl_sync(unsigned lanes, int value, int from) {
  return __nvvm_shfl_sync_idx_i32(lanes, value, from, 31);
}
HEDDLE_DEVICE int __shfl_up_sync(unsigned lanes, int value, unsigned distance) {
  return __nvvm_shfl_sync_up_i32(lanes, value, static_cast<int>(distance), 0);
}
HEDDLE_DEVICE int __shfl_down_sync(unsigned lanes, int value, unsigned distance) {
  return __nvvm_shfl_sync_down_i32(lanes, value, static_cast<int>(distance), 31);
}
HEDDLE_DEVICE int __shfl_xor_sync(unsigned lanes, int value, int mask) {
  return __nvvm_shfl_sync_bfly_i32(lanes, value, mask, 31);
}
HEDDLE_DEVICE float __shfl_down_sync(unsigned lanes, float value, unsigned distance) {
  return __nvvm_shfl_sync_down_f32(lanes, value, static_cast<int>(distance), 31);
}

// Votes.
HEDDLE_DEVICE unsigned __ballot_sync(unsigned lanes, int condition) {
  return __nvvm_vote_ballot_sync(lanes, condition != 0);
}
HEDDLE_DEVICE int __any_sync(unsigned lanes, int condition) {
  return static_cast<int>(__nvvm_vote_any_sync(lanes, condition != 0));
}
HEDDLE_DEVICE int __all_sync(unsigned lanes, int condition) {
  return static_cast<int>(__nvvm_vote_all_sync(lanes, condition != 0));
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned lanes, unsigned value) {
  unsigned same;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(value), "r"(lanes));
  return same;
}

// Atomics.
HEDDLE_DEVICE int atomicAdd(int* at, int value) {
  return __nvvm_atom_add_gen_i(at, value);
}
HEDDLE_DEVICE float atomicAdd(float* at, float value) {
  return __nvvm_atom_add_gen_f(at, value);
}
HEDDLE_DEVICE int atomicMin(int* at, int value) {
  return __nvvm_atom_min_gen_i(at, value);
}
HEDDLE_DEVICE int atomicMax(int* at, int value) {
  return __nvvm_atom_max_gen_i(at, value);
}
HEDDLE_DEVICE int atomicExch(int* at, int value) {
  return __nvvm_atom_xchg_gen_i(at, value);
}
HEDDLE_DEVICE int atomicCAS(int* at, int compare, int value) {
  return __nvvm_atom_cas_gen_i(at, compare, value);
}
HEDDLE_DEVICE void __threadfence() {
  __nvvm_membar_gl();
}

// Bits and arithmetic.
HEDDLE_DEVICE int __popc(unsigned value) {
  return __builtin_popcount(value);
}
HEDDLE_DEVICE int __ffs(int value) {
  return __builtin_ffs(value);
}
HEDDLE_DEVICE float __expf(float a) {
  return exp_approx(a);
}
HEDDLE_DEVICE float __logf(float a) {
  return log_approx(a);
}
HEDDLE_DEVICE float __sinf(float a) {
  return __nvvm_sin_approx_f(a);
}
HEDDLE_DEVICE float __cosf(float a) {
  return __nvvm_cos_approx_f(a);
}

// What a kernel calls as a program on the host does.
extern "C" {
__device__ int printf(const char* format, ...);
__device__ void* malloc(std::size_t bytes);
__device__ void free(void* pointer);
__device__ __attribute__((noreturn)) void __assertfail(const char* condition, const char* file, unsigned line,
                                                       const char* function, std::size_t bytes);
__device__ __attribute__((noreturn)) static inline void __assert_fail(const char* condition, const char* file,
                                                                      unsigned line, const char* function) {
  __assertfail(condition, file, line, function, 1);
}
}
