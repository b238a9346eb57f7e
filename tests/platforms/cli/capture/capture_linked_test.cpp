// Programs whose device code was compiled apart and linked are captured and replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

TEST_F(CaptureTest, DeviceCodeThatWasCompiledApartIsLinked) {
  compile_apart("apart", {R"(
#include <cuda_runtime.h>
#include <cstdio>
extern __device__ int offset;
extern __constant__ int table[4];
extern __device__ int twice(int value);
extern void launch_other(int* at);
template <typename T>
__device__ __attribute__((noinline)) T both(T a) { return a + 1; }
static __device__ __attribute__((noinline)) int local(int a) { return a * 10; }
static __device__ int own = 3;
__global__ void first(int* at) {
  const int i = threadIdx.x;
  at[i] = twice(i) + offset + table[i % 4] + both(i) + local(i) + own;
}
int main() {
  int host[32], *at, made = 1000;
  cudaMalloc(&at, sizeof host);
  cudaMemcpyToSymbol(offset, &made, sizeof made);
  first<<<1, 32>>>(at);
  cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (host[i] != 2 * i + 1000 + (i % 4 + 5) + i + 1 + 10 * i + 3) return 1;
  launch_other(at);
  cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (host[i] != 7 * i + i + 1 + 40) return 2;
  std::printf("right\n");
}
)",
                          R"(
#include <cuda_runtime.h>
__device__ int offset = 1;
__constant__ int table[4] = {5, 6, 7, 8};
static __device__ int own = 40;
static __device__ __attribute__((noinline)) int local(int a) { return a * 7; }
template <typename T>
__device__ __attribute__((noinline)) T both(T a) { return a + 1; }
__device__ int twice(int value) { return 2 * value; }
__global__ void second(int* at) { at[threadIdx.x] = local(threadIdx.x) + both((int)threadIdx.x) + own; }
void launch_other(int* at) { second<<<1, 32>>>(at); }
)"});
  if (IsSkipped()) return;
  expect_captured("apart", 2);
}

// What nvcc makes of -rdc=true and of __managed__. The test is skipped on a machine without nvcc.
TEST_F(CaptureTest, WhatNvccLinksIsCaptured) {
  if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
  if (std::system("command -v /usr/local/cuda/bin/nvcc >/dev/null") != 0)
    GTEST_SKIP() << "there is no nvcc here";
  write("a.cu", R"(
#include <cstdio>
extern __device__ int offset;
extern __device__ int twice(int value);
__managed__ int total = 5;
static __device__ int own = 3;
__global__ void first(int* at) {
  at[threadIdx.x] = twice(threadIdx.x) + offset + own;
  if (threadIdx.x == 0) total += 10;
}
int main() {
  int host[32], *at, made = 1000;
  if (total != 5) return 1;
  total = 7;
  cudaMalloc(&at, sizeof host);
  cudaMemcpyToSymbol(offset, &made, sizeof made);
  first<<<1, 32>>>(at);
  cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (host[i] != 2 * i + 1003) return 2;
  if (total != 17) return 3;
  std::printf("right\n");
}
)");
  write("b.cu", R"(
__device__ int offset = 1;
static __device__ int own = 2;
__device__ int twice(int value) { return own * value; }
)");
  perform({"/usr/local/cuda/bin/nvcc", "-cudart", "shared", "-rdc=true", "-gencode",
           "arch=compute_75,code=compute_75", "a.cu", "b.cu", "-o", "linked"});
  expect_captured("linked", 1);
}

}  // namespace
}  // namespace heddle::test
