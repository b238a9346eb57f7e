// What a user sees of kernels that hang, that are interrupted, that print, and of single launches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CaptureDebugging : public CaptureTest {
 protected:
  // A kernel that waits for a word which `counts` its rounds, or does not.
  void compile_wait(const std::string& name, bool counts) {
    compile_text(name, std::string(R"(
#include <cuda_runtime.h>
__global__ void wait(volatile int* at, int* rounds) {
  int round = 0;
  while (*at == 0) )") + (counts ? "++round" : "{}") +
                           R"(;
  *rounds = round;
}
int main() {
  int* device;
  cudaMalloc((void**)&device, 8);
  cudaMemset(device, 0, 8);
  wait<<<4, 32>>>(device, device + 1);
  cudaDeviceSynchronize();
}
)");
  }
};

TEST_F(CaptureDebugging, AKernelThatNeverEndsIsTold) {
  compile_wait("spin", false);
  if (IsSkipped()) return;
  const Outcome outcome = capture("spin");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("launch 1, wait: the kernel never ends"),
                    HasSubstr("block (3, 0, 0), warp 0: spin: module 0:"), HasSubstr(", pc 0x")));
}

TEST_F(CaptureDebugging, TheLimitTellsWhereTheWarpsAre) {
  compile_wait("count", true);
  if (IsSkipped()) return;
  const Outcome outcome = capture("count", "--limit 1000000instructions --limit 20s");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("more than 1000000 warp instructions, the limit of this capture: "
                                           "launch 1, wait: 0 % of 4 blocks"),
                                 HasSubstr("\n  block (0, 0, 0), warp 0: count: module 0:")));
  EXPECT_THAT(capture("count", "--limit 200ms").err, HasSubstr("more than 0.2 s, the limit of this capture"));
  for (const char* bad : {"0", "5", "1000cycles", "1000cows", "none --limit 3s", "3s --limit 4s"}) {
    if (std::string(bad) == "5") continue;  // a number of warp instructions
    EXPECT_EQ(capture("count", std::string("--limit ") + bad).code, 2) << bad;
  }
}

TEST_F(CaptureDebugging, AnInterruptionTellsWhereTheWarpsAre) {
  compile_wait("count", true);
  if (IsSkipped()) return;
  Surroundings surroundings;
  surroundings.meanwhile = [](pid_t heddle) {
    EXPECT_TRUE(eventually([&] { return !children_of(heddle).empty(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the kernel runs by then
    for (const pid_t program : children_of(heddle)) ::kill(program, SIGINT);
  };
  const Outcome outcome = heddle("capture -o count.hcap -- ./count", surroundings);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("interrupted in launch 1, wait: 0 % of 4 blocks"),
                                 HasSubstr("\n  block (0, 0, 0), warp 0: count: module 0:")));
  EXPECT_FALSE(exists("count.hcap"));
}

TEST_F(CaptureDebugging, ABarrierInDivergentCodeIsTold) {
  expect_right("divergent", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void meet(int* at) {
  if (threadIdx.x < 40) __syncthreads();
  at[threadIdx.x] = threadIdx.x;
}
int main() {
  int* device;
  cudaMalloc((void**)&device, 256);
  meet<<<1, 64>>>(device);
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)",
               1);
  if (IsSkipped()) return;
  const char* const note = "barrier 0 is reached by 8 of 32 lanes of a warp (kernel meet, block (0, 0, 0)";
  EXPECT_THAT(capture("divergent").err, HasSubstr(note));
  EXPECT_THAT(heddle("run divergent.hcap --functional").err, HasSubstr(note));
}

TEST_F(CaptureDebugging, AnOverrunNamesTheParameterAndItsBuffer) {
  compile_text("overrun", R"(
#include <cuda_runtime.h>
__global__ void store(int* near, int* far) { far[threadIdx.x == 7 ? -2000 : threadIdx.x] = near[threadIdx.x]; }
int main() {
  int *near, *far;
  cudaMalloc((void**)&near, 8192);
  cudaMalloc((void**)&far, 256);
  store<<<1, 32>>>(near, far + 32);
  cudaDeviceSynchronize();
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("overrun");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("which points to 'memory 2' (256 bytes from"));
}

TEST_F(CaptureDebugging, WhatKernelsPrintReachesTheConsoleOfAReplay) {
  compile_text("printing", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void say(int what) { printf("block %d says %d\n", blockIdx.x, what); }
int main() {
  say<<<2, 1>>>(7);
  say<<<1, 1>>>(9);
  cudaDeviceSynchronize();
}
)");
  if (IsSkipped()) return;
  const Outcome captured = capture("printing");
  ASSERT_EQ(captured.code, 0) << captured.err;
  ASSERT_THAT(captured.out, HasSubstr("block 1 says 7\nblock 0 says 9\n"));
  const Outcome replay = heddle("run printing.hcap --platform k20 --out results");
  ASSERT_EQ(replay.code, 0) << replay.err;
  std::string console;
  for (const std::string& file : files())
    if (has(file, "console.txt")) console = read(file);
  EXPECT_EQ(console, "block 0 says 7\nblock 1 says 7\nblock 0 says 9\n");
  EXPECT_THAT(heddle("run printing.hcap --functional").out, HasSubstr("block 0 says 9\n"));
}

// The program checks what all of its launches have written together.
TEST_F(CaptureDebugging, ChosenLaunchesAreSimulatedAlone) {
  compile_text("steps", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(int* at) { at[threadIdx.x] += threadIdx.x; }
__global__ void twice(int* at) { at[threadIdx.x] *= 2; }
int main() {
  int *device, host[32];
  cudaMalloc((void**)&device, 128);
  cudaMemset(device, 0, 128);
  for (int i = 0; i < 3; ++i) {
    add<<<1, 32>>>(device);
    twice<<<1, 32>>>(device);
    cudaMemcpy(host, device, 128, cudaMemcpyDeviceToHost);
  }
  std::printf("%d\n", host[3]);
}
)");
  if (IsSkipped()) return;
  ASSERT_EQ(capture("steps").code, 0);
  const auto kernels = [&](const std::string& options) {
    const nlohmann::json summary = run("steps.hcap --platform k20 " + options);
    std::string text;
    for (const nlohmann::json& kernel : summary["runs"][0]["applications"][0]["kernels"])
      text += kernel["kernel"].get<std::string>() + " " + kernel["ended"].dump() + ", ";
    return text;
  };
  const std::string all = kernels("");
  EXPECT_THAT(all, AllOf(HasSubstr("add 3"), HasSubstr("twice 3"), Not(HasSubstr("skipped"))));
  EXPECT_THAT(kernels("--kernels 3-5"),
              AllOf(HasSubstr("add 2"), HasSubstr("twice 1"), HasSubstr("skipped 2")));
  EXPECT_EQ(kernels("--skip 2 --stop-after 3"), kernels("--kernels 3-5"));
  EXPECT_THAT(kernels("--stop-after 1"), AllOf(HasSubstr("add 1"), Not(HasSubstr("twice"))));
  EXPECT_EQ(heddle("run steps.hcap --platform k20 --kernels 7-").code, 2);
  EXPECT_EQ(heddle("run steps.hcap --platform k20 --kernels 5-3").code, 2);
  EXPECT_EQ(heddle("run steps.hcap --platform k20 --kernels 3 --skip 1").code, 2);
  EXPECT_EQ(heddle("run vector_add --platform gtx480 --kernels 1").code, 2);
}

}  // namespace
}  // namespace heddle::test
