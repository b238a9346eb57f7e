// Default streams of each thread, and memory that is allocated in the order of streams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

// nvcc --default-stream per-thread gives these names to the calls.
TEST_F(CaptureTest, EachThreadHasItsDefaultStream) {
  expect_right("threads", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include <thread>
extern "C" cudaError_t cudaMemcpy_ptds(void*, const void*, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaMemcpyAsync_ptsz(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
extern "C" cudaError_t cudaMemsetAsync_ptsz(void*, int, std::size_t, cudaStream_t);
extern "C" cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
extern "C" cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
extern "C" cudaError_t cudaEventRecord_ptsz(cudaEvent_t, cudaStream_t);
extern "C" cudaError_t cudaStreamGetId_ptsz(cudaStream_t, unsigned long long*);
extern "C" cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long*);
__global__ void add(int* at, int what) { at[threadIdx.x] += what; }
static bool good[2];
void work(int number) {
  int host[32], *at, what = number + 1;
  cudaMalloc(&at, sizeof host);
  cudaMemsetAsync_ptsz(at, 0, sizeof host, nullptr);
  void* arguments[] = {&at, &what};
  cudaLaunchKernel_ptsz((const void*)add, 1, 32, arguments, 0, nullptr);
  cudaMemcpyAsync_ptsz(host, at, sizeof host, cudaMemcpyDeviceToHost, nullptr);
  cudaStreamSynchronize_ptsz(nullptr);
  good[number] = host[31] == what;
  add<<<1, 32>>>(at, 10);
  cudaMemcpy_ptds(host, at, sizeof host, cudaMemcpyDeviceToHost);
  good[number] = good[number] && host[0] == what + 10;
}
int main() {
  unsigned long long shared, own, same;
  cudaStreamGetId_ptsz(nullptr, &own);
  cudaStreamGetId_ptsz((cudaStream_t)1, &shared);
  cudaStreamGetId((cudaStream_t)2, &same);
  if (own == shared || own != same) return 1;
  std::thread first(work, 0);
  first.join();
  std::thread second(work, 1);
  second.join();
  if (cudaMemsetAsync_ptsz(&own, 0, 0, (cudaStream_t)77) != 400) return 2;
  if (good[0] && good[1]) std::printf("right\n");
}
)",
               4);
}

TEST_F(CaptureTest, MemoryOfAPoolIsTakenAgainInTheOrderOfItsStream) {
  expect_right("pools", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void fill(int* at, int what) { at[threadIdx.x] = what + threadIdx.x; }
int main() {
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMemPool_t pool, standard, current;
  cudaMemPoolProps properties = {};
  properties.allocType = 1;
  properties.locationType = 1;
  if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess) return 1;
  properties.locationId = 1;
  if (cudaMemPoolCreate(&current, &properties) != 1) return 2;
  if (cudaDeviceGetDefaultMemPool(&standard, 0) != cudaSuccess || standard == pool) return 3;
  if (cudaDeviceGetDefaultMemPool(&standard, 1) != 101) return 4;
  cudaDeviceGetDefaultMemPool(&standard, 0);
  if (cudaMemPoolDestroy(standard) != 1) return 5;
  unsigned long long bytes = 1 << 20;
  if (cudaMemPoolSetAttribute(pool, 4, &bytes) != cudaSuccess) return 6;
  if (cudaMemPoolSetAttribute(pool, 5, &bytes) != 1 || cudaMemPoolSetAttribute(pool, 99, &bytes) != 1) return 7;
  int *first, *second, *third, host[64];
  cudaMallocFromPoolAsync((void**)&first, 4096, pool, a);
  fill<<<1, 64, 0, a>>>(first, 1);
  cudaMemcpyAsync(host, first, sizeof host, cudaMemcpyDeviceToHost, a);
  cudaFreeAsync(first, a);
  cudaMallocFromPoolAsync((void**)&second, 4096, pool, b);
  cudaMallocFromPoolAsync((void**)&third, 4096, pool, a);
  if (third != first || second == first) return 8;
  fill<<<1, 64, 0, a>>>(third, 100);
  cudaStreamSynchronize(a);
  if (host[5] != 6) return 9;
  cudaFreeAsync(third, a);
  cudaFreeAsync(second, b);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  if (cudaMemPoolGetAttribute(pool, 5, &bytes) != cudaSuccess || bytes != 8192) return 10;
  if (cudaMemPoolTrimTo(pool, 4096) != cudaSuccess) return 11;
  cudaMemPoolGetAttribute(pool, 5, &bytes);
  if (bytes != 4096) return 12;
  cudaMemPoolGetAttribute(pool, 8, &bytes);
  if (bytes != 8192) return 13;
  if (cudaDeviceSetMemPool(0, pool) != cudaSuccess) return 14;
  cudaDeviceGetMemPool(&current, 0);
  if (current != pool) return 15;
  cudaMallocAsync((void**)&first, 4096, b);
  fill<<<1, 64, 0, b>>>(first, 7);
  cudaMemcpyAsync(host, first, sizeof host, cudaMemcpyDeviceToHost, b);
  cudaFreeAsync(first, b);
  cudaStreamSynchronize(b);
  if (host[0] != 7) return 16;
  if (cudaMallocAsync((void**)&first, 1ull << 45, b) != 2) return 17;
  if (cudaMallocFromPoolAsync((void**)&first, 16, (cudaMemPool_t)&host, b) != 1) return 18;
  if (cudaMallocAsync((void**)&first, 16, (cudaStream_t)&host) != 400) return 19;
  if (cudaMemPoolDestroy(pool) != cudaSuccess || cudaMemPoolDestroy(pool) != 1) return 20;
  std::printf("right\n");
}
)",
               3);
}

// A pool without a threshold gives its memory back when the host waits.
TEST_F(CaptureTest, APoolGivesUnusedMemoryBackWhenTheHostWaits) {
  expect_right("returned", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
__global__ void none() {}
int main() {
  std::size_t before, during, after, all;
  void* memory;
  cudaMemGetInfo(&before, &all);
  cudaMallocAsync(&memory, 1 << 20, nullptr);
  none<<<1, 1>>>();
  cudaFreeAsync(memory, nullptr);
  cudaMemGetInfo(&during, &all);
  cudaDeviceSynchronize();
  cudaMemGetInfo(&after, &all);
  if (before - during < (1 << 20) || after < during + (1 << 20)) return 1;
  cudaMallocAsync(&memory, 1 << 20, nullptr);
  if (cudaFree(memory) != cudaSuccess) return 2;
  std::printf("right\n");
}
)",
               1);
}

}  // namespace
}  // namespace heddle::test
