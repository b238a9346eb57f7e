// A radix sort of one bit a pass: ballots and population counts give each key its place among those of its
// block, and the counts of the blocks give the block its place.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int kThreads = 128, kBlocks = 4, kCount = kThreads * kBlocks;

__device__ int zeros_before(unsigned key, int bit, int* warps, int* all) {
  const unsigned zeros = __ballot_sync(kAllLanes, (key >> bit & 1) == 0);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) warps[warp] = __popc(zeros);
  __syncthreads();
  int before = __popc(zeros & ((1u << lane) - 1));
  *all = 0;
  for (int i = 0; i < kThreads / 32; ++i) {
    if (i < warp) before += warps[i];
    *all += warps[i];
  }
  return before;
}

__global__ void count_zeros(const unsigned* keys, int* zeros, int bit) {
  __shared__ int warps[kThreads / 32];
  int all;
  zeros_before(keys[blockIdx.x * kThreads + threadIdx.x], bit, warps, &all);
  if (threadIdx.x == 0) zeros[blockIdx.x] = all;
}

__global__ void scatter(const unsigned* from, unsigned* to, const int* zeros, int bit) {
  __shared__ int warps[kThreads / 32];
  const unsigned key = from[blockIdx.x * kThreads + threadIdx.x];
  int all, zeros_of_lower = 0, zeros_of_all = 0;
  const int before = zeros_before(key, bit, warps, &all);
  for (int i = 0; i < kBlocks; ++i) {
    if (i < blockIdx.x) zeros_of_lower += zeros[i];
    zeros_of_all += zeros[i];
  }
  const int ones =
      static_cast<int>(blockIdx.x) * kThreads - zeros_of_lower + static_cast<int>(threadIdx.x) - before;
  to[(key >> bit & 1) == 0 ? zeros_of_lower + before : zeros_of_all + ones] = key;
}

int main() {
  std::vector<unsigned> keys(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) keys[i] = (i * 40503u + 9973u) % 4096u;
  unsigned *from, *to;
  int* zeros;
  cudaMalloc(&from, kCount * sizeof(unsigned));
  cudaMalloc(&to, kCount * sizeof(unsigned));
  cudaMalloc(&zeros, kBlocks * sizeof(int));
  cudaMemcpy(from, keys.data(), kCount * sizeof(unsigned), cudaMemcpyHostToDevice);
  for (int bit = 0; bit < 12; ++bit) {
    count_zeros<<<kBlocks, kThreads>>>(from, zeros, bit);
    scatter<<<kBlocks, kThreads>>>(from, to, zeros, bit);
    std::swap(from, to);
  }
  cudaMemcpy(result.data(), from, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::sort(keys.begin(), keys.end());
  const bool right = cudaGetLastError() == cudaSuccess && result == keys;
  std::printf("radix_sort: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
