// Functions of the device that call themselves: Ackermann's function, and a binary search in a sorted array.

#include <cuda_runtime.h>

#include <cstdio>

__host__ __device__ __attribute__((noinline)) int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __attribute__((noinline)) int find(const int* sorted, int first, int end, int value) {
  if (end - first == 1) return sorted[first] == value ? first : -1;
  const int middle = (first + end) / 2;
  return value < sorted[middle] ? find(sorted, first, middle, value) : find(sorted, middle, end, value);
}

__global__ void compute(const int* sorted, int count, int* ackermanns, int* places) {
  const int i = static_cast<int>(threadIdx.x);
  ackermanns[i] = ackermann(i % 3, i % 4);
  places[i] = find(sorted, 0, count, i);
}

int main() {
  constexpr int kCount = 40, kThreads = 64;
  int sorted[kCount], host[2][kThreads], *device, *ackermanns, *places;
  for (int i = 0; i < kCount; ++i) sorted[i] = 3 * i;
  cudaMalloc(&device, sizeof sorted);
  cudaMalloc(&ackermanns, sizeof host[0]);
  cudaMalloc(&places, sizeof host[1]);
  cudaMemcpy(device, sorted, sizeof sorted, cudaMemcpyHostToDevice);
  compute<<<1, kThreads>>>(device, kCount, ackermanns, places);
  cudaMemcpy(host[0], ackermanns, sizeof host[0], cudaMemcpyDeviceToHost);
  cudaMemcpy(host[1], places, sizeof host[1], cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kThreads; ++i)
    right = right && host[0][i] == ackermann(i % 3, i % 4) && host[1][i] == (i % 3 == 0 ? i / 3 : -1);
  std::printf("recursion: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
