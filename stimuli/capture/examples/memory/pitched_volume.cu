// A volume whose rows have a pitch is copied to the device, changed by a kernel in a part of it, and copied
// back by three-dimensional copies.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void add_depth(cudaPitchedPtr volume, int width, int height, int depth) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  if (x >= width || y >= height || z >= depth) return;
  char* const row = static_cast<char*>(volume.ptr) + (z * volume.ysize + y) * volume.pitch;
  reinterpret_cast<int*>(row)[x] += 1000 * z;
}

int main() {
  constexpr int kWidth = 21, kHeight = 9, kDepth = 5;
  std::vector<int> volume(kWidth * kHeight * kDepth), result(volume.size());
  for (std::size_t i = 0; i < volume.size(); ++i) volume[i] = static_cast<int>(i);
  const cudaExtent extent = {kWidth * sizeof(int), kHeight, kDepth};
  cudaPitchedPtr device = {};
  cudaMalloc3D(&device, extent);
  cudaMemset3D(device, 255, extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {volume.data(), kWidth * sizeof(int), kWidth, kHeight};
  copy.dstPtr = device;
  copy.extent = {kWidth * sizeof(int), kHeight, kDepth - 1};
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  add_depth<<<dim3(kHeight, kDepth), 32>>>(device, kWidth, kHeight, kDepth);
  copy.srcPtr = device;
  copy.dstPtr = {result.data(), kWidth * sizeof(int), kWidth, kHeight};
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  cudaFree(device.ptr);
  bool right = cudaGetLastError() == cudaSuccess;
  for (std::size_t i = 0; i < volume.size(); ++i) {
    const int z = static_cast<int>(i) / (kWidth * kHeight);
    right = right && result[i] == (z == kDepth - 1 ? -1 : volume[i]) + 1000 * z;
  }
  std::printf("pitched_volume: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
