// CUDA programs are captured without a GPU and replayed beside others.

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

TEST_F(CaptureTest, AnIterativeProgramReadsTrueResults) {
  compile("algorithms", "flood");
  if (IsSkipped()) return;
  const Outcome outcome = capture("flood");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "rounds, right")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "launches of 1 kernels")) << outcome.out;
  const nlohmann::json summary = run("flood.hcap --platform k20");
  const nlohmann::json& kernel = summary["runs"][0]["applications"][0]["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "spread");
  EXPECT_GT(kernel["ended"], 5);
}

TEST_F(CaptureTest, StreamsAndEventsAreReplayed) {
  compile("streams", "relay");
  if (IsSkipped()) return;
  ASSERT_EQ(capture("relay").code, 0);
  const nlohmann::json summary = run("relay.hcap --platform k20");
  EXPECT_EQ(summary["runs"][0]["applications"][0]["kernels_launched"], 3);
  EXPECT_EQ(summary["runs"][0]["applications"][0]["bytes_copied"], 3 * 8000);
}

TEST_F(CaptureTest, TexturesAndConstantsAreReplayed) {
  compile("memory", "sharpen");
  if (IsSkipped()) return;
  const Outcome outcome = capture("sharpen");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "sharpen: 40 by 40, right")) << outcome.out;
  EXPECT_EQ(run("sharpen.hcap --platform gtx480")["runs"][0]["applications"][0]["kernels_launched"], 1);
}

TEST_F(CaptureTest, AThreadThatNeedsMoreRegistersThanItMayHaveSpills) {
  compile_text("wide", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void wide(const volatile int* from, volatile int* to) {
  int values[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) values[i] = from[32 * i + threadIdx.x];
#pragma unroll
  for (int i = 47; i >= 0; --i) to[32 * i + threadIdx.x] = values[i] + values[47 - i];
}
int main() {
  int host[48 * 32], *from, *to;
  for (int i = 0; i < 48 * 32; ++i) host[i] = i;
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof host);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  wide<<<1, 32>>>(from, to);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 48 * 32; ++i)
    if (host[i] != 47 * 32 + 2 * (i % 32)) return 2;
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  write("narrow.yaml",
        "base: k20\nplatform: narrow\ndescription: 32 registers\nsm: {registers_per_thread: 32}\n");
  const Outcome outcome = capture("wide", "--platform narrow.yaml");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  const auto kernel = [this](const std::string& platform) {
    return run("wide.hcap --platform " + platform)["runs"][0]["applications"][0]["kernels"][0];
  };
  EXPECT_GT(kernel("narrow.yaml")["warp_instructions"], kernel("k20")["warp_instructions"]);
}

TEST_F(CaptureTest, DynamicSharedMemoryStartsAligned) {
  compile_text("aligned", R"(
#include <cuda_runtime.h>
#include <cstdio>
struct alignas(16) Pair { double v[2]; };
extern __shared__ Pair rest[];
__global__ void fill(double* to) {
  __shared__ volatile int one;
  if (threadIdx.x == 0) one = 3;
  rest[threadIdx.x].v[1] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = rest[threadIdx.x].v[1] + one;
}
int main() {
  double host[32], *to;
  cudaMalloc(&to, sizeof host);
  fill<<<1, 32, 32 * 16>>>(to);
  cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (host[i] != i + 3) return 1;
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("aligned");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
}

TEST_F(CaptureTest, CopiesFromOrToNowhereAreErrors) {
  compile_text("nowhere", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void none() {}
int main() {
  int host[4], *a, *b;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  none<<<1, 1>>>();
  const auto refused = [](cudaError_t error) { return error == 1; };
  int* const null = nullptr;
  if (!refused(cudaMemcpy(a, null, 16, cudaMemcpyHostToDevice))) return 1;
  if (!refused(cudaMemcpy(null, a, 16, cudaMemcpyDeviceToHost))) return 2;
  if (!refused(cudaMemcpy(null, a, 16, cudaMemcpyDefault))) return 3;
  if (!refused(cudaMemcpy(a, b, 16, cudaMemcpyHostToDevice))) return 4;
  if (!refused(cudaMemcpy(a, b, 16, cudaMemcpyDeviceToHost))) return 5;
  if (!refused(cudaMemcpy(host, b, 16, cudaMemcpyHostToHost))) return 6;
  if (!refused(cudaMemcpy(host, a, 16, cudaMemcpyDeviceToDevice))) return 7;
  cudaFree(b);
  if (!refused(cudaMemcpy(a, b, 16, cudaMemcpyHostToDevice))) return 8;
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("nowhere");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
}

// A program of its own name, and one kernel of two, which has a form that is not read.
const char* const kTwoKernels = R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void good(int* to) { *to = 1; }
__global__ void odd(int* to) { asm volatile("frobnicate.u32 %0;" : : "r"(*to)); }
int main(int count, char**) {
  int host = 0, *to;
  cudaMalloc(&to, sizeof host);
  good<<<1, 1>>>(to);
  if (count > 1) odd<<<1, 1>>>(to);
  cudaMemcpy(&host, to, sizeof host, cudaMemcpyDeviceToHost);
  if (host == 1) std::printf("right\n");
}
)";

TEST_F(CaptureTest, AFormThatIsNotReadRefusesOnlyLaunchesOfItsKernel) {
  compile_text("two", kTwoKernels);
  if (IsSkipped()) return;
  Outcome outcome = capture("two");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  EXPECT_EQ(run("two.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 1);
  outcome = heddle("capture -o more.hcap -- ./two now");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "kernel 'odd' cannot be executed")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "unknown opcode 'frobnicate': frobnicate.u32")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "compile the kernel without them")) << outcome.err;
}

TEST_F(CaptureTest, NamesMayHaveDotsAndComeFromTheFileOrTheExperiment) {
  compile_text("a.out", kTwoKernels);
  if (IsSkipped()) return;
  for (const char* name : {"a.out", "b"})
    ASSERT_EQ(heddle(std::string("capture -o ") + name + ".hcap -- ./a.out").code, 0) << name;
  EXPECT_EQ(run("a.out.hcap --platform k20")["runs"][0]["applications"][0]["application"], "a.out");
  write("both.yaml", "experiment: both\nplatform: k20\napplications: [a.out.hcap, b.hcap]\n");
  EXPECT_EQ(run("both.yaml")["runs"][0]["applications"][1]["application"], "b");
  perform({"cp", "b.hcap", "c.hcap"});
  write("equal.yaml",
        "experiment: equal\nplatform: k20\napplications: [b.hcap, {application: a.out.hcap, name: b}]\n");
  const Outcome equal = heddle("run equal.yaml");
  EXPECT_EQ(equal.code, 2);
  EXPECT_TRUE(has(equal.err, "{application: a.out.hcap, name: NAME}")) << equal.err;
  write("named.yaml",
        "experiment: named\nplatform: k20\napplications: [b.hcap, {application: b.hcap, name: other}]\n");
  const nlohmann::json named = run("named.yaml --out kept");
  EXPECT_EQ(named["runs"][0]["applications"][1]["application"], "other");
  EXPECT_EQ(run("kept/experiment.yaml")["runs"][0]["applications"][1]["application"], "other");
}

// Each version of the runtime has the device properties at the offsets that its programs read.
TEST_F(CaptureTest, EveryRuntimeReportsThePlatformsProperties) {
  for (const std::string version : {"11.0", "12", "13"}) {
    const std::string major = version.substr(0, 2);
    const std::string get = major == "12" ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
    // The number of SMs is at offset 388 if the clock and the overlap are before it, and at 384 otherwise
    // (driver_types.h of NVIDIA).
    const std::string sms = major == "13" ? "384" : "388";
    compile_text("told" + major,
                 "#include <cuda_runtime.h>\n#include <cstdio>\n#include <cstring>\n"
                 "extern \"C\" int properties(void*, int) __asm__(\"" +
                     get +
                     "\");\nextern \"C\" int cudaRuntimeGetVersion(int*);\n__global__ void none() {}\n"
                     "int main() { static char all[2048]; int sms, version; properties(all, 0);"
                     " std::memcpy(&sms, all + " +
                     sms +
                     ", 4); cudaRuntimeGetVersion(&version); none<<<1, 1>>>(); "
                     "std::printf(\"%s: %d SMs, %d\\n\", all, sms, version / 1000); }\n",
                 "libcudart.so." + version);
    if (IsSkipped()) return;
    const Outcome outcome = capture("told" + major, "--platform gtx480");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "Heddle gtx480: 15 SMs, " + major)) << outcome.out;
  }
}

TEST_F(CaptureTest, ProgramsShareAGpuUnderEveryPolicy) {
  compile("algorithms", "flood");
  if (IsSkipped()) return;
  compile("streams", "relay");
  ASSERT_EQ(capture("flood").code, 0);
  ASSERT_EQ(capture("relay").code, 0);
  write("pair.yaml",
        "experiment: pair\nplatform: k20\napplications: [flood.hcap, relay.hcap]\n"
        "compare: [{sm_partitioner: token}, {sm_partitioner: {name: fixed, quotas: [2, 2]}}]\n");
  const nlohmann::json summary = run("pair.yaml");
  ASSERT_EQ(summary["runs"].size(), 2u);
  for (const nlohmann::json& one : summary["runs"])
    for (const nlohmann::json& application : one["applications"])
      EXPECT_GE(application["completions"], 1) << one["label"];
}

TEST_F(CaptureTest, TheSameProgramGivesTheSameBytes) {
  compile("streams", "relay");
  if (IsSkipped()) return;
  ASSERT_EQ(capture("relay").code, 0);
  const std::string first = read("relay.hcap");
  ASSERT_EQ(capture("relay").code, 0);
  EXPECT_EQ(read("relay.hcap"), first);
}

TEST_F(CaptureTest, AFaultInAKernelLeavesNothing) {
  compile_text("astray",
               "#include <cuda_runtime.h>\n__global__ void stray(int* at) { at[1 << 20] = 1; }\n"
               "int main() { int* a; cudaMalloc(&a, 4); stray<<<1, 1>>>(a); cudaDeviceSynchronize(); }\n");
  if (IsSkipped()) return;
  const Outcome outcome = capture("astray");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "stray")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "nothing was captured")) << outcome.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"astray", "astray.cu"}));
}

TEST_F(CaptureTest, AProgramThatFailsOrCrashesLeavesNothing) {
  compile_text("failing",
               "#include <cuda_runtime.h>\n#include <cstdlib>\n__global__ void none() {}\n"
               "int main(int count, char**) { none<<<1, 1>>>(); if (count > 1) std::abort(); return 5; }\n");
  if (IsSkipped()) return;
  Outcome outcome = capture("failing");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "nothing was captured")) << outcome.err;
  outcome = heddle("capture -o failing.hcap -- ./failing now");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "ended by signal 6")) << outcome.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"failing", "failing.cu"}));
}

TEST_F(CaptureTest, WhatIsNotSupportedIsNamed) {
  compile_text("managed",
               "#include <cuda_runtime.h>\nextern \"C\" int cudaGraphicsMapResources(int, void**, void*);\n"
               "int main() { return cudaGraphicsMapResources(0, nullptr, nullptr); }\n");
  if (IsSkipped()) return;
  const Outcome outcome = capture("managed");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(
      has(outcome.err,
          "heddle: a call of cudaGraphicsMapResources, which is not supported; heddle list runtime-calls"))
      << outcome.err;
}

TEST_F(CaptureTest, AProgramWithoutCudaIsNoCapture) {
  const Outcome outcome = heddle("capture -o none.hcap -- true");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "has made no call of the CUDA runtime")) << outcome.err;
  EXPECT_TRUE(files().empty());
}

TEST_F(CaptureTest, BadUseIsRefusedBeforeTheProgramRuns) {
  EXPECT_TRUE(has(heddle("capture -o a.hcap -- ./missing").err, "there is no program './missing'"));
  EXPECT_TRUE(has(heddle("capture -o a.txt -- true").err, "must end in .hcap"));
  EXPECT_TRUE(has(heddle("capture -o a/b.hcap -- true").err, "there is no such folder"));
  EXPECT_TRUE(has(heddle("capture -o a.hcap --platform k21 -- true").err, "did you mean"));
  EXPECT_EQ(heddle("capture -o a.hcap").code, 2);
  write("bad.hcap", "nonsense");
  EXPECT_EQ(heddle("run bad.hcap --platform k20").code, 2);
  EXPECT_TRUE(has(heddle("run bad.hcap").err, "a captured program needs a platform"));
}

// These tests are skipped on a machine without nvcc.
class NvccTest : public CaptureTest {
 protected:
  void compile_with(const std::string& folder, const std::string& name, const std::string& flags) {
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v /usr/local/cuda/bin/nvcc >/dev/null") != 0)
      GTEST_SKIP() << "there is no nvcc here";
    std::vector<std::string> arguments{"/usr/local/cuda/bin/nvcc"};
    for (std::size_t at = 0; at < flags.size();) {
      const std::size_t end = std::min(flags.find(' ', at), flags.size());
      arguments.push_back(flags.substr(at, end - at));
      at = end + 1;
    }
    arguments.insert(arguments.end(), {(source() / folder / (name + ".cu")).string(), "-o", name});
    perform(arguments);
  }
};

TEST_F(NvccTest, ItsProgramsAreCapturedHoweverTheirPtxIsPacked) {
  for (const char* mode : {"none", "speed", "size"}) {
    compile_with(
        "algorithms", "flood",
        std::string("-cudart shared -gencode arch=compute_75,code=compute_75 --compress-mode=") + mode);
    if (IsSkipped()) return;
    const Outcome outcome = capture("flood");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
    EXPECT_TRUE(has(outcome.err, "compute capability 7.5, the platform's GPU has 3.5")) << outcome.err;
  }
}

TEST_F(NvccTest, ItsProgramsWithTexturesAndStreamsAreCaptured) {
  const std::pair<const char*, const char*> programs[] = {{"streams", "relay"}, {"memory", "sharpen"}};
  for (const auto& [folder, name] : programs) {
    compile_with(folder, name, "-cudart shared -gencode arch=compute_75,code=compute_75");
    if (IsSkipped()) return;
    const Outcome outcome = capture(name);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  }
}

TEST_F(NvccTest, AStaticRuntimeIsRefusedWithTheFlagThatHelps) {
  compile_with("algorithms", "flood", "-gencode arch=compute_75,code=compute_75");
  if (IsSkipped()) return;
  const Outcome outcome = capture("flood");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "nvcc -cudart shared")) << outcome.err;
}

TEST_F(NvccTest, MachineCodeAloneIsRefusedWithTheFlagThatHelps) {
  compile_with("algorithms", "flood", "-cudart shared -gencode arch=compute_75,code=sm_75");
  if (IsSkipped()) return;
  const Outcome outcome = capture("flood");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "-gencode arch=compute_75,code=compute_75")) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
