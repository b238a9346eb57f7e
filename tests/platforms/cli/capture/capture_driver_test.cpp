// Programs that use CUDA's driver interface are captured and replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

// The functions of the driver that the programs use, and a module in PTX.
const char* const kDriver = R"(
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
using Pointer = unsigned long long;
extern "C" {
int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuDeviceGetCount(int*);
int cuDeviceGetName(char*, int, int);
int cuDeviceGetAttribute(int*, int, int);
int cuCtxCreate_v2(void**, unsigned, int);
int cuCtxDestroy_v2(void*);
int cuCtxGetCurrent(void**);
int cuCtxPopCurrent_v2(void**);
int cuCtxPushCurrent_v2(void*);
int cuCtxSynchronize();
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuModuleLoad(void**, const char*);
int cuModuleLoadData(void**, const void*);
int cuModuleLoadDataEx(void**, const void*, unsigned, int*, void**);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuModuleGetGlobal_v2(Pointer*, std::size_t*, void*, const char*);
int cuFuncGetAttribute(int*, int, void*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuMemAlloc_v2(Pointer*, std::size_t);
int cuMemFree_v2(Pointer);
int cuMemcpyHtoD_v2(Pointer, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, Pointer, std::size_t);
int cuMemcpyDtoD_v2(Pointer, Pointer, std::size_t);
int cuMemcpyHtoDAsync_v2(Pointer, const void*, std::size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, Pointer, std::size_t, void*);
int cuMemsetD8_v2(Pointer, unsigned char, std::size_t);
int cuMemsetD32_v2(Pointer, unsigned, std::size_t);
int cuMemsetD16Async(Pointer, unsigned short, std::size_t, void*);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuStreamDestroy_v2(void*);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuEventSynchronize(void*);
int cuEventElapsedTime(float*, void*, void*);
int cuEventDestroy_v2(void*);
int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);
int cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
}
static const char* const text =
  ".version 6.0\n.target sm_35\n.address_size 64\n"
  ".visible .global .align 4 .u32 factor = 3;\n"
  ".visible .entry scale(.param .u64 to, .param .u32 more) {\n"
  ".reg .u32 %r<5>; .reg .u64 %d<4>;\n"
  "mov.u32 %r1, %tid.x; mul.wide.u32 %d1, %r1, 4; ld.param.u64 %d2, [to]; add.u64 %d2, %d2, %d1;\n"
  "ld.global.u32 %r2, [%d2]; ld.global.u32 %r3, [factor]; ld.param.u32 %r4, [more];\n"
  "mad.lo.u32 %r2, %r2, %r3, %r4; st.global.u32 [%d2], %r2; ret; }\n";
)";

const char* const kDriverProgram = R"(
int main(int count, char** words) {
  int device, devices = 0, value = 0, host[32];
  void *context, *current, *module, *other, *function, *stream, *event, *end;
  Pointer a, b, factor;
  std::size_t bytes = 0;
  const char* name = nullptr;
  if (cuDeviceGet(&device, 0) != 3 || cuMemAlloc_v2(&a, 4) != 3 || cuInit(1) != 1) return 1;
  if (cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0 || cuDeviceGet(&device, 1) != 101) return 2;
  if (cuDeviceGetCount(&devices) != 0 || devices != 1) return 3;
  char title[64];
  if (cuDeviceGetName(title, sizeof title, 0) != 0 || std::strcmp(title, "Heddle k20") != 0) return 4;
  if (cuDeviceGetAttribute(&value, 16, 0) != 0 || value != 13 || cuDeviceGetAttribute(&value, 9999, 0) != 1) return 5;
  if (cuMemAlloc_v2(&a, 4) != 201) return 6;
  if (cuCtxCreate_v2(&context, 0, 0) != 0 || cuCtxGetCurrent(&current) != 0 || current != context) return 7;
  if (cuCtxPopCurrent_v2(&current) != 0 || cuMemAlloc_v2(&a, 4) != 201 || cuCtxPushCurrent_v2(context) != 0) return 8;
  if (cuModuleLoadData(&module, text) != 0) return 9;
  if (cuModuleLoadData(&other, ".version 6.0\n.target nothing\n") != 218) return 10;
  if (cuModuleLoad(&other, "missing.ptx") != 301 || cuModuleLoad(&other, words[1]) != 0) return 11;
  if (cuModuleGetFunction(&function, module, "none") != 500 || cuModuleGetFunction(&function, &a, "scale") != 400) return 12;
  if (cuModuleGetFunction(&function, module, "scale") != 0) return 13;
  if (cuFuncGetAttribute(&value, 4, function) != 0 || value < 3 || cuFuncGetAttribute(&value, 99, function) != 1) return 14;
  if (cuModuleGetGlobal_v2(&factor, &bytes, module, "factor") != 0 || bytes != 4) return 15;
  if (cuModuleGetGlobal_v2(&factor, &bytes, module, "none") != 500) return 16;
  if (cuMemAlloc_v2(&a, 0) != 1 || cuMemAlloc_v2(&a, 1ull << 45) != 2) return 17;
  if (cuMemAlloc_v2(&a, sizeof host) != 0 || cuMemAlloc_v2(&b, sizeof host) != 0) return 18;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cuStreamCreate(&stream, 0);
  cuEventCreate(&event, 0);
  cuEventCreate(&end, 0);
  cuMemcpyHtoDAsync_v2(a, host, sizeof host, stream);
  cuEventRecord(event, stream);
  int more = 1000;
  void* arguments[] = {&a, &more};
  if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) != 0) return 19;
  if (cuLaunchKernel(function, 1, 1, 1, 3200, 1, 1, 0, stream, arguments, nullptr) != 1) return 20;
  if (cuLaunchKernel(&a, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) != 400) return 21;
  if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, &a, arguments, nullptr) != 400) return 22;
  cuEventRecord(end, stream);
  cuMemcpyDtoHAsync_v2(host, a, sizeof host, stream);
  cuStreamSynchronize(stream);
  if (host[31] != 1093) return 23;
  float time = 0;
  if (cuEventElapsedTime(&time, event, end) != 0 || !(time > 0)) return 24;
  int five = 5;
  cuModuleGetGlobal_v2(&factor, nullptr, other, "factor");
  cuMemcpyHtoD_v2(factor, &five, 4);
  cuModuleGetFunction(&function, other, "scale");
  struct { Pointer to; int more; } packed = {a, 0};
  bytes = 12;
  void* extra[] = {(void*)1, &packed, (void*)2, &bytes, nullptr};
  if (cuLaunchKernel(function, 1, 1, 1, 16, 1, 1, 0, nullptr, nullptr, extra) != 0) return 25;
  cuMemcpyDtoD_v2(b, a, sizeof host);
  cuMemcpyDtoH_v2(host, b, sizeof host);
  if (host[15] != 5 * 1045 || host[16] != 1048) return 26;
  cuMemsetD32_v2(a, 0x01020304, 32);
  cuMemsetD8_v2(a, 7, 4);
  cuMemsetD16Async(a + 4, 0x0102, 2, stream);
  cuCtxSynchronize();
  cuMemcpyDtoH_v2(host, a, sizeof host);
  if (host[0] != 0x07070707 || host[1] != 0x01020102 || host[31] != 0x01020304) return 27;
  if (cuMemcpyDtoH_v2(host, a + 100, sizeof host) != 1 || cuMemFree_v2(a + 4) != 1) return 28;
  if (cuGetErrorName(1, &name) != 0 || std::strcmp(name, "CUDA_ERROR_INVALID_VALUE") != 0) return 29;
  if (cuGetErrorName(400, &name) != 0 || std::strcmp(name, "CUDA_ERROR_INVALID_HANDLE") != 0) return 30;
  if (cuGetErrorName(123456, &name) != 1 || name != nullptr) return 31;
  if (cuGetErrorString(2, &name) != 0 || name == nullptr) return 32;
  int (*found)(Pointer) = nullptr;
  int status = 9;
  if (cuGetProcAddress_v2("cuMemFree", (void**)&found, 12000, 0, &status) != 0 || status != 0 || found != &cuMemFree_v2) return 33;
  if (cuGetProcAddress_v2("cuNothing", (void**)&found, 12000, 0, &status) != 500 || status != 1 || found != nullptr) return 34;
  if (cuModuleUnload(module) != 0 || cuModuleUnload(module) != 400) return 35;
  if (cuStreamDestroy_v2(stream) != 0 || cuEventDestroy_v2(event) != 0 || cuMemFree_v2(b) != 0) return 36;
  if (cuCtxDestroy_v2(context) != 0 || cuCtxDestroy_v2(context) != 201) return 37;
  std::printf("right\n");
}
)";

class CaptureDriverTest : public CaptureTest {
 protected:
  // Compiles a program that needs libcuda.so.1, as linkers make one from the library of CUDA's toolkit.
  void compile_driver_program(const std::string& name, const std::string& text) {
    if (kSanitized) GTEST_SKIP() << "programs without sanitizers cannot load a library with them";
    if (std::system("command -v clang++ >/dev/null") != 0) GTEST_SKIP() << "there is no clang++ here";
    write("driver.cpp", definitions_of(text));
    perform({"/usr/bin/clang++", "-shared", "-fPIC", "driver.cpp", "-Wl,-soname,libcuda.so.1", "-o",
             "libdriver.so"});
    write(name + ".cpp", text);
    perform({"/usr/bin/clang++", name + ".cpp", "-o", name, "-Wl,--no-as-needed", "libdriver.so", "-ldl"});
  }

 private:
  // Returns functions of these names that do nothing.
  static std::string definitions_of(const std::string& text) {
    const std::regex call(R"(\b(cu[A-Z]\w*)\()");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), call); at != std::sregex_iterator(); ++at)
      names.insert((*at)[1]);
    std::string all;
    for (const std::string& name : names) all.append("extern \"C\" void ").append(name).append("() {}\n");
    return all;
  }
};

TEST_F(CaptureDriverTest, AProgramMayUseTheDriverAlone) {
  const std::string module = std::string(kDriver) + "#include <fstream>\n";
  std::string program = module + kDriverProgram;
  // The program writes its module to a file, and loads it from there, too.
  const std::string start = "if (cuDeviceGet(&device, 0) != 3";
  program.replace(program.find(start), start.size(), "std::ofstream(\"own.ptx\") << text;\n  " + start);
  program.replace(program.find("words[1]"), 8, "\"own.ptx\"");
  compile_driver_program("driver", program);
  if (IsSkipped()) return;
  expect_captured("driver", 2);
}

TEST_F(CaptureDriverTest, TheRuntimeAndTheDriverShareTheirState) {
  const std::string program = std::string("#include <cuda_runtime.h>\n") + kDriver + R"(
extern "C" cudaError_t cudaGetDriverEntryPoint(const char*, void**, unsigned long long, int*);
extern "C" cudaError_t cudaPeekAtLastError();
extern "C" int cuLaunchKernel_ptsz(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
extern "C" int cuMemcpyDtoHAsync_v2_ptsz(void*, Pointer, std::size_t, void*);
extern "C" int cuStreamSynchronize_ptsz(void*);
__global__ void add(int* at) { at[threadIdx.x] += 1; }
int main() {
  int host[32], *a, more = 100, status = 9;
  void *module, *function, *context;
  for (int i = 0; i < 32; ++i) host[i] = i;
  if (cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context, 0) != 0 || cuCtxSetCurrent(context) != 0) return 1;
  cudaMalloc(&a, sizeof host);
  cuMemcpyHtoD_v2((Pointer)a, host, sizeof host);
  add<<<1, 32>>>(a);
  if (cuModuleLoadDataEx(&module, text, 0, nullptr, nullptr) != 0) return 2;
  int (*get)(void**, void*, const char*) = nullptr;
  if (cudaGetDriverEntryPoint("cuModuleGetFunction", (void**)&get, 0, &status) != cudaSuccess || status != 0) return 3;
  if (get(&function, module, "scale") != 0) return 4;
  void* arguments[] = {&a, &more};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr) != 0) return 5;
  if (cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, stream, arguments, nullptr) != 1) return 6;
  if (cudaPeekAtLastError() != cudaSuccess) return 7;
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  if (host[31] != 196) return 8;
  if (cuLaunchKernel_ptsz(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) != 0) return 9;
  if (cuMemcpyDtoHAsync_v2_ptsz(host, (Pointer)a, sizeof host, nullptr) != 0 || cuStreamSynchronize_ptsz(nullptr) != 0) return 10;
  if (host[0] != 3 * 103 + 100 || cuGetProcAddress_v2("cuMemcpyDtoHAsync", (void**)&get, 12000, 2, &status) != 0) return 11;
  if ((void*)get != (void*)&cuMemcpyDtoHAsync_v2_ptsz) return 12;
  std::printf("right\n");
}
)";
  expect_right("both", program, 3);
}

TEST_F(CaptureDriverTest, WhatTheDriverDoesNotPerformIsNamed) {
  compile_driver_program(
      "linking",
      "extern \"C\" int cuInit(unsigned);\nextern \"C\" int cuLinkCreate_v2(int, void*, void*, void*);\n"
      "int main() { cuInit(0); return cuLinkCreate_v2(0, nullptr, nullptr, nullptr); }\n");
  if (IsSkipped()) return;
  const Outcome outcome = capture("linking");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(has(outcome.err, "heddle: a call of cuLinkCreate_v2, which is not supported")) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
