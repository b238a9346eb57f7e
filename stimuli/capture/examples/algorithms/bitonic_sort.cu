// A bitonic network sorts an array whose length is a power of two. Steps between far elements are launches
// of their own; steps within a block are done together in shared memory.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

constexpr unsigned kThreads = 128;

__device__ void order(unsigned& low, unsigned& high, bool ascending) {
  if ((low > high) != ascending) return;
  const unsigned value = low;
  low = high;
  high = value;
}

__global__ void compare_far(unsigned* data, unsigned distance, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned other = i ^ distance;
  if (other > i) order(data[i], data[other], (i & size) == 0);
}

__global__ void compare_near(unsigned* data, unsigned distance, unsigned size) {
  __shared__ unsigned part[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  part[threadIdx.x] = data[i];
  __syncthreads();
  for (; distance > 0; distance /= 2) {
    const unsigned other = threadIdx.x ^ distance;
    if (other > threadIdx.x) order(part[threadIdx.x], part[other], (i & size) == 0);
    __syncthreads();
  }
  data[i] = part[threadIdx.x];
}

int main() {
  constexpr unsigned kCount = 1024;
  std::vector<unsigned> numbers(kCount), result(kCount);
  unsigned random = 3;
  for (unsigned& number : numbers) number = random = random * 1103515245u + 12345u;
  unsigned* device;
  cudaMalloc(&device, kCount * sizeof(unsigned));
  cudaMemcpy(device, numbers.data(), kCount * sizeof(unsigned), cudaMemcpyHostToDevice);
  for (unsigned size = 2; size <= kCount; size *= 2) {
    unsigned distance = size / 2;
    for (; distance >= kThreads; distance /= 2)
      compare_far<<<kCount / kThreads, kThreads>>>(device, distance, size);
    compare_near<<<kCount / kThreads, kThreads>>>(device, distance, size);
  }
  cudaMemcpy(result.data(), device, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::sort(numbers.begin(), numbers.end());
  const bool right = cudaGetLastError() == cudaSuccess && result == numbers;
  std::printf("bitonic_sort: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
