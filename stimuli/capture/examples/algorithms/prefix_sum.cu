// The sums of all prefixes of an array in three kernels: each block scans its part with warp shuffles, one
// block scans the totals of the blocks, and each block adds what stands before it.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 128;

__device__ int scan_block(int value, int* warps) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  for (int i = 0; i < warp; ++i) value += warps[i];
  return value;
}

__global__ void scan(const int* from, int* to, int* totals, int count) {
  __shared__ int warps[kThreads / 32];
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int sum = scan_block(i < count ? from[i] : 0, warps);
  if (i < count) to[i] = sum;
  if (totals != nullptr && threadIdx.x == kThreads - 1) totals[blockIdx.x] = sum;
}

__global__ void add_before(int* to, const int* totals, int count) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (blockIdx.x > 0 && i < count) to[i] += totals[blockIdx.x - 1];
}

int main() {
  constexpr int kCount = 3000, kBlocks = (kCount + kThreads - 1) / kThreads;
  std::vector<int> numbers(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) numbers[i] = (i * 31) % 17 - 5;
  int *from, *to, *totals;
  cudaMalloc(&from, kCount * sizeof(int));
  cudaMalloc(&to, kCount * sizeof(int));
  cudaMalloc(&totals, kBlocks * sizeof(int));
  cudaMemcpy(from, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  scan<<<kBlocks, kThreads>>>(from, to, totals, kCount);
  scan<<<1, kThreads>>>(totals, totals, nullptr, kBlocks);
  add_before<<<kBlocks, kThreads>>>(to, totals, kCount);
  cudaMemcpy(result.data(), to, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  cudaFree(totals);
  bool right = cudaGetLastError() == cudaSuccess;
  int sum = 0;
  for (int i = 0; i < kCount; ++i) {
    sum += numbers[i];
    right = right && result[i] == sum;
  }
  std::printf("prefix_sum: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
