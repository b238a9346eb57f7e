// What `heddle list PROGRAM` says of a CUDA program before it is captured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/platforms/cli/verbs/capture.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

TEST_F(CaptureTest, AProgramIsListedWithItsKernelsAndWhatIsNotSupported) {
  compile_text("several", R"(
#include <cuda_runtime.h>
extern "C" cudaError_t cudaIpcGetMemHandle(void*, void*);
template <typename T> __global__ void scale(T* at, T by) { at[threadIdx.x] *= by; }
__attribute__((noinline)) __device__ void odd() { asm volatile("frobnicate.u32 %r1;"); }
__global__ void strange(int* at) { *at = 1; odd(); }
int main() {
  float* data;
  cudaMalloc((void**)&data, 128);
  scale<float><<<1, 32>>>(data, 2.0f);
  cudaIpcGetMemHandle(nullptr, data);
  strange<<<1, 1>>>((int*)data);
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = heddle("list ./several");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("CUDA runtime: libcudart.so.13"));
  EXPECT_THAT(outcome.out,
              HasSubstr("calls that are not supported and end the program: cudaIpcGetMemHandle\n"));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +scale<float> +yes\n")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +strange +no\n"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out,
                                std::regex("module 0, compute_35:[0-9]+:2: unknown opcode 'frobnicate'")))
      << outcome.out;
}

TEST_F(CaptureTest, AFileWithoutDeviceCodeIsListedAsThat) {
  write("script.sh", "#!/bin/sh\n");
  EXPECT_THAT(heddle("list ./script.sh").out, HasSubstr("the file holds no PTX"));
  EXPECT_THAT(heddle("list " + heddle_program()).out, HasSubstr("the file holds no PTX"));
}

TEST_F(CaptureTest, WhatIsNeitherAFileNorAKindIsRefused) {
  const Outcome outcome = heddle("list plicies");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'plicies' is no program's file and none of policies, platforms"));
}

}  // namespace
}  // namespace heddle::test
