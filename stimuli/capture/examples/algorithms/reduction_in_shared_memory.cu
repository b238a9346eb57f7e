// The largest and the sum of an array by a tree in shared memory. A kernel template takes the operation and
// the threads of a block, so that several kernels come from one source.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Sum {
  __host__ __device__ static int none() { return 0; }
  __host__ __device__ static int join(int a, int b) { return a + b; }
};
struct Largest {
  __host__ __device__ static int none() { return -2147483647 - 1; }
  __host__ __device__ static int join(int a, int b) { return a > b ? a : b; }
};

template <typename Operation, int Threads>
__global__ void reduce(const int* from, int* to, int count) {
  __shared__ int tree[Threads];
  const int i = static_cast<int>(blockIdx.x * Threads + threadIdx.x);
  tree[threadIdx.x] = i < count ? from[i] : Operation::none();
  __syncthreads();
#pragma unroll
  for (int half = Threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] = Operation::join(tree[threadIdx.x], tree[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) to[blockIdx.x] = tree[0];
}

template <typename Operation, int Threads>
bool agrees(const std::vector<int>& numbers, const int* device, int* partial) {
  const int count = static_cast<int>(numbers.size());
  const int blocks = (count + Threads - 1) / Threads;
  std::vector<int> host(blocks);
  reduce<Operation, Threads><<<blocks, Threads>>>(device, partial, count);
  cudaMemcpy(host.data(), partial, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int result = Operation::none(), expected = Operation::none();
  for (const int one : host) result = Operation::join(result, one);
  for (const int one : numbers) expected = Operation::join(expected, one);
  return result == expected;
}

int main() {
  std::vector<int> numbers(3001);
  for (int i = 0; i < 3001; ++i) numbers[i] = (i * 12345 + 678) % 9973 - 5000;
  int *device, *partial;
  cudaMalloc(&device, numbers.size() * sizeof(int));
  cudaMalloc(&partial, numbers.size() * sizeof(int));
  cudaMemcpy(device, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
  bool right = agrees<Sum, 64>(numbers, device, partial) && agrees<Sum, 256>(numbers, device, partial) &&
               agrees<Largest, 128>(numbers, device, partial);
  cudaFree(device);
  cudaFree(partial);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("reduction_in_shared_memory: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
