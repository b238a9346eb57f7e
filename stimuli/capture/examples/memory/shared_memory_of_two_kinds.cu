// A kernel has static shared memory and dynamic shared memory, whose start is aligned for vectors; the
// dynamic part is split into three arrays of different types.

#include <cuda_runtime.h>

#include <cstdio>

extern __shared__ float4 dynamic[];

__global__ void mix(int* result, int count) {
  __shared__ char padding[5];
  __shared__ double doubles[32];
  const int i = static_cast<int>(threadIdx.x);
  auto* const words = reinterpret_cast<int*>(dynamic + count);
  auto* const bytes = reinterpret_cast<unsigned char*>(words + count);
  if (i < 5) padding[i] = static_cast<char>(i + 1);
  doubles[i % 32] = i % 32 * 0.5;
  dynamic[i] = {i + 0.0f, i + 1.0f, i + 2.0f, i + 3.0f};
  words[i] = i * i;
  bytes[i] = static_cast<unsigned char>(255 - i);
  __syncthreads();
  const int other = count - 1 - i;
  const float4 v = dynamic[other];
  const bool aligned = reinterpret_cast<unsigned long long>(&dynamic[0]) % 16 == 0;
  result[i] = static_cast<int>(v.x + v.y + v.z + v.w) + words[other] + bytes[other] + padding[i % 5] +
              static_cast<int>(2 * doubles[other % 32]) + (aligned ? 0 : 1000000);
}

int main() {
  constexpr int kCount = 96;
  int host[kCount], *device;
  cudaMalloc(&device, sizeof host);
  mix<<<1, kCount, kCount*(sizeof(float4) + sizeof(int) + 1)>>>(device, kCount);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kCount; ++i) {
    const int other = kCount - 1 - i;
    right = right && host[i] == 4 * other + 6 + other * other + 255 - other + i % 5 + 1 + other % 32;
  }
  std::printf("shared_memory_of_two_kinds: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
