// How kernels are executed under capture: outside of allocations, in another order, up to a limit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

// The stencil reads one word behind the end of an allocation.
TEST_F(CaptureTest, LenientMemoryLetsAccessesBesideAllocationsPassAsHardwareDoes) {
  compile_text("stencil", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void blur(const int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + from[i + 1];
}
int main() {
  int host[256], *from, *to;
  for (int i = 0; i < 256; ++i) host[i] = i;
  cudaMalloc((void**)&from, sizeof host);
  cudaMalloc((void**)&to, sizeof host);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  blur<<<2, 128>>>(from, to);
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 255; ++i)
    if (host[i] != 2 * i + 1) return 1;
  std::printf("right, and %d at the end\n", host[255]);
}
)");
  if (IsSkipped()) return;
  const Outcome strict = capture("stencil");
  EXPECT_EQ(strict.code, 3);
  EXPECT_THAT(strict.err, HasSubstr("lies 0 bytes behind the end of 'memory 1'"));
  EXPECT_THAT(strict.err, HasSubstr("kernel blur, block (1, 0, 0), thread (127, 0, 0)"));
  EXPECT_THAT(strict.err, HasSubstr("--lenient-memory"));
  const Outcome lenient = capture("stencil", "--lenient-memory");
  EXPECT_EQ(lenient.code, 0) << lenient.err;
  EXPECT_THAT(lenient.out, HasSubstr("right, and 255 at the end"));
  EXPECT_THAT(lenient.err, HasSubstr("1 access outside of allocations has passed"));
  const Outcome replay = heddle("run stencil.hcap --platform k20 --quiet");
  EXPECT_EQ(replay.code, 0) << replay.err;
  EXPECT_THAT(replay.err, HasSubstr("1 access outside of allocations has passed"));
}

TEST_F(CaptureTest, AnotherOrderShowsARace) {
  compile_text("race", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void last(int* at) { *at = blockIdx.x; }
int main() {
  int *device, host;
  cudaMalloc((void**)&device, 4);
  last<<<8, 32>>>(device);
  cudaMemcpy(&host, device, 4, cudaMemcpyDeviceToHost);
  std::printf("%d was last\n", host);
}
)");
  if (IsSkipped()) return;
  EXPECT_THAT(capture("race").out, HasSubstr("7 was last"));
  EXPECT_EQ(heddle("run race.hcap --functional").code, 0);
  const Outcome other = heddle("run race.hcap --functional --order interleaved");
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("byte 0 is 0x00, not 0x07"));
  EXPECT_THAT(capture("race", "--racy").out, HasSubstr("7 was last"));
  const Outcome racy = heddle("run race.hcap --functional --order interleaved");
  EXPECT_EQ(racy.code, 0);
  EXPECT_THAT(racy.err, HasSubstr("byte 0 is 0x00, not 0x07"));
  EXPECT_THAT(capture("race", "--order interleaved").out, HasSubstr("0 was last"));
  EXPECT_EQ(heddle("run race.hcap --platform k20 --order blocks").code, 2);
}

TEST_F(CaptureTest, AKernelThatDoesNotEndMeetsTheLimit) {
  compile_text("endless", R"(
#include <cuda_runtime.h>
__global__ void wait(volatile int* at) { while (*at == 0) {} }
int main() {
  int* device;
  cudaMalloc((void**)&device, 4);
  cudaMemset(device, 0, 4);
  wait<<<4, 32>>>(device);
  cudaDeviceSynchronize();
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("endless", "--limit 1000000");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("more than 1000000 warp instructions"));
  EXPECT_THAT(outcome.err, HasSubstr("launch 1, wait: 0 % of 4 blocks"));
}

}  // namespace
}  // namespace heddle::test
