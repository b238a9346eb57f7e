// A histogram of bytes: each block counts in shared memory by atomics and adds its counts to those of the
// device. A word holds four bytes.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kBins = 64;

__global__ void count_bytes(const unsigned* words, unsigned* bins, int count) {
  __shared__ unsigned local[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step)
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&local[words[i] >> shift & (kBins - 1)], 1u);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], local[bin]);
}

int main() {
  constexpr int kCount = 2000;
  std::vector<unsigned> words(kCount), expected(kBins), result(kBins);
  unsigned random = 7;
  for (unsigned& word : words) {
    random = random * 1664525u + 1013904223u;
    word = random ^ random >> 11;
    for (int shift = 0; shift < 32; shift += 8) ++expected[word >> shift & (kBins - 1)];
  }
  unsigned *device, *bins;
  cudaMalloc(&device, kCount * sizeof(unsigned));
  cudaMalloc(&bins, kBins * sizeof(unsigned));
  cudaMemcpy(device, words.data(), kCount * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, kBins * sizeof(unsigned));
  count_bytes<<<5, 96>>>(device, bins, kCount);
  cudaMemcpy(result.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(bins);
  const bool right = cudaGetLastError() == cudaSuccess && result == expected;
  std::printf("histogram: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
