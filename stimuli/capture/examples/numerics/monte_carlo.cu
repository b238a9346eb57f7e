// The area of a quarter of a disc by random points: each thread has a generator of its own, and counts its
// hits in whole numbers, so that the sum is the same in any order.

#include <cuda_runtime.h>

#include <cstdio>

constexpr int kBlocks = 6, kThreads = 64, kPoints = 40;

__host__ __device__ unsigned draw(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state >> 17;
}

__host__ __device__ int hits(unsigned thread) {
  unsigned state = thread * 2654435761u + 1;
  int count = 0;
  for (int i = 0; i < 8; ++i) draw(state);
  for (int i = 0; i < kPoints; ++i) {
    const unsigned x = draw(state), y = draw(state);
    if (x * x + y * y < 1u << 30) ++count;
  }
  return count;
}

__global__ void sample(int* total) {
  atomicAdd(total, hits(blockIdx.x * blockDim.x + threadIdx.x));
}

int main() {
  int *device, result = 0, expected = 0;
  cudaMalloc(&device, sizeof(int));
  cudaMemset(device, 0, sizeof(int));
  sample<<<kBlocks, kThreads>>>(device);
  cudaMemcpy(&result, device, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (unsigned thread = 0; thread < kBlocks * kThreads; ++thread) expected += hits(thread);
  const double area = static_cast<double>(result) / (kBlocks * kThreads * kPoints);
  const bool right = cudaGetLastError() == cudaSuccess && result == expected && area > 0.76 && area < 0.81;
  std::printf("monte_carlo: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
