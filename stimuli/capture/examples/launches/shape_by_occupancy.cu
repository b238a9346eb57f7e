// The program asks the device for its limits and a kernel for its occupancy, and makes the shape of the
// launch from them.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(int* data, int count) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step)
    data[i] = i ^ 21;
}

int main() {
  constexpr int kCount = 20000;
  static int host[kCount];
  int devices = 0, sms = 0, warp = 0, most = 0, best = 0, best_threads = 0;
  static cudaDeviceProp properties;
  cudaGetDeviceCount(&devices);
  cudaGetDeviceProperties(&properties, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
  bool right = devices == 1 && sms > 0 && warp == 32 && properties.warpSize == warp &&
               properties.name[0] != 0 && properties.maxThreadsPerBlock == most &&
               properties.totalGlobalMem > sizeof host;
  for (int threads = 32; threads <= most; threads *= 2) {
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(fill), threads, 0);
    right = right && blocks > 0;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    best_threads = threads;
  }
  int narrow = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&narrow, reinterpret_cast<const void*>(fill), 32,
                                                properties.sharedMemPerBlock);
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  right = right && narrow == 1 && best >= 1024 && free <= total && total > 0;
  int* device;
  cudaMalloc(&device, sizeof host);
  fill<<<sms, best_threads>>>(device, kCount);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  right = right && cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kCount; ++i) right = right && host[i] == (i ^ 21);
  std::printf("shape_by_occupancy: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
