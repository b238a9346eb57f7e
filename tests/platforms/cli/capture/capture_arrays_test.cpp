// Memory of three dimensions, arrays with layers and faces, and surfaces are captured and replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/capture/capture.h"

namespace heddle::test {
namespace {

TEST_F(CaptureTest, MemoryOfThreeDimensionsIsCopiedAndFilled) {
  expect_right("volume", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
__global__ void add(char* at, std::size_t pitch, std::size_t rows) {
  *(int*)(at + (threadIdx.z * rows + threadIdx.y) * pitch + threadIdx.x * 4) += 1000;
}
int main() {
  int host[3][4][5], result[3][4][5];
  for (int i = 0; i < 60; ++i) host[i / 20][i / 5 % 4][i % 5] = i;
  cudaPitchedPtr device;
  const cudaExtent all = {20, 4, 3};
  if (cudaMalloc3D(&device, all) != cudaSuccess || device.pitch < 20 || device.ysize != 4) return 1;
  if (cudaMemset3D(device, 0, all) != cudaSuccess) return 2;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {host, 20, 20, 4};
  copy.dstPtr = device;
  copy.extent = all;
  copy.kind = cudaMemcpyHostToDevice;
  if (cudaMemcpy3D(&copy) != cudaSuccess) return 3;
  add<<<1, dim3(5, 4, 3)>>>((char*)device.ptr, device.pitch, device.ysize);
  cudaPitchedPtr inner = device;
  inner.ptr = (char*)device.ptr + 4;
  if (cudaMemset3DAsync(inner, 0, cudaExtent{8, 2, 2}, nullptr) != cudaSuccess) return 4;
  cudaMemcpy3DParms back = {};
  back.srcPtr = device;
  back.dstPtr = {result, 20, 20, 4};
  back.extent = {8, 3, 2};
  back.srcPos = {4, 1, 1};
  back.dstPos = {0, 0, 0};
  back.kind = cudaMemcpyDeviceToHost;
  std::memset(result, 0, sizeof result);
  if (cudaMemcpy3D(&back) != cudaSuccess) return 5;
  if (result[0][0][0] != 0 || result[0][1][0] != 1031 || result[1][2][1] != 1057 || result[0][0][2] != 0) return 6;
  back.dstPtr.ptr = nullptr;
  if (cudaMemcpy3D(&back) != 1 || cudaMemcpy3D(nullptr) != 1) return 7;
  back.dstPtr = {result, 4, 20, 4};
  if (cudaMemcpy3D(&back) != 12) return 8;
  copy.extent.depth = 4;
  if (cudaMemcpy3D(&copy) != 1) return 9;
  std::printf("right\n");
}
)",
               1);
}

const char* const kArrayProgram = R"(
#include <cuda_runtime.h>
#include <cstdio>
extern "C" cudaError_t cudaCreateSurfaceObject(unsigned long long*, const cudaResourceDesc*);
extern "C" cudaError_t cudaDestroySurfaceObject(unsigned long long);
extern "C" cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t, std::size_t, std::size_t, cudaArray_t, std::size_t, std::size_t, std::size_t, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaMemcpyFromArray(void*, cudaArray_t, std::size_t, std::size_t, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc*, cudaExtent*, unsigned*, cudaArray_t);
#define TEX(form, coordinates) \
  float r, g, b, a; \
  asm volatile("tex." form ".v4.f32.f32 {%0, %1, %2, %3}, [%4, {" coordinates "}];" : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(t), "f"(x), "f"(y), "f"(z), "r"(layer)); \
  return r;
__device__ float tex_3d(cudaTextureObject_t t, float x, float y, float z, int layer) { TEX("3d", "%5, %6, %7, %7") }
__device__ float tex_a2d(cudaTextureObject_t t, float x, float y, float z, int layer) { TEX("a2d", "%8, %5, %6, %6") }
__device__ float tex_a1d(cudaTextureObject_t t, float x, float y, float z, int layer) { TEX("a1d", "%8, %5") }
__device__ float tex_cube(cudaTextureObject_t t, float x, float y, float z, int layer) { TEX("cube", "%5, %6, %7, %7") }
__device__ float gather(cudaTextureObject_t t, float x, float y) {
  float r, g, b, a;
  asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(t), "f"(x), "f"(y));
  return r + 10 * g + 100 * b + 1000 * a;
}
__global__ void read(cudaTextureObject_t volume, cudaTextureObject_t layers, cudaTextureObject_t lines, cudaTextureObject_t cube, cudaTextureObject_t flat, float* to) {
  to[0] = tex_3d(volume, 1.5f, 2.5f, 1.5f, 0);
  to[1] = tex_a2d(layers, 3.5f, 0.5f, 0, 2);
  to[2] = tex_a1d(lines, 2.5f, 0, 0, 1);
  to[3] = tex_cube(cube, 0, 0, -1, 0);
  to[4] = gather(flat, 1.0f, 1.0f);
}
__global__ void swap(unsigned long long volume, unsigned long long layers) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  float a, b;
  asm volatile("suld.b.3d.b32.trap {%0}, [%1, {%2, %3, %4, %4}];" : "=f"(a) : "l"(volume), "r"(4 * x), "r"(y), "r"(z));
  asm volatile("suld.b.a2d.b32.clamp {%0}, [%1, {%4, %2, %3, %3}];" : "=f"(b) : "l"(layers), "r"(4 * x), "r"(y), "r"(z));
  asm volatile("sust.b.3d.b32.trap [%0, {%1, %2, %3, %3}], {%4};" :: "l"(volume), "r"(4 * x), "r"(y), "r"(z), "f"(b));
  asm volatile("sust.b.a2d.b32.zero [%0, {%3, %1, %2, %2}], {%4};" :: "l"(layers), "r"(4 * x), "r"(y), "r"(z), "f"(a));
}
static cudaArray_t make(std::size_t width, std::size_t height, std::size_t depth, unsigned flags, float start) {
  static float host[6 * 4 * 4];
  for (int i = 0; i < 96; ++i) host[i] = start + i;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  if (cudaMalloc3DArray(&array, &channel, cudaExtent{width, height, depth}, flags) != cudaSuccess) return nullptr;
  cudaMemcpy3DParms copy = {};
  const std::size_t rows = height == 0 ? 1 : height;
  copy.srcPtr = {host, 4 * width, 4 * width, rows};
  copy.dstArray = array;
  copy.extent = {width, rows, depth == 0 ? 1 : depth};
  copy.kind = cudaMemcpyHostToDevice;
  return cudaMemcpy3D(&copy) == cudaSuccess ? array : nullptr;
}
static cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}
static unsigned long long surface_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  unsigned long long surface = 0;
  return cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess ? surface : 0;
}
int main() {
  cudaArray_t volume = make(4, 4, 2, cudaArraySurfaceLoadStore, 0), layers = make(4, 4, 3, cudaArrayLayered | cudaArraySurfaceLoadStore, 1000);
  cudaArray_t lines = make(4, 0, 3, cudaArrayLayered, 2000), cube = make(4, 4, 6, cudaArrayCubemap, 3000), flat = make(4, 4, 0, 0, 0);
  if (!volume || !layers || !lines || !cube || !flat) return 1;
  float host[32], *to;
  cudaMalloc(&to, sizeof host);
  read<<<1, 1>>>(texture_of(volume), texture_of(layers), texture_of(lines), texture_of(cube), texture_of(flat), to);
  cudaMemcpy(host, to, 20, cudaMemcpyDeviceToHost);
  if (host[0] != 16 + 8 + 1 || host[1] != 1000 + 32 + 3 || host[2] != 2000 + 4 + 2) return 2;
  if (host[3] != 3000 + 5 * 16 + 10 || host[4] != 4 + 50 + 100) return 3;
  const unsigned long long first = surface_of(volume), second = surface_of(layers);
  if (first == 0 || second == 0 || surface_of(lines) != 0) return 4;
  swap<<<1, dim3(4, 4, 2)>>>(first, second);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = volume;
  copy.dstPtr = {host, 16, 16, 4};
  copy.extent = {4, 4, 2};
  copy.kind = cudaMemcpyDeviceToHost;
  if (cudaMemcpy3D(&copy) != cudaSuccess || host[0] != 1000 || host[31] != 1031) return 5;
  if (cudaMemcpyFromArray(host, layers, 8, 2, 24, cudaMemcpyDeviceToHost) != cudaSuccess || host[0] != 10 || host[5] != 15) return 6;
  if (cudaMemcpy2DArrayToArray(flat, 4, 1, volume, 0, 0, 12, 2, cudaMemcpyDeviceToDevice) != cudaSuccess) return 7;
  if (cudaMemcpyFromArray(host, flat, 0, 0, 64, cudaMemcpyDeviceToHost) != cudaSuccess) return 8;
  if (host[3] != 3 || host[5] != 1000 || host[11] != 1006 || host[12] != 12) return 9;
  if (cudaMemcpy2DArrayToArray(flat, 8, 1, volume, 0, 0, 12, 2, cudaMemcpyDeviceToDevice) != 1) return 10;
  copy.extent = {5, 4, 2};
  if (cudaMemcpy3D(&copy) != 1) return 11;
  cudaExtent extent;
  unsigned flags;
  if (cudaArrayGetInfo(nullptr, &extent, &flags, cube) != cudaSuccess || extent.depth != 6 || flags != 4) return 12;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  if (cudaMalloc3DArray(&cube, &channel, cudaExtent{4, 3, 6}, cudaArrayCubemap) != 1) return 13;
  if (cudaMalloc3DArray(&cube, &channel, cudaExtent{0, 3, 6}, 0) != 1) return 14;
  if (cudaDestroySurfaceObject(first) != cudaSuccess || cudaDestroySurfaceObject(first) != 1) return 15;
  if (cudaFreeArray(volume) != cudaSuccess || cudaFreeArray(volume) != 1) return 16;
  std::printf("right\n");
}
)";

TEST_F(CaptureTest, ArraysOfEveryShapeAreTexturesAndSurfaces) {
  expect_right("arrays", kArrayProgram, 2);
}

TEST_F(CaptureTest, SurfaceReferencesOfCuda11AreReplayed) {
  expect_right("reference", R"(
#include <cuda_runtime.h>
#include <cstdio>
struct surfaceReference { cudaChannelFormatDesc channelDesc; };
template <class T, int dim>
struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {};
template <int dim>
struct __attribute__((device_builtin_surface_type)) surface<void, dim> : surfaceReference {};
surface<void, 2> image;
extern "C" int cudaBindSurfaceToArray(const surfaceReference*, cudaArray_t, const cudaChannelFormatDesc*);
__global__ void twice() {
  int value;
  asm volatile("suld.b.2d.b32.trap {%0}, [image, {%1, %2}];" : "=r"(value) : "r"(4 * threadIdx.x), "r"(threadIdx.y));
  asm volatile("sust.b.2d.b32.trap [image, {%0, %1}], {%2};" :: "r"(4 * threadIdx.x), "r"(threadIdx.y), "r"(2 * value));
}
extern "C" cudaError_t cudaMemcpyFromArray(void*, cudaArray_t, std::size_t, std::size_t, std::size_t, cudaMemcpyKind);
int main() {
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  const cudaChannelFormatDesc channel = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t array, plain;
  cudaMallocArray(&array, &channel, 8, 4, cudaArraySurfaceLoadStore);
  cudaMallocArray(&plain, &channel, 8, 4, 0);
  cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice);
  if (cudaBindSurfaceToArray(&image, plain, &channel) != 1) return 1;
  if (cudaBindSurfaceToArray((surfaceReference*)&array, array, &channel) != 37) return 2;
  if (cudaBindSurfaceToArray(&image, array, &channel) != 0) return 3;
  twice<<<1, dim3(8, 4)>>>();
  cudaMemcpyFromArray(host, array, 0, 0, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (host[i] != 2 * i) return 4;
  std::printf("right\n");
}
)",
               1, "libcudart.so.11.0");
}

}  // namespace
}  // namespace heddle::test
