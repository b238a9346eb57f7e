// Temporary memory comes from the pool of the device in the order of a stream: each round allocates, computes
// and frees without waiting for the device.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void square(const int* from, int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i] * from[i];
}

__global__ void accumulate(const int* from, int* sums, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sums[i] += from[i];
}

int main() {
  constexpr int kCount = 800, kRounds = 4, kBlocks = (kCount + 127) / 128;
  constexpr std::size_t kBytes = kCount * sizeof(int);
  int has_pools = 0;
  cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, 0);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  void* sums;
  cudaMallocAsync(&sums, kBytes, stream);
  cudaMemsetAsync(sums, 0, kBytes, stream);
  std::vector<int> numbers[kRounds], result(kCount), expected(kCount);
  for (int round = 0; round < kRounds; ++round) {
    numbers[round].resize(kCount);
    for (int i = 0; i < kCount; ++i) {
      numbers[round][i] = (i + round * 13) % 50;
      expected[i] += numbers[round][i] * numbers[round][i];
    }
    void *from, *squares;
    cudaMallocAsync(&from, kBytes, stream);
    cudaMallocAsync(&squares, kBytes, stream);
    cudaMemcpyAsync(from, numbers[round].data(), kBytes, cudaMemcpyHostToDevice, stream);
    square<<<kBlocks, 128, 0, stream>>>(static_cast<int*>(from), static_cast<int*>(squares), kCount);
    cudaFreeAsync(from, stream);
    accumulate<<<kBlocks, 128, 0, stream>>>(static_cast<int*>(squares), static_cast<int*>(sums), kCount);
    cudaFreeAsync(squares, stream);
  }
  cudaMemcpyAsync(result.data(), sums, kBytes, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(sums, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  const bool right = cudaGetLastError() == cudaSuccess && has_pools == 1 && result == expected;
  std::printf("memory_pool: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
