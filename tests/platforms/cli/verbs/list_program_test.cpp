// What `heddle list PROGRAM` says of a CUDA program before it is captured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/platforms/cli/capture/capture.h"
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
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +scale<float> +yes +no\n")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +strange +no +–\n"))) << outcome.out;
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
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +version 6\\.4 +first +yes +yes\n")))
      << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +version 6\\.4 +second +no +–\n"))) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("two.ptx:6:3: unknown opcode 'frobnicate'"));
}

TEST_F(CaptureTest, AListTellsWhyBlocksMayNotStartOver) {
  write("restarts.ptx",
        ".version 6.4\n.target sm_35\n.address_size 64\n"
        ".entry count(.param .u64 at) {\n  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
        "  ld.param.u64 %rd1, [at];\n  atom.global.add.u32 %r1, [%rd1], 1;\n  ret;\n}\n"
        ".entry none() { ret; }\n"
        ".entry copy(.param .u64 to, .param .u64 from) {\n  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
        "  ld.param.u64 %rd1, [to];\n  ld.param.u64 %rd2, [from];\n"
        "  ld.global.u32 %r1, [%rd2];\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n");
  const Outcome outcome = heddle("list ./restarts.ptx");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("count +yes +no\n"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("none +yes +yes\n"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("copy +yes +by arguments\n"))) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("./restarts.ptx:7: count: an atomic in global memory: "
                                     "atom.global.add.u32 %r1, [%rd1], 1;\n"));
  EXPECT_THAT(outcome.out, HasSubstr("./restarts.ptx:16: copy: it writes 'to' and reads 'from' (line 15), "
                                     "which may be the same memory: st.global.u32 [%rd1], %r1;\n"));
}

TEST_F(CaptureTest, CheckTellsWhyBlocksOfALaunchFileMayNotStartOver) {
  const Outcome outcome = heddle("check histogram");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("restartable +parameters"))) << outcome.out;
  EXPECT_TRUE(std::regex_search(
      outcome.out, std::regex("kernels/histogram\\.ptx:[0-9]+: [a-z_]+: an atomic in global memory: ")))
      << outcome.out;
}

// nvcc puts an empty container beside those of the sources.
TEST_F(CaptureTest, AnEmptyContainerOfAProgramIsNoModule) {
  const std::string ptx = ".version 6.0\n.target sm_35\n.address_size 64\n.entry only() { ret; }\n";
  const std::string code = fat_binary(fat_entry(1, 35, ptx, Packing::kPlain));
  write("program", program_file({}, {}, {fat_binary(""), code}));
  const Outcome outcome = heddle("list ./program");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("0 +compute_35 +only +yes +yes\n"))) << outcome.out;
  EXPECT_EQ(outcome.out.find("machine code"), std::string::npos) << outcome.out;
}

TEST_F(CaptureTest, WhatIsNeitherAFileNorAKindIsRefused) {
  const Outcome outcome = heddle("list plicies");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("'plicies' is no file of a program or of PTX, and none of experiments, applications"));
}

}  // namespace
}  // namespace heddle::test
