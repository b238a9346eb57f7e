// Programs that make green contexts are captured, and their launches are replayed on the SMs of their
// streams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stimuli/capture/format/capture_file.h"
#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

// The platform k20 has 13 SMs, which may be split one by one.
const char* const kProgram = R"(
#include <cuda_runtime.h>
#include <cstdio>
struct Resource { int type; unsigned char padding[92]; unsigned sms, least, alignment; unsigned char more[36]; };
extern "C" {
int cuInit(unsigned);
int cuDeviceGetDevResource(int, Resource*, int);
int cuDevSmResourceSplitByCount(Resource*, unsigned*, const Resource*, Resource*, unsigned, unsigned);
int cuDevResourceGenerateDesc(void**, Resource*, unsigned);
int cuGreenCtxCreate(void**, void*, int, unsigned);
int cuGreenCtxDestroy(void*);
int cuGreenCtxStreamCreate(void**, void*, unsigned, int);
int cuGreenCtxGetDevResource(void*, Resource*, int);
int cuGreenCtxRecordEvent(void*, void*);
int cuGreenCtxWaitEvent(void*, void*);
int cuCtxFromGreenCtx(void**, void*);
int cuCtxSetCurrent(void*);
int cuStreamGetGreenCtx(void*, void**);
int cuStreamDestroy_v2(void*);
int cuEventCreate(void**, unsigned);
}
__global__ void work(int* at, int by) { at[blockIdx.x * blockDim.x + threadIdx.x] += by; }
int fail(int line) { std::printf("line %d\n", line); return 1; }
#define CHECK(condition) if (!(condition)) return fail(__LINE__)
int main() {
  Resource all, groups[2], rest, own;
  unsigned count = 2;
  void *first, *second, *context, *stream, *other, *event, *of;
  CHECK(cuInit(0) == 0);
  CHECK(cuDeviceGetDevResource(0, &all, 7) == 914);
  CHECK(cuDeviceGetDevResource(0, &all, 1) == 0 && all.type == 1 && all.sms == 13);
  CHECK(cuDevSmResourceSplitByCount(nullptr, &count, &all, nullptr, 0, 4) == 0 && count == 3);
  count = 2;
  CHECK(cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, 4) == 0);
  CHECK(count == 2 && groups[0].sms == 4 && groups[1].sms == 4 && rest.sms == 5);
  count = 1;
  CHECK(cuDevSmResourceSplitByCount(&own, &count, &all, nullptr, 0, 14) == 1);
  CHECK(cuDevSmResourceSplitByCount(&own, &count, &groups[0], nullptr, 0, 1) == 915);
  CHECK(cuDevResourceGenerateDesc(&first, &groups[1], 1) == 0);
  CHECK(cuDevResourceGenerateDesc(&second, &all, 2) != 0);
  CHECK(cuGreenCtxCreate(&context, first, 0, 0) == 1);
  CHECK(cuGreenCtxCreate(&context, first, 0, 1) == 0);
  CHECK(cuGreenCtxGetDevResource(context, &own, 1) == 0 && own.sms == 4);
  CHECK(cuGreenCtxStreamCreate(&stream, context, 1, 0) == 0);
  CHECK(cuStreamGetGreenCtx(stream, &of) == 0 && of == context);
  int *device, host[4096];
  CHECK(cudaMalloc((void**)&device, sizeof host) == 0 && cudaMemset(device, 0, sizeof host) == 0);
  CHECK(cudaDeviceSynchronize() == 0);
  work<<<64, 64, 0, (cudaStream_t)stream>>>(device, 1);
  CHECK(cuEventCreate(&event, 0) == 0 && cuGreenCtxRecordEvent(context, event) == 0);
  CHECK(cuCtxFromGreenCtx(&other, context) == 0 && cuCtxSetCurrent(other) == 0);
  CHECK(cuGreenCtxWaitEvent(context, event) == 0);
  work<<<64, 64>>>(device, 2);  // in the default stream of the context
  CHECK(cudaDeviceSynchronize() == 0);
  CHECK(cuCtxSetCurrent(nullptr) == 0);
  CHECK(cuStreamDestroy_v2(stream) == 0 && cuGreenCtxDestroy(context) == 0);
  CHECK(cuGreenCtxDestroy(context) == 201);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) == 0);
  for (int i = 0; i < 4096; ++i) CHECK(host[i] == 3);
  std::printf("right\n");
}
)";

TEST_F(CaptureTest, LaunchesInGreenContextsRunOnTheirSmsAlone) {
  compile_text("green", kProgram);
  if (IsSkipped()) return;
  const Outcome outcome = capture("green", "--platform k20");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("right"));
  const heddle::capture::Capture read = heddle::capture::load_capture(directory_ / "green.hcap");
  std::vector<std::vector<std::uint32_t>> sets;
  for (const heddle::capture::CapturedCall& call : read.calls)
    if (call.kind == heddle::capture::CapturedCall::Kind::kCreateStream) sets.push_back(call.sms);
  EXPECT_EQ(sets, std::vector<std::vector<std::uint32_t>>(2, {4, 5, 6, 7}));
  const Outcome replay = heddle("run green.hcap --platform k20 --stats full --out results");
  ASSERT_EQ(replay.code, 0) << replay.err;
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  for (const std::string& file : files()) {
    if (!has(file, "stats.csv")) continue;
    const std::string stats = CliTest::read(file);
    for (int sm = 0; sm < 13; ++sm) {
      const std::string row = "\ngpu.sm" + std::to_string(sm) + ".blocks_done,";
      const std::size_t at = stats.find(row);
      ASSERT_NE(at, std::string::npos) << row;
      (sm >= 4 && sm < 8 ? inside : outside) += std::stoull(stats.substr(at + row.size()));
    }
  }
  EXPECT_EQ(inside, 128u);
  EXPECT_EQ(outside, 0u);
}

TEST_F(CaptureTest, GreenContextsNeedAPartitionerThatKeepsToThemAndTheSms) {
  compile_text("green", kProgram);
  if (IsSkipped()) return;
  ASSERT_EQ(capture("green", "--platform k20").code, 0);
  const Outcome token = heddle("run green.hcap --platform k20 --policy sm_partitioner=token");
  EXPECT_EQ(token.code, 2);
  EXPECT_THAT(token.err, HasSubstr("which sm_partitioner token does not keep to; fcfs-s"));
  const Outcome small = heddle("run green.hcap --platform k20 --set sm.count=6");
  EXPECT_EQ(small.code, 2);
  EXPECT_THAT(small.err, HasSubstr("SM 7"));
  EXPECT_EQ(heddle("run green.hcap --platform k20 --policy sm_partitioner=left-over").code, 0);
}

}  // namespace
}  // namespace heddle::test
