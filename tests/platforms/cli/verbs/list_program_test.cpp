// What `heddle list PROGRAM` says of a CUDA program before it is captured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/platforms/cli/verbs/capture.h"
#include "tests/support/capture/elf_files.h"
#include "tests/support/capture/fat_binaries.h"

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
  EXPECT_THAT(heddle("list " + heddle_program()).out, HasSubstr("the file holds no PTX"));
}

TEST_F(CaptureTest, AFileOfAnotherKindIsNotListed) {
  write("script.sh", "#!/bin/sh\n");
  write("text.hcap", std::string("a capture\0.version", 18));
  for (const char* file : {"script.sh", "text.hcap"}) {
    const Outcome outcome = heddle(std::string("list ./") + file);
    EXPECT_EQ(outcome.code, 2) << file;
    EXPECT_EQ(outcome.err, std::string("heddle: ./") + file + ": is neither a program of 64 bits nor PTX\n");
  }
}

TEST_F(CaptureTest, AFileOfPtxIsListedWithItsKernels) {
  write("two.ptx",
        ".version 6.4\n.target sm_35\n.address_size 64\n.entry first() { ret; }\n"
        ".entry second() {\n  frobnicate.u32 %r1;\n  ret; }\n");
  const Outcome outcome = heddle("list ./two.ptx");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +version 6\\.4 +first +yes\n"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +version 6\\.4 +second +no\n"))) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("two.ptx:6:3: unknown opcode 'frobnicate'"));
}

// nvcc puts an empty container beside those of the sources.
TEST_F(CaptureTest, AnEmptyContainerOfAProgramIsNoModule) {
  const std::string ptx = ".version 6.0\n.target sm_35\n.address_size 64\n.entry only() { ret; }\n";
  const std::string code = fat_binary(fat_entry(1, 35, ptx, Packing::kPlain));
  write("program", program_file({}, {}, {fat_binary(""), code}));
  const Outcome outcome = heddle("list ./program");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +only +yes\n"))) << outcome.out;
  EXPECT_EQ(outcome.out.find("machine code"), std::string::npos) << outcome.out;
}

TEST_F(CaptureTest, WhatIsNeitherAFileNorAKindIsRefused) {
  const Outcome outcome = heddle("list plicies");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("'plicies' is no file of a program or of PTX, and none of policies, platforms"));
}

}  // namespace
}  // namespace heddle::test
