// Constant memory and variables of the device are copied in both directions by their symbols, whole and in
// part, and by their addresses.

#include <cuda_runtime.h>

#include <cstdio>

__constant__ int coefficients[4] = {1, 2, 3, 4};
__device__ int results[64];
__device__ int launches = 5;

__global__ void evaluate() {
  const int x = static_cast<int>(threadIdx.x);
  int value = 0;
  for (int i = 3; i >= 0; --i) value = value * x + coefficients[i];
  results[x] = value;
  if (x == 0) ++launches;
}

bool agrees(const int* expected) {
  int host[64];
  evaluate<<<1, 64>>>();
  cudaMemcpyFromSymbol(host, results, sizeof host);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int x = 0; x < 64; ++x)
    right = right && host[x] == ((expected[3] * x + expected[2]) * x + expected[1]) * x + expected[0];
  return right;
}

int main() {
  const int initial[4] = {1, 2, 3, 4}, other[4] = {-3, 0, 7, 1}, mixed[4] = {-3, 20, 30, 1};
  bool right = agrees(initial);
  cudaMemcpyToSymbol(coefficients, other, sizeof other);
  right = agrees(other) && right;
  cudaMemcpyToSymbol(coefficients, mixed + 1, 2 * sizeof(int), sizeof(int));
  right = agrees(mixed) && right;
  int count = 0, last = 0;
  void* address = nullptr;
  std::size_t bytes = 0;
  cudaMemcpyFromSymbol(&count, launches, sizeof count);
  cudaMemcpyFromSymbol(&last, results, sizeof last, 63 * sizeof(int));
  right = right && count == 8 && last == ((1 * 63 + 30) * 63 + 20) * 63 - 3;
  cudaGetSymbolAddress(&address, &results);
  cudaGetSymbolSize(&bytes, &results);
  int tenth = 0;
  cudaMemcpy(&tenth, static_cast<int*>(address) + 10, sizeof tenth, cudaMemcpyDeviceToHost);
  right = right && bytes == sizeof results && tenth == ((1 * 10 + 30) * 10 + 20) * 10 - 3;
  std::printf("symbols: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
