// The carve-out of shared memory that a program prefers: what the program is told, what is captured, and what
// a machine makes of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "stimuli/capture/format/capture_file.h"
#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

class CaptureCarveOuts : public CaptureTest {
 protected:
  // Returns the carve-outs that the launches of a capture prefer, in their order.
  std::vector<int> carve_outs_of(const std::string& name) const {
    const heddle::capture::Capture read = heddle::capture::load_capture(directory_ / (name + ".hcap"));
    std::vector<int> carve_outs;
    for (const heddle::capture::CapturedCall& call : read.calls)
      if (call.kind == heddle::capture::CapturedCall::Kind::kLaunch) carve_outs.push_back(call.carve_out);
    return carve_outs;
  }

  // Replays "small" and returns the cycles from the first block to the end of each launch.
  std::vector<std::uint64_t> cycles_of_launches(const std::string& platform) const {
    const Outcome run = heddle("run small.hcap --platform " + platform + " --out " + platform);
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream table(read(platform + "/1-" + platform + "/kernels.csv"));
    std::vector<std::uint64_t> cycles;
    const std::vector<std::string> head = cells_of(table);
    const auto column = [&](const char* name) {
      return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
    };
    for (std::vector<std::string> row; !(row = cells_of(table)).empty();)
      cycles.push_back(std::stoull(row.at(column("end [cycle]"))) -
                       std::stoull(row.at(column("start [cycle]"))));
    return cycles;
  }

 private:
  static std::vector<std::string> cells_of(std::istream& table) {
    std::vector<std::string> cells;
    std::string line, cell;
    std::getline(table, line);
    for (std::istringstream parts(line); std::getline(parts, cell, ',');) cells.push_back(cell);
    return cells;
  }
};

TEST_F(CaptureCarveOuts, AreThoseOfTheKernelAtItsLaunch) {
  expect_right("preferring", R"(
#include <cuda_runtime.h>
#include <cstdio>
struct Attributes { std::size_t bytes[3]; int numbers[16]; };  // the carve-out is the seventh number
extern "C" cudaError_t cudaFuncGetAttributes(Attributes*, const void*);
__global__ void fill(int* at, int what) { at[threadIdx.x] = what; }
__global__ void other(int* at, int what) { at[threadIdx.x] = what; }
int main() {
  const void* const kernel = (const void*)fill;
  constexpr int kCarveOut = cudaFuncAttributePreferredSharedMemoryCarveout;
  Attributes known;
  int* data;
  cudaMalloc((void**)&data, 128);
  if (cudaFuncGetAttributes(&known, kernel) != cudaSuccess || known.numbers[6] != -1) return 1;
  const int good[] = {cudaSharedmemCarveoutMaxL1, 50, cudaSharedmemCarveoutMaxShared,
                      cudaSharedmemCarveoutDefault};
  for (const int percent : good) {
    if (cudaFuncSetAttribute(kernel, kCarveOut, percent) != cudaSuccess) return 2;
    if (cudaFuncGetAttributes(&known, kernel) != cudaSuccess || known.numbers[6] != percent) return 3;
    fill<<<1, 32>>>(data, percent);
    other<<<1, 32>>>(data, percent);
  }
  cudaFuncSetAttribute(kernel, kCarveOut, 25);
  const int bad[] = {-2, 101}, unknown[] = {0, 7, 16};
  for (const int percent : bad) {
    if (cudaFuncSetAttribute(kernel, kCarveOut, percent) != cudaErrorInvalidValue) return 4;
    if (cudaGetLastError() != cudaErrorInvalidValue) return 5;
  }
  for (const int attribute : unknown)
    if (cudaFuncSetAttribute(kernel, attribute, 0) != cudaErrorInvalidValue) return 6;
  if (cudaFuncSetAttribute((const void*)&known, kCarveOut, 0) != 98) return 7;
  fill<<<1, 32>>>(data, 0);
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)",
               9);
  if (IsSkipped()) return;
  EXPECT_EQ(carve_outs_of("preferring"), (std::vector<int>{0, -1, 50, -1, 100, -1, -1, -1, 25}));
}

TEST_F(CaptureCarveOuts, OfTheDriverAndOfGraphsAreKept) {
  expect_right("driver", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" int cuInit(unsigned);
extern "C" int cuFuncSetAttribute(const void*, int, int);
extern "C" int cuFuncGetAttribute(int*, int, const void*);
extern "C" int cudaGetFuncBySymbol(const void**, const void*);
__global__ void fill(int* at, int what) { at[threadIdx.x] = what; }
int main() {
  int *data, got = 0;
  cudaMalloc((void**)&data, 128);
  cuInit(0);
  const void* function;
  if (cudaGetFuncBySymbol(&function, (const void*)fill) != 0) return 1;
  if (cuFuncGetAttribute(&got, 9, function) != 0 || got != -1) return 2;
  if (cuFuncSetAttribute(function, 9, 101) != 1) return 3;
  if (cuFuncSetAttribute(function, 9, 75) != 0) return 4;
  if (cuFuncGetAttribute(&got, 9, function) != 0 || got != 75) return 5;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 32, 0, stream>>>(data, 1);
  if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return 6;
  if (cudaGraphInstantiate(&executable, graph) != cudaSuccess) return 7;
  cudaGraphLaunch(executable, stream);
  cudaDeviceSynchronize();
  std::printf("right\n");
}
)",
               1);
  if (IsSkipped()) return;
  EXPECT_EQ(carve_outs_of("driver"), (std::vector<int>{75}));
}

// Each block holds 8 KiB: 7 KiB of its own, and 1 KiB that is reserved. An SM of an A100 has 20 such blocks
// in 164 KiB, and one in the smallest carve-out that holds one, 8 KiB. Then two blocks for each SM are two
// waves.
TEST_F(CaptureCarveOuts, LimitTheBlocksOfAnSmOnAMachineWithCarveOuts) {
  compile_text("small", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void spin(unsigned* data) {
  __shared__ unsigned words[7 * 256];
  unsigned value = threadIdx.x;
  for (int round = 0; round < 100; ++round) value = value * 1664525u + 1013904223u;
  words[threadIdx.x] = value;
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}
int main() {
  unsigned* data;
  int blocks = 0;
  cudaMalloc((void**)&data, 4 * 32 * 1000);
  const int percents[] = {-1, -1, 0, 100};
  for (const int percent : percents) {
    cudaFuncSetAttribute((const void*)spin, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)spin, 32, 0);
    std::printf("%d ", blocks);
    spin<<<216, 32>>>(data);
    cudaDeviceSynchronize();
  }
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("small", "--platform a100-80");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "20 20 1 20 right")) << outcome.out;
  EXPECT_EQ(carve_outs_of("small"), (std::vector<int>{-1, -1, 0, 100}));
  const std::vector<std::uint64_t> cycles = cycles_of_launches("a100-80");
  ASSERT_EQ(cycles.size(), 4u);
  EXPECT_GT(2 * cycles[2], 3 * cycles[1]);
  // The launches start at different times of the memory's clocks.
  const auto without_preference = static_cast<double>(cycles[1]);
  EXPECT_NEAR(static_cast<double>(cycles[3]), without_preference, 0.01 * without_preference)
      << "without a preference the carve-out is the largest one, too";
  const std::vector<std::uint64_t> without = cycles_of_launches("k20");
  ASSERT_EQ(without.size(), 4u);
  EXPECT_EQ(without[2], without[1]) << "shared memory has its own size";
}

}  // namespace
}  // namespace heddle::test
