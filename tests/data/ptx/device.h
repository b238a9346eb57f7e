#pragma once
// What these kernels need of CUDA, for a compiler that has no CUDA headers.

#ifdef __NVCC__
#define TID_X threadIdx.x
#define TID_Y threadIdx.y
#define NTID_X blockDim.x
#define CTAID_X blockIdx.x
#define CTAID_Y blockIdx.y
#define BARRIER __syncthreads
#define SHUFFLE_DOWN(value, delta) __shfl_down_sync(0xffffffff, value, delta)
#define BALLOT(condition) __ballot_sync(0xffffffff, condition)
#define FENCE __threadfence
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(threads, blocks) __attribute__((launch_bounds(threads, blocks)))
#define TID_X __nvvm_read_ptx_sreg_tid_x()
#define TID_Y __nvvm_read_ptx_sreg_tid_y()
#define NTID_X __nvvm_read_ptx_sreg_ntid_x()
#define CTAID_X __nvvm_read_ptx_sreg_ctaid_x()
#define CTAID_Y __nvvm_read_ptx_sreg_ctaid_y()
#define BARRIER __syncthreads
#define SHUFFLE_DOWN(value, delta) __nvvm_shfl_down_i32(value, delta, 31)
#define BALLOT(condition) ballot(condition)
#define FENCE __nvvm_membar_gl
#define atomicAdd(address, value) __nvvm_atom_add_gen_i(address, value)
#define atomicMax(address, value) __nvvm_atom_max_gen_i(address, value)
#define atomicCAS(address, old, value) __nvvm_atom_cas_gen_i(address, old, value)
extern "C" __device__ int vprintf(const char* format, void* values);
static __device__ inline unsigned ballot(int condition) {
  unsigned lanes;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.b32 %0, p; }"
               : "=r"(lanes)
               : "r"(condition));
  return lanes;
}
#endif
