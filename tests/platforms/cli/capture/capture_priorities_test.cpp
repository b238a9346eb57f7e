// Priorities of streams, launches and graphs: what a program is told, what is captured, and what a policy
// makes of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "stimuli/capture/format/capture_file.h"
#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

class CapturePriorities : public CaptureTest {
 protected:
  // Returns the priorities of the launches of a capture, in their order.
  std::vector<int> priorities_of(const std::string& name) const {
    const heddle::capture::Capture read = heddle::capture::load_capture(directory_ / (name + ".hcap"));
    std::vector<int> priorities;
    for (const heddle::capture::CapturedCall& call : read.calls)
      if (call.kind == heddle::capture::CapturedCall::Kind::kLaunch) priorities.push_back(call.priority);
    return priorities;
  }

  // Returns the cycle at which the second launch of a program ends under a policy. `run` is the name of the
  // run in the names of folders.
  std::uint64_t end_of(const std::string& name, const std::string& policy, const std::string& run) const {
    const Outcome outcome =
        heddle("run " + name + ".hcap --platform k20 --policy sm_partitioner=" + policy + " --out " + policy);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream table(read(policy + "/1-" + run + "/kernels.csv"));
    std::string line, cell;
    std::getline(table, line);
    std::istringstream head(line);
    std::size_t column = 0;
    while (std::getline(head, cell, ',') && cell != "end [cycle]") ++column;
    while (std::getline(table, line)) {
      std::istringstream cells(line);
      std::getline(cells, cell, ',');
      if (cell != "1") continue;
      for (std::size_t i = 0; i < column; ++i) std::getline(cells, cell, ',');
      return std::stoull(cell);
    }
    ADD_FAILURE() << "no second launch";
    return 0;
  }
};

TEST_F(CapturePriorities, OfStreamsAreClampedToTheirRange) {
  expect_right("clamped", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaStreamGetPriority(cudaStream_t, int*);
__global__ void fill(int* at, int what) { at[threadIdx.x] = what; }
int main() {
  int least = 9, greatest = 9, *data, got, supported = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (least != 0 || greatest != -5) return 1;
  cudaDeviceGetAttribute(&supported, 78, 0);
  if (supported != 1) return 2;
  cudaMalloc((void**)&data, 128);
  const int asked[] = {0, -1, -5, -9, 3};
  const int given[] = {0, -1, -5, -5, 0};
  for (int i = 0; i < 5; ++i) {
    cudaStream_t stream;
    if (cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, asked[i]) != cudaSuccess) return 3;
    if (cudaStreamGetPriority(stream, &got) != cudaSuccess || got != given[i]) return 4;
    fill<<<1, 32, 0, stream>>>(data, i);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  fill<<<1, 32>>>(data, 7);
  if (cudaStreamGetPriority(nullptr, &got) != cudaSuccess || got != 0) return 5;
  if (cudaStreamGetPriority((cudaStream_t)&got, &got) != 400) return 6;
  std::printf("right\n");
}
)",
               6);
  if (IsSkipped()) return;
  EXPECT_EQ(priorities_of("clamped"), (std::vector<int>{0, -1, -5, -5, 0, 0}));
}

// The driver's streams are the runtime's. An attribute of a launch goes before the priority of the stream.
TEST_F(CapturePriorities, OfTheDriverAndOfAttributesAreKept) {
  expect_right("driver", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" int cuInit(unsigned);
extern "C" int cuStreamCreateWithPriority(void**, unsigned, int);
extern "C" int cuStreamGetPriority(void*, int*);
extern "C" int cuCtxGetStreamPriorityRange(int*, int*);
struct Attribute { int kind; char padding[4]; int value; char rest[60]; };
struct Configuration { dim3 grid, block; std::size_t shared; void* stream; const Attribute* attributes; unsigned count; };
extern "C" int cudaLaunchKernelExC(const Configuration*, const void*, void**);
__global__ void fill(int* at, int what) { at[threadIdx.x] = what; }
int main() {
  int *data, got = 9, least = 9, greatest = 9, what = 3;
  cudaMalloc((void**)&data, 128);
  cuInit(0);
  void* stream;
  if (cuCtxGetStreamPriorityRange(&least, &greatest) != 0 || least != 0 || greatest != -5) return 1;
  if (cuStreamCreateWithPriority(&stream, 1, -2) != 0) return 2;
  if (cuStreamGetPriority(stream, &got) != 0 || got != -2) return 3;
  fill<<<1, 32, 0, (cudaStream_t)stream>>>(data, 1);
  const Attribute attribute = {8, {}, -4, {}};
  const Configuration made = {1, 32, 0, stream, &attribute, 1};
  void* arguments[] = {&data, &what};
  if (cudaLaunchKernelExC(&made, (const void*)fill, arguments) != 0) return 4;
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)",
               2);
  if (IsSkipped()) return;
  EXPECT_EQ(priorities_of("driver"), (std::vector<int>{-2, -4}));
}

// A graph runs at the priority of the stream that it is launched in, or at those of its nodes (flag 8).
TEST_F(CapturePriorities, OfGraphsAreThoseOfTheStreamOrOfTheNodes) {
  expect_right("graphs", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void fill(int* at, int what) { at[threadIdx.x] = what; }
int main() {
  int* data;
  cudaMalloc((void**)&data, 128);
  cudaStream_t captured, plain, first;
  cudaStreamCreateWithPriority(&captured, cudaStreamNonBlocking, -3);
  cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, -5);
  cudaStreamCreate(&plain);
  cudaGraph_t graph;
  cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal);
  fill<<<1, 32, 0, captured>>>(data, 1);
  if (cudaStreamEndCapture(captured, &graph) != cudaSuccess) return 1;
  cudaGraphExec_t by_stream, by_node;
  if (cudaGraphInstantiate(&by_stream, graph) != cudaSuccess) return 2;
  if (cudaGraphInstantiate(&by_node, graph, 8) != cudaSuccess) return 3;
  const cudaStream_t streams[] = {plain, first};
  for (int i = 0; i < 2; ++i) {
    cudaGraphLaunch(by_stream, streams[i]);
    cudaGraphLaunch(by_node, streams[i]);
  }
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)",
               4);
  if (IsSkipped()) return;
  EXPECT_EQ(priorities_of("graphs"), (std::vector<int>{0, -3, -5, -3}));
}

// A small kernel of the greatest priority comes while a large one has blocks left to issue.
TEST_F(CapturePriorities, DecideUnderStreamPriorityWhoseBlocksGoFirst) {
  compile_text("two", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void spin(unsigned* data, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i;
  for (int round = 0; round < rounds; ++round) value = value * 1664525u + 1013904223u;
  data[i] = value;
}
int main() {
  unsigned *a, *b;
  cudaMalloc((void**)&a, 4 * 256 * 2000);
  cudaMalloc((void**)&b, 4 * 256 * 13);
  cudaStream_t slow, quick;
  cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, 0);
  cudaStreamCreateWithPriority(&quick, cudaStreamNonBlocking, -1);
  spin<<<2000, 256, 0, slow>>>(a, 200);
  spin<<<13, 256, 0, quick>>>(b, 10);
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  ASSERT_EQ(capture("two").code, 0);
  EXPECT_EQ(priorities_of("two"), (std::vector<int>{0, -1}));
  EXPECT_LT(4 * end_of("two", "stream-priority", "stream-priority"),
            end_of("two", "left-over", "left-over-contexts-several"));
}

}  // namespace
}  // namespace heddle::test
