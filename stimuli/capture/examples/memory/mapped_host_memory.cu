// Pinned host memory that is mapped into the device: a kernel reads and writes it without a copy, and the
// host sees the result when it has synchronised.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void scale(const int* from, int* to, int factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i] * factor;
}

int main() {
  constexpr int kCount = 900;
  void *from, *to, *device_from, *device_to;
  cudaHostAlloc(&from, kCount * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc(&to, kCount * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device_from, from, 0);
  cudaHostGetDevicePointer(&device_to, to, 0);
  int* const numbers = static_cast<int*>(from);
  const int* const products = static_cast<int*>(to);
  bool right = true;
  for (int factor = 2; factor < 5; ++factor) {
    for (int i = 0; i < kCount; ++i) numbers[i] = i * factor - 100;
    scale<<<(kCount + 127) / 128, 128>>>(static_cast<int*>(device_from), static_cast<int*>(device_to), factor,
                                         kCount);
    cudaDeviceSynchronize();
    for (int i = 0; i < kCount; ++i) right = right && products[i] == (i * factor - 100) * factor;
  }
  cudaFreeHost(from);
  cudaFreeHost(to);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("mapped_host_memory: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
