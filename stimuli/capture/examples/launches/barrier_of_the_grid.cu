// A cooperative launch: all blocks meet at a barrier that is made of atomics with release and loads with
// acquire, between the rounds of a relaxation over the whole array.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kBlocks = 8, kThreads = 64, kCount = kBlocks * kThreads, kRounds = 5;

__device__ void meet(unsigned* arrived, unsigned expected) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned count;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], 1;" : "=r"(count) : "l"(arrived) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(count) : "l"(arrived) : "memory");
    } while (count < expected);
  }
  __syncthreads();
}

__global__ void relax(int* a, int* b, unsigned* arrived) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int round = 0; round < kRounds; ++round) {
    const int* const from = round % 2 == 0 ? a : b;
    int* const to = round % 2 == 0 ? b : a;
    to[i] = from[i] + from[(i + kThreads) % kCount] - from[(i + kCount - 1) % kCount];
    meet(arrived, static_cast<unsigned>(kBlocks * (round + 1)));
  }
}

int main() {
  std::vector<int> numbers(kCount), next(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) numbers[i] = i * 31 % 101;
  int *a, *b, can = 0;
  unsigned* arrived;
  cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0);
  cudaMalloc(&a, kCount * sizeof(int));
  cudaMalloc(&b, kCount * sizeof(int));
  cudaMalloc(&arrived, sizeof(unsigned));
  cudaMemcpy(a, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(arrived, 0, sizeof(unsigned));
  void* arguments[] = {&a, &b, &arrived};
  const void* const kernel = reinterpret_cast<const void*>(relax);
  bool right = can == 1 && cudaLaunchCooperativeKernel(kernel, 100000, kThreads, arguments, 0, nullptr) ==
                               cudaErrorCooperativeLaunchTooLarge;
  cudaGetLastError();
  right =
      cudaLaunchCooperativeKernel(kernel, kBlocks, kThreads, arguments, 0, nullptr) == cudaSuccess && right;
  cudaMemcpy(result.data(), kRounds % 2 == 0 ? a : b, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCount; ++i)
      next[i] = numbers[i] + numbers[(i + kThreads) % kCount] - numbers[(i + kCount - 1) % kCount];
    numbers.swap(next);
  }
  right = right && cudaGetLastError() == cudaSuccess && result == numbers;
  std::printf("barrier_of_the_grid: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
