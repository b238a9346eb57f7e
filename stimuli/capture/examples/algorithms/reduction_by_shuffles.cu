// The sum of whole numbers: each warp adds its lanes by shuffles, the first warp of a block adds the sums of
// the warps, and a second launch adds the sums of the blocks.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__device__ int sum_of_warp(int value) {
  for (unsigned distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(kAllLanes, value, distance);
  return value;
}

__global__ void reduce(const int* from, int* to, int count) {
  __shared__ int warps[32];
  int sum = 0;
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step) sum += from[i];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = sum_of_warp(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
  if (threadIdx.x == 0) to[blockIdx.x] = sum;
}

int main() {
  constexpr int kCount = 5000, kBlocks = 6, kThreads = 128;
  std::vector<int> numbers(kCount);
  int expected = 0;
  for (int i = 0; i < kCount; ++i) {
    numbers[i] = (i * 7919) % 1000 - 300;
    expected += numbers[i];
  }
  int *device, *sums, *total, result = 0;
  cudaMalloc(&device, kCount * sizeof(int));
  cudaMalloc(&sums, kBlocks * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(device, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  reduce<<<kBlocks, kThreads>>>(device, sums, kCount);
  reduce<<<1, kThreads>>>(sums, total, kBlocks);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(sums);
  cudaFree(total);
  const bool right = cudaGetLastError() == cudaSuccess && result == expected;
  std::printf("reduction_by_shuffles: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
