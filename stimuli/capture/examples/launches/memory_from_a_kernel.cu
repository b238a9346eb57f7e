// Threads allocate memory in the kernel: each builds a list of the divisors of its number and frees it again.

#include <cuda_runtime.h>

#include <cstdio>

struct Divisor {
  int value;
  Divisor* next;
};

__global__ void sum_divisors(int* sums) {
  const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  Divisor* first = nullptr;
  for (int value = 1; value <= number; ++value) {
    if (number % value != 0) continue;
    auto* const divisor = static_cast<Divisor*>(malloc(sizeof(Divisor)));
    if (divisor == nullptr) return;
    divisor->value = value;
    divisor->next = first;
    first = divisor;
  }
  int sum = 0;
  while (first != nullptr) {
    Divisor* const next = first->next;
    sum += first->value;
    free(first);
    first = next;
  }
  sums[number - 1] = sum;
}

int main() {
  int sums[64], *device;
  cudaMalloc(&device, sizeof sums);
  cudaMemset(device, 0, sizeof sums);
  sum_divisors<<<2, 32>>>(device);
  cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int number = 1; number <= 64; ++number) {
    int sum = 0;
    for (int value = 1; value <= number; ++value) sum += number % value == 0 ? value : 0;
    right = right && sums[number - 1] == sum;
  }
  std::printf("memory_from_a_kernel: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
