// Launches and calls that are not possible return their errors, the last error is cleared by asking for it,
// and the program goes on.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

extern __shared__ int words[];

__global__ void turn(int* data) {
  words[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

int main() {
  constexpr int kCount = 128;
  int host[kCount], *device;
  for (int i = 0; i < kCount; ++i) host[i] = 3 * i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  turn<<<1, 5000, sizeof host>>>(device);
  bool right = cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
  right = cudaGetLastError() == cudaErrorInvalidConfiguration && right;
  right = cudaGetLastError() == cudaSuccess && right;
  turn<<<0, kCount, sizeof host>>>(device);
  right = cudaGetLastError() == cudaErrorInvalidConfiguration && right;
  turn<<<1, kCount, 100 << 20>>>(device);
  right = cudaGetLastError() != cudaSuccess && right;
  right = std::strlen(cudaGetErrorString(cudaErrorInvalidValue)) > 0 && right;
  const int granted = cudaFuncSetAttribute(reinterpret_cast<const void*>(turn),
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, 40 * 1024);
  right = granted == cudaSuccess && right;
  turn<<<1, kCount, 40 * 1024>>>(device);
  right = cudaGetLastError() == cudaSuccess && right;
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; ++i) right = right && host[i] == 3 * (kCount - 1 - i);
  cudaFree(device);
  std::printf("errors_of_launches: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
