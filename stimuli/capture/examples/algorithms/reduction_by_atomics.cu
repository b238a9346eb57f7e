// Sum, least and largest of an array by atomics on global memory; the last block, which a counter tells,
// makes the range of the values from them.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Totals {
  int sum, least, largest, range;
  unsigned blocks;
};

__global__ void gather(const int* from, Totals* totals, int count) {
  __shared__ bool last;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    atomicAdd(&totals->sum, from[i]);
    atomicMin(&totals->least, from[i]);
    atomicMax(&totals->largest, from[i]);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&totals->blocks, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) totals->range = atomicAdd(&totals->largest, 0) - atomicAdd(&totals->least, 0);
}

int main() {
  constexpr int kCount = 1500;
  std::vector<int> numbers(kCount);
  Totals expected = {0, 1000000, -1000000, 0, 12}, result = {0, 1000000, -1000000, 0, 0};
  for (int i = 0; i < kCount; ++i) {
    numbers[i] = (i * 2617) % 4001 - 1999;
    expected.sum += numbers[i];
    expected.least = numbers[i] < expected.least ? numbers[i] : expected.least;
    expected.largest = numbers[i] > expected.largest ? numbers[i] : expected.largest;
  }
  expected.range = expected.largest - expected.least;
  int* device;
  Totals* totals;
  cudaMalloc(&device, kCount * sizeof(int));
  cudaMalloc(&totals, sizeof(Totals));
  cudaMemcpy(device, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(totals, &result, sizeof result, cudaMemcpyHostToDevice);
  gather<<<12, 128>>>(device, totals, kCount);
  cudaMemcpy(&result, totals, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(totals);
  const bool right = cudaGetLastError() == cudaSuccess && result.sum == expected.sum &&
                     result.least == expected.least && result.largest == expected.largest &&
                     result.range == expected.range && result.blocks == expected.blocks;
  std::printf("reduction_by_atomics: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
