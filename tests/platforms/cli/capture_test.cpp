// CUDA programs are captured without a GPU and replayed beside others.

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Texture references exist in CUDA 11 and not in CUDA 13. The runtime of CUDA 11 binds this one.
const char* const kTextureReference = R"(
#include <cuda_runtime.h>
#include <cstdio>
struct textureReference {
  int normalized;
  int filterMode;
  int addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int more[16];
};
template <class T, int dim, int mode>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {};
texture<float, 1, 0> image;
extern "C" int cudaBindTexture(std::size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, std::size_t);
extern "C" int cudaUnbindTexture(const textureReference*);
__global__ void fetch(float* result) {
  const int i = threadIdx.x;
  float value, g, b, a;
  asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [image, {%4}];" : "=f"(value), "=f"(g), "=f"(b), "=f"(a) : "r"(31 - i));
  result[i] = value;
}
int main() {
  float host[32];
  for (int i = 0; i < 32; ++i) host[i] = i * 0.5f;
  float *data, *result;
  cudaMalloc(&data, sizeof host);
  cudaMalloc(&result, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  std::size_t offset = 1;
  image.addressMode[0] = 1;
  if (cudaBindTexture(&offset, &image, data, &channel, sizeof host) != 0 || offset != 0) return 2;
  fetch<<<1, 32>>>(result);
  cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost);
  cudaUnbindTexture(&image);
  for (int i = 0; i < 32; ++i)
    if (host[i] != (31 - i) * 0.5f) return 1;
  std::printf("right\n");
}
)";

// Registers texture references as nvcc's host code does, by qualified names.
const char* const kQualifiedNames = R"(
#include <dlfcn.h>
extern "C" void __cudaRegisterTexture(void** binary, const void* host, const void** device, const char* name, int dimensions, int normalized, int external) {
  const auto next = reinterpret_cast<decltype(&__cudaRegisterTexture)>(dlsym(RTLD_NEXT, "__cudaRegisterTexture"));
  static char qualified[100];
  std::snprintf(qualified, sizeof qualified, "::%s", name);
  next(binary, host, device, qualified, dimensions, normalized, external);
}
)";

class CaptureTest : public CliTest {
 protected:
  // Compiles a program of stimuli/capture/examples. The test is skipped if there is no clang.
  void compile(const std::string& name) { compile_file(source() / (name + ".cu"), name); }

  void compile_text(const std::string& name, const std::string& text,
                    const std::string& soname = "libcudart.so.13") {
    write(name + ".cu", text);
    compile_file(directory_ / (name + ".cu"), name, soname);
  }

  Outcome capture(const std::string& name, const std::string& more = "") const {
    return heddle("capture -o " + name + ".hcap " + more + " -- ./" + name);
  }

  static std::filesystem::path source() {
    return std::filesystem::path(source_directory()) / "stimuli/capture/examples";
  }

  // Runs a program other than heddle in the directory of the test.
  void perform(const std::vector<std::string>& arguments) const {
    const auto enter = [&] {
      if (chdir(directory_.c_str()) != 0) _exit(126);
    };
    constexpr std::chrono::seconds kLongest{60};
    const Outcome outcome = execute_program(arguments, captured_, kLongest, {enter, {}, {}});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  nlohmann::json run(const std::string& words) const {
    const Outcome outcome = heddle("run " + words + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

 private:
  void compile_file(const std::filesystem::path& file, const std::string& name,
                    const std::string& soname = "libcudart.so.13") {
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v clang++ >/dev/null") != 0) GTEST_SKIP() << "there is no clang++ here";
    const std::string script = source_directory() + "/scripts/compile_cuda";
    perform({script, "--runtime", runtime_directory(), "--soname", soname, file.string(), "-o", name});
  }
};

TEST_F(CaptureTest, AnIterativeProgramReadsTrueResults) {
  compile("flood");
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
  compile("relay");
  if (IsSkipped()) return;
  ASSERT_EQ(capture("relay").code, 0);
  const nlohmann::json summary = run("relay.hcap --platform k20");
  EXPECT_EQ(summary["runs"][0]["applications"][0]["kernels_launched"], 3);
  EXPECT_EQ(summary["runs"][0]["applications"][0]["bytes_copied"], 3 * 8000);
}

TEST_F(CaptureTest, TexturesAndConstantsAreReplayed) {
  compile("sharpen");
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

TEST_F(CaptureTest, TextureReferencesOfCuda11AreReplayed) {
  for (const char* names : {"", kQualifiedNames}) {
    compile_text("reversed", std::string(kTextureReference) + names, "libcudart.so.11.0");
    if (IsSkipped()) return;
    const Outcome outcome = capture("reversed");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
    EXPECT_EQ(run("reversed.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 1);
  }
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
  EXPECT_TRUE(has(outcome.err, "kernel '_Z3oddPi' cannot be executed")) << outcome.err;
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

// The blocks meet at a barrier of the whole grid as NVIDIA's cooperative groups do: the first block adds what
// makes the highest bit flip when all others have added one.
TEST_F(CaptureTest, BlocksOfACooperativeLaunchMeet) {
  compile_text("meeting", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
extern "C" cudaError_t cudaDeviceGetAttribute(int*, int, int);
__device__ void meet() {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned* bar;
    asm("{ .reg .b32 hi, lo; mov.u32 hi, %%envreg1; mov.u32 lo, %%envreg2; mov.b64 %0, {lo, hi}; }" : "=l"(bar));
    const unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
    unsigned old, now;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;" : "=r"(old) : "l"(bar + 1), "r"(add) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(bar + 1) : "memory");
    } while (((old ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}
__global__ void rounds(int* a, int* b, int count) {
  const int size = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < count; ++round) {
    b[i] = a[(i + blockDim.x) % size] + 1;
    meet();
    a[i] = b[i];
    meet();
  }
}
int main() {
  int host[12 * 64], *a, *b, count = 5, can = 0;
  cudaDeviceGetAttribute(&can, 95, 0);
  if (can != 1) return 1;
  for (int i = 0; i < 12 * 64; ++i) host[i] = 10 * i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  void* arguments[] = {&a, &b, &count};
  for (int again = 0; again < 2; ++again)
    if (cudaLaunchCooperativeKernel((const void*)rounds, 12, 64, arguments, 0, nullptr) != cudaSuccess) return 2;
  if (cudaLaunchCooperativeKernel((const void*)rounds, 100000, 64, arguments, 0, nullptr) != 720) return 3;
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 12 * 64; ++i)
    if (host[i] != 10 * ((i + 10 * 64) % (12 * 64)) + 10) return 4;
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("meeting");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  EXPECT_EQ(run("meeting.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 2);
}

TEST_F(CaptureTest, ManagedMemoryIsTheSameOnHostAndDevice) {
  compile_text("managed", R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaMallocManaged(void**, std::size_t, unsigned);
__global__ void twice(int* at, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) at[i] *= 2;
}
int main() {
  constexpr int n = 5000;
  int *data, *other, *plain, host[n];
  cudaMallocManaged((void**)&data, n * sizeof(int), 1);
  cudaMallocManaged((void**)&other, 4, 1);
  cudaMalloc(&plain, n * sizeof(int));
  for (int i = 0; i < n; ++i) data[i] = i;
  *other = 77;
  twice<<<20, 256>>>(data, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    if (data[i] != 2 * i) return 1;
  data[4321] = 5;
  twice<<<20, 256>>>(data, n);
  twice<<<1, 32>>>(other, 1);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    if (data[i] != (i == 4321 ? 10 : 4 * i)) return 2;
  if (*other != 154) return 3;
  cudaMemcpy(plain, data, sizeof host, cudaMemcpyDefault);
  cudaMemcpy(host, plain, sizeof host, cudaMemcpyDeviceToHost);
  if (host[4999] != 4 * 4999) return 4;
  data[1] = 123;
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  if (host[1] != 123) return 5;
  cudaMemset(data, 0, 8);
  cudaDeviceSynchronize();
  if (data[1] != 0 || data[2] != 8) return 6;
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  if (data[1] != 123) return 7;
  if (cudaFree(other) != cudaSuccess || cudaFree(data) != cudaSuccess) return 8;
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("managed");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  EXPECT_EQ(run("managed.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 3);
}

TEST_F(CaptureTest, MappedHostMemoryIsReadAndWrittenByKernels) {
  compile_text("mapped", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
extern "C" cudaError_t cudaHostAlloc(void**, std::size_t, unsigned);
extern "C" cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
extern "C" cudaError_t cudaHostUnregister(void*);
extern "C" cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned);
__global__ void add(const int* from, int* to) { to[threadIdx.x] += from[threadIdx.x]; }
int main() {
  int *a, *b, *a_device, *b_device;
  cudaHostAlloc((void**)&a, 128, 2);
  b = (int*)std::malloc(128);
  cudaHostRegister(b, 128, 2);
  for (int i = 0; i < 32; ++i) a[i] = i, b[i] = 100;
  if (cudaHostGetDevicePointer((void**)&a_device, a, 0) != cudaSuccess || a_device != a) return 1;
  if (cudaHostGetDevicePointer((void**)&b_device, b + 1, 0) != cudaSuccess) return 2;
  if (cudaHostGetDevicePointer((void**)&b_device, b, 0) != cudaSuccess) return 3;
  int local;
  if (cudaHostGetDevicePointer((void**)&a_device, &local, 0) == cudaSuccess) return 4;
  add<<<1, 32>>>(a, b_device);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    if (b[i] != 100 + i) return 5;
  b[3] = 0;
  add<<<1, 32>>>(a, b_device);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    if (b[i] != (i == 3 ? 3 : 100 + 2 * i)) return 6;
  if (cudaHostUnregister(b) != cudaSuccess || cudaFreeHost(a) != cudaSuccess) return 7;
  std::free(b);
  std::printf("right\n");
}
)");
  if (IsSkipped()) return;
  const Outcome outcome = capture("mapped");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  EXPECT_EQ(run("mapped.hcap --platform k20")["runs"][0]["applications"][0]["kernels_launched"], 2);
}

// nvcc registers a reference in a namespace by its qualified name, and its PTX has the mangled one.
TEST_F(CaptureTest, TextureReferencesInNamespacesAreFound) {
  std::string program = std::string(kTextureReference) + kQualifiedNames;
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = program.find(what); at != std::string::npos;
         at = program.find(what, at + by.size()))
      program.replace(at, what.size(), by);
  };
  replace("texture<float, 1, 0> image;", "namespace maps { texture<float, 1, 0> image; }");
  replace("[image, {%4}]", "[_ZN4maps5imageE, {%4}]");
  replace("image.addressMode", "maps::image.addressMode");
  replace("&image", "&maps::image");
  replace("\"::%s\", name", "\"::maps::image\"");
  compile_text("spaces", program, "libcudart.so.11.0");
  if (IsSkipped()) return;
  const Outcome outcome = capture("spaces");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
}

// Each version of the runtime has the device properties at the offsets that its programs read.
TEST_F(CaptureTest, EveryRuntimeReportsThePlatformsProperties) {
  for (const std::string version : {"11.0", "12", "13"}) {
    const std::string major = version.substr(0, 2);
    const std::string get = major == "12" ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
    // The number of SMs is at offset 388 if the clock and the overlap are before it, and at 384 otherwise
    // (driver_types.h of NVIDIA).
    const std::string sms = major == "13" ? "384" : "388";
    compile_text(
        "told" + major,
        "#include <cuda_runtime.h>\n#include <cstdio>\n#include <cstring>\nextern \"C\" int " + get +
            "(void*, int);\nextern \"C\" int cudaRuntimeGetVersion(int*);\n__global__ void none() {}\n"
            "int main() { static char all[2048]; int sms, version; " +
            get + "(all, 0); std::memcpy(&sms, all + " + sms +
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
  compile("flood");
  if (IsSkipped()) return;
  compile("relay");
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
  compile("relay");
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

TEST_F(CaptureTest, WhatIsNotImplementedIsNamed) {
  compile_text("managed",
               "#include <cuda_runtime.h>\nextern \"C\" int cudaGraphCreate(void**, unsigned);\n"
               "int main() { void* graph; return cudaGraphCreate(&graph, 0); }\n");
  if (IsSkipped()) return;
  const Outcome outcome = capture("managed");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "heddle: a call of cudaGraphCreate, which is not implemented")) << outcome.err;
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
  void compile_with(const std::string& name, const std::string& flags) {
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v /usr/local/cuda/bin/nvcc >/dev/null") != 0)
      GTEST_SKIP() << "there is no nvcc here";
    std::vector<std::string> arguments{"/usr/local/cuda/bin/nvcc"};
    for (std::size_t at = 0; at < flags.size();) {
      const std::size_t end = std::min(flags.find(' ', at), flags.size());
      arguments.push_back(flags.substr(at, end - at));
      at = end + 1;
    }
    arguments.insert(arguments.end(), {(source() / (name + ".cu")).string(), "-o", name});
    perform(arguments);
  }
};

TEST_F(NvccTest, ItsProgramsAreCapturedHoweverTheirPtxIsPacked) {
  for (const char* mode : {"none", "speed", "size"}) {
    compile_with(
        "flood",
        std::string("-cudart shared -gencode arch=compute_75,code=compute_75 --compress-mode=") + mode);
    if (IsSkipped()) return;
    const Outcome outcome = capture("flood");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
    EXPECT_TRUE(has(outcome.err, "compute capability 7.5, the platform's GPU has 3.5")) << outcome.err;
  }
}

TEST_F(NvccTest, ItsProgramsWithTexturesAndStreamsAreCaptured) {
  for (const char* name : {"relay", "sharpen"}) {
    compile_with(name, "-cudart shared -gencode arch=compute_75,code=compute_75");
    if (IsSkipped()) return;
    const Outcome outcome = capture(name);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "right")) << outcome.out;
  }
}

TEST_F(NvccTest, AStaticRuntimeIsRefusedWithTheFlagThatHelps) {
  compile_with("flood", "-gencode arch=compute_75,code=compute_75");
  if (IsSkipped()) return;
  const Outcome outcome = capture("flood");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "nvcc -cudart shared")) << outcome.err;
}

TEST_F(NvccTest, MachineCodeAloneIsRefusedWithTheFlagThatHelps) {
  compile_with("flood", "-cudart shared -gencode arch=compute_75,code=sm_75");
  if (IsSkipped()) return;
  const Outcome outcome = capture("flood");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "-gencode arch=compute_75,code=compute_75")) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
