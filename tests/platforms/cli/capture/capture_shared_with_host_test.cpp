// Launches whose blocks meet, and memory that host and device share, are captured and replayed.

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

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

// The program's own function registers a variable as nvcc does one with __managed__: by the address of a
// pointer to it, which the host code follows.
TEST_F(CaptureTest, ManagedVariablesAreTheSameOnHostAndDevice) {
  expect_right("variables", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
__device__ int plain = 5;
__device__ int counts[4] = {1, 2, 3, 4};
__device__ double total = 1.5;
static int* counts_pointer;
static double* total_pointer;
static void** module;
extern "C" void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
extern "C" char __cudaInitModule(void**);
extern "C" void __cudaRegisterVar(void** binary, const void* host, char* device, const char* name, int external, std::size_t bytes, int constant, int global) {
  module = binary;
  if (std::strcmp(name, "counts") == 0)
    return __cudaRegisterManagedVar(binary, (void**)&counts_pointer, device, name, external, bytes, constant, global);
  if (std::strcmp(name, "total") == 0)
    return __cudaRegisterManagedVar(binary, (void**)&total_pointer, device, name, external, bytes, constant, global);
  const auto next = reinterpret_cast<decltype(&__cudaRegisterVar)>(dlsym(RTLD_NEXT, "__cudaRegisterVar"));
  next(binary, host, device, name, external, bytes, constant, global);
}
__global__ void add() {
  counts[threadIdx.x] += plain;
  if (threadIdx.x == 0) total *= 2;
}
int main() {
  __cudaInitModule(module);
  if (counts_pointer[3] != 4 || *total_pointer != 1.5) return 1;
  counts_pointer[0] = 100;
  add<<<1, 4>>>();
  cudaDeviceSynchronize();
  if (counts_pointer[0] != 105 || counts_pointer[3] != 9 || *total_pointer != 3) return 2;
  *total_pointer = 7;
  add<<<1, 4>>>();
  cudaDeviceSynchronize();
  if (counts_pointer[0] != 110 || *total_pointer != 14) return 3;
  std::printf("right\n");
}
)",
               2);
}

// With unified addressing, the pointer to pinned memory is that of the device, also within a structure.
TEST_F(CaptureTest, PinnedMemoryIsPassedToKernelsByItsHostPointer) {
  expect_right("pinned", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
extern "C" cudaError_t cudaHostAlloc(void**, std::size_t, unsigned);
extern "C" cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
extern "C" cudaError_t cudaHostUnregister(void*);
struct Pair { long count; const int* from; };
__global__ void add(Pair pair, int* to) {
  if (threadIdx.x < pair.count) to[threadIdx.x] += pair.from[threadIdx.x];
}
int main() {
  int *a, *b, *c;
  cudaMallocHost(&a, 128);
  cudaHostAlloc((void**)&b, 128, 0);
  c = (int*)std::malloc(128);
  cudaHostRegister(c, 128, 0);
  for (int i = 0; i < 32; ++i) a[i] = i, b[i] = 100, c[i] = 1000;
  add<<<1, 32>>>(Pair{32, a}, b);
  add<<<1, 32>>>(Pair{30, b + 2}, c + 1);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    if (b[i] != 100 + i || c[i] != 1000 + (i > 0 && i < 31 ? 100 + i + 1 : 0)) return 1;
  if (cudaHostUnregister(c) != cudaSuccess || cudaFreeHost(a) != cudaSuccess || cudaFreeHost(b) != cudaSuccess) return 2;
  if (cudaHostUnregister(c) == cudaSuccess) return 3;
  std::free(c);
  std::printf("right\n");
}
)",
               2);
}

}  // namespace
}  // namespace heddle::test
