// Graphs are built, captured from streams, changed and launched.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

TEST_F(CaptureTest, AGraphOfEveryNodeIsLaunched) {
  expect_right("nodes", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(int* to, const int* from, int what) { to[threadIdx.x] = from[threadIdx.x] + what; }
static int called = 0;
void call(void* data) { called += *(int*)data; }
int main() {
  int host[64], result[64], *a, *b, *c, one = 1, two = 2, step = 3;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&c, sizeof host);
  cudaGraph_t graph, child;
  cudaGraphNode_t up, left, right, join, down, clear, inner, tell, none;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess || cudaGraphCreate(&child, 0) != cudaSuccess) return 1;
  cudaMemsetParams fill = {c, 0, 0x01020304, 4, 64, 1};
  if (cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill) != cudaSuccess) return 2;
  if (cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, a, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess) return 3;
  void* left_arguments[] = {&b, &a, &one};
  cudaKernelNodeParams kernel = {(void*)add, 1, 64, 0, left_arguments, nullptr};
  if (cudaGraphAddKernelNode(&left, graph, &up, 1, &kernel) != cudaSuccess) return 4;
  void* child_arguments[] = {&a, &b, &two};
  kernel.kernelParams = child_arguments;
  if (cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel) != cudaSuccess) return 5;
  if (cudaGraphAddChildGraphNode(&right, graph, &left, 1, child) != cudaSuccess) return 6;
  cudaHostNodeParams act = {call, &step};
  if (cudaGraphAddHostNode(&tell, graph, &clear, 1, &act) != cudaSuccess) return 7;
  const cudaGraphNode_t both[] = {right, tell};
  if (cudaGraphAddEmptyNode(&join, graph, both, 2) != cudaSuccess) return 8;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {a, sizeof host, sizeof host, 1};
  copy.dstPtr = {result, sizeof host, sizeof host, 1};
  copy.extent = {sizeof host, 1, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  if (cudaGraphAddMemcpyNode(&down, graph, &join, 1, &copy) != cudaSuccess) return 9;
  std::size_t count = 0;
  cudaGraphNode_t nodes[10];
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess || count != 7) return 10;
  count = 10;
  if (cudaGraphGetNodes(graph, nodes, &count) != cudaSuccess || count != 7 || nodes[1] != up || nodes[8] != nullptr) return 11;
  count = 10;
  if (cudaGraphGetRootNodes(graph, nodes, &count) != cudaSuccess || count != 2 || nodes[1] != up) return 12;
  int kinds[7];
  const cudaGraphNode_t all[] = {left, up, clear, tell, right, join, down};
  for (int i = 0; i < 7; ++i) cudaGraphNodeGetType(all[i], &kinds[i]);
  if (kinds[0] != 0 || kinds[1] != 1 || kinds[2] != 2 || kinds[3] != 3 || kinds[4] != 4 || kinds[5] != 5) return 13;
  cudaGraphExec_t executable;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (cudaGraphInstantiate(&executable, graph) != cudaSuccess) return 14;
  for (int round = 0; round < 2; ++round) {
    host[0] = 10 * round;
    if (cudaGraphLaunch(executable, stream) != cudaSuccess) return 15;
    cudaStreamSynchronize(stream);
    if (result[0] != 10 * round + 3 || result[63] != 66 || called != 3 * (round + 1)) return 16;
  }
  cudaMemcpy(result, c, sizeof host, cudaMemcpyDeviceToHost);
  if (result[0] != 0x01020304 || result[63] != 0x01020304) return 17;
  // What is wrong is refused.
  if (cudaGraphAddEmptyNode(&none, (cudaGraph_t)&count, nullptr, 0) != 1) return 18;
  if (cudaGraphAddEmptyNode(&none, graph, &inner, 1) != 1) return 19;
  kernel.func = &count;
  if (cudaGraphAddKernelNode(&none, graph, nullptr, 0, &kernel) != 98) return 20;
  kernel.func = (void*)add;
  kernel.blockDim = 5000;
  if (cudaGraphAddKernelNode(&none, graph, nullptr, 0, &kernel) != 9) return 21;
  fill.elementSize = 3;
  if (cudaGraphAddMemsetNode(&none, graph, nullptr, 0, &fill) != 1) return 22;
  if (cudaGraphLaunch((cudaGraphExec_t)graph, stream) != 1 || cudaGraphLaunch(executable, (cudaStream_t)&count) != 400) return 23;
  if (cudaGraphDestroyNode(down) != cudaSuccess || cudaGraphDestroyNode(down) != 1) return 24;
  if (cudaGraphExecDestroy(executable) != cudaSuccess || cudaGraphExecDestroy(executable) != 1) return 25;
  if (cudaGraphDestroy(graph) != cudaSuccess || cudaGraphDestroy(graph) != 1 || cudaGraphDestroy(child) != cudaSuccess) return 26;
  std::printf("right\n");
}
)",
               4);
}

TEST_F(CaptureTest, StreamsAreCapturedToAGraph) {
  expect_right("captured", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(int* to, const int* from, int what) { to[threadIdx.x] = from[threadIdx.x] + what; }
int main() {
  int host[64], result[64], *a, *b, *c, *d;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&c, sizeof host);
  cudaMalloc(&d, sizeof host);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaGraph_t graph;
  int status = 9;
  if (cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) != 900) return 1;
  if (cudaStreamEndCapture(first, &graph) != 401) return 2;
  if (cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return 3;
  if (cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal) != 401) return 4;
  cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, first);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork);
  cudaStreamIsCapturing(second, &status);
  if (status != 1) return 5;
  add<<<1, 64, 0, first>>>(b, a, 1);
  add<<<1, 64, 0, second>>>(c, a, 10);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join);
  add<<<1, 64, 0, first>>>(d, c, 100);
  cudaMemcpyAsync(result, d, sizeof host, cudaMemcpyDeviceToHost, first);
  if (cudaStreamEndCapture(second, &graph) != 903) return 6;
  // The end of a stream that did not begin makes the capture invalid.
  if (cudaStreamEndCapture(first, &graph) != 901 || graph != nullptr) return 7;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, first);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork);
  add<<<1, 64, 0, first>>>(b, a, 1);
  add<<<1, 64, 0, second>>>(c, a, 10);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(first, join);
  add<<<1, 64, 0, first>>>(d, c, 100);
  cudaMemcpyAsync(result, d, sizeof host, cudaMemcpyDeviceToHost, first);
  if (cudaEventSynchronize(join) != 907) return 8;
  if (cudaStreamEndCapture(first, &graph) != cudaSuccess) return 9;
  cudaStreamIsCapturing(first, &status);
  if (status != 0) return 10;
  std::size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  if (count != 5) return 11;
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  result[1] = 0;
  cudaGraphLaunch(executable, first);
  cudaGraphLaunch(executable, second);
  cudaStreamSynchronize(second);
  if (result[1] != 111 || result[63] != 173) return 12;
  // These calls are not allowed while a stream is captured.
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  add<<<1, 64, 0, first>>>(b, a, 1);
  if (cudaStreamSynchronize(first) != 900 || cudaStreamEndCapture(first, &graph) != 901) return 13;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  if (cudaMemcpy(result, a, 4, cudaMemcpyDeviceToHost) != 906 || cudaStreamEndCapture(first, &graph) != 901) return 14;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  if (cudaMalloc(&b, 4) != 900 || cudaStreamEndCapture(first, &graph) != 901) return 15;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed);
  if (cudaMalloc(&b, 4) != cudaSuccess || cudaStreamEndCapture(first, &graph) != cudaSuccess) return 16;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(second, fork);
  add<<<1, 64, 0, second>>>(c, a, 10);
  if (cudaStreamEndCapture(first, &graph) != 904) return 17;
  cudaEvent_t outside;
  cudaEventCreate(&outside);
  cudaEventRecord(outside, second);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  if (cudaStreamWaitEvent(first, outside) != 905 || cudaStreamEndCapture(first, &graph) != 901) return 18;
  std::printf("right\n");
}
)",
               6);
}

TEST_F(CaptureTest, KernelNodesAreChangedAndGraphsAreCloned) {
  expect_right("changed", R"(
#include <cuda_runtime.h>
#include <cstdio>
struct Result { int result; cudaGraphNode_t a, b; };
extern "C" cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, Result*);
extern "C" cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*, const void*, std::size_t);
extern "C" cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t*, void*, std::size_t*);
__global__ void add(int* at, int what) { at[threadIdx.x] += what; }
__global__ void times(int* at, int what) { at[threadIdx.x] *= what; }
int main() {
  int host[32], *a, ten = 10, three = 3, five = 5;
  cudaMalloc(&a, sizeof host);
  cudaMemset(a, 0, sizeof host);
  cudaGraph_t graph, clone;
  cudaGraphNode_t first, second, copied;
  cudaGraphCreate(&graph, 0);
  void* adds[] = {&a, &ten};
  void* multiplies[] = {&a, &three};
  cudaKernelNodeParams kernel = {(void*)add, 1, 32, 0, adds, nullptr};
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);
  kernel = {(void*)times, 1, 32, 0, multiplies, nullptr};
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel);
  if (cudaGraphAddDependencies(graph, &first, &second, nullptr, 1) != cudaSuccess) return 1;
  if (cudaGraphAddDependencies(graph, &first, &second, nullptr, 1) != 1) return 2;
  std::size_t count = 0;
  cudaGraphNodeGetDependencies(second, nullptr, nullptr, &count);
  if (count != 1) return 3;
  if (cudaGraphClone(&clone, graph) != cudaSuccess || cudaGraphNodeFindInClone(&copied, first, clone) != cudaSuccess || copied == first) return 4;
  if (cudaGraphNodeFindInClone(&copied, first, graph) != 1) return 5;
  cudaGraphNodeFindInClone(&copied, first, clone);
  cudaGraphExec_t executable, other;
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, nullptr);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  if (host[7] != 30) return 6;
  adds[1] = &five;
  kernel = {(void*)add, 1, 16, 0, adds, nullptr};
  if (cudaGraphExecKernelNodeSetParams(executable, first, &kernel) != cudaSuccess) return 7;
  if (cudaGraphExecKernelNodeSetParams(executable, copied, &kernel) != 1) return 8;
  cudaGraphLaunch(executable, nullptr);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  if (host[7] != 105 || host[31] != 90) return 9;
  cudaKernelNodeParams told;
  if (cudaGraphKernelNodeGetParams(first, &told) != cudaSuccess || told.func != (void*)add || *(int*)told.kernelParams[1] != 10 || told.blockDim.x != 32) return 10;
  if (cudaGraphKernelNodeSetParams(copied, &kernel) != cudaSuccess) return 11;
  cudaGraphInstantiate(&other, clone);
  cudaGraphLaunch(other, nullptr);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  if (host[7] != 330 || host[31] != 270) return 12;
  Result result = {9};
  if (cudaGraphExecUpdate(executable, clone, &result) != cudaSuccess || result.result != 0) return 13;
  cudaGraphLaunch(executable, nullptr);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  if (host[7] != 1005 || host[31] != 810) return 14;
  cudaGraphDestroyNode(second);
  if (cudaGraphExecUpdate(executable, graph, &result) != 910 || result.result != 2) return 15;
  if (cudaGraphAddDependencies(clone, &copied, &copied, nullptr, 1) != 1) return 16;
  std::printf("right\n");
}
)",
               8);
}

// A graph that is launched on a captured stream is a part of the stream's graph. Events that a graph records
// order what is outside of it, and variables are copied by nodes, too.
TEST_F(CaptureTest, GraphsHoldGraphsEventsAndCopiesOfVariables) {
  expect_right("parts", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t, const void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t, void*, const void*, std::size_t, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t, cudaEvent_t);
extern "C" cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, std::size_t, cudaEvent_t);
extern "C" cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t, cudaEvent_t*);
struct Parameters { unsigned long long flags; cudaStream_t stream; cudaGraphNode_t node; int result; };
extern "C" cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t*, cudaGraph_t, Parameters*);
__device__ int total[2];
__global__ void add(int what) { total[0] += what; }
int main() {
  int five = 5, result = 0;
  cudaGraph_t graph, outer;
  cudaGraphNode_t up, kernel, down, record, wait;
  cudaEvent_t event, other;
  cudaEventCreate(&event);
  cudaGraphCreate(&graph, 0);
  if (cudaGraphAddMemcpyNodeToSymbol(&up, graph, nullptr, 0, total, &five, 4, 0, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  if (cudaGraphAddMemcpyNodeToSymbol(&up, graph, nullptr, 0, total, &five, 4, 8, cudaMemcpyHostToDevice) != 1) return 2;
  if (cudaGraphAddMemcpyNodeToSymbol(&up, graph, nullptr, 0, &five, &five, 4, 0, cudaMemcpyHostToDevice) != 13) return 3;
  cudaGraphNode_t first = up;
  std::size_t count = 1;
  cudaGraphGetNodes(graph, &first, &count);
  void* arguments[] = {&five};
  const cudaKernelNodeParams launch = {(void*)add, 1, 1, 0, arguments, nullptr};
  cudaGraphAddKernelNode(&kernel, graph, &first, 1, &launch);
  if (cudaGraphAddEventRecordNode(&record, graph, &kernel, 1, event) != cudaSuccess) return 4;
  if (cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event) != cudaSuccess) return 5;
  if (cudaGraphAddEventWaitNode(&wait, graph, &record, 1, (cudaEvent_t)&five) != 400) return 6;
  if (cudaGraphEventRecordNodeGetEvent(record, &other) != cudaSuccess || other != event) return 7;
  if (cudaGraphAddMemcpyNodeFromSymbol(&down, graph, &record, 1, &result, total, 4, 0, cudaMemcpyDeviceToHost) != cudaSuccess) return 8;
  cudaGraphExec_t executable, whole;
  Parameters parameters = {};
  parameters.result = 9;
  if (cudaGraphInstantiateWithParams(&executable, graph, &parameters) != cudaSuccess || parameters.result != 0) return 9;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add<<<1, 1, 0, stream>>>(100);
  if (cudaGraphLaunch(executable, stream) != cudaSuccess) return 10;
  if (cudaStreamEndCapture(stream, &outer) != cudaSuccess) return 11;
  cudaGraphInstantiate(&whole, outer);
  cudaGraphLaunch(whole, stream);
  cudaStreamSynchronize(stream);
  if (result != 10) return 12;
  std::printf("right\n");
}
)",
               2);
}

// Two kernels that do not depend on each other are on two streams, and a third one waits for both.
TEST_F(CaptureTest, KernelsOfAGraphRunSideBySideWhereItLetsThem) {
  const std::string program = R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void spin(int* at, int rounds) {
  int value = at[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 5 + 1;
  at[threadIdx.x] = value;
}
int main(int count, char**) {
  int *memory[3], rounds = 20000;
  cudaGraph_t graph;
  cudaGraphNode_t nodes[3];
  cudaGraphCreate(&graph, 0);
  for (int i = 0; i < 3; ++i) {
    cudaMalloc(&memory[i], 128);
    void* arguments[] = {&memory[i], &rounds};
    cudaKernelNodeParams kernel = {(void*)spin, 1, 32, 0, arguments, nullptr};
    const int dependencies = i == 2 ? 2 : IN_A_ROW ? i : 0;
    cudaGraphAddKernelNode(&nodes[i], graph, nodes, dependencies, &kernel);
  }
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)";
  expect_right("beside", "#define IN_A_ROW 0\n" + program, 3);
  if (IsSkipped()) return;
  expect_right("row", "#define IN_A_ROW 1\n" + program, 3);
  const auto cycles = [this](const std::string& name) {
    return run(name + ".hcap --platform k20")["runs"][0]["cycles"].get<double>();
  };
  const double one = cycles("row") / 3;
  EXPECT_NEAR(cycles("beside") / one, 2, 0.3);
}

}  // namespace
}  // namespace heddle::test
