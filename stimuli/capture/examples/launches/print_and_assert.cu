// A kernel prints with formats of several types from one lane of each warp, and its assertions hold.

#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void report(const float* values, int* printed) {
  const int i = static_cast<int>(threadIdx.x);
  assert(values[i] >= 0 && "no value is negative");
  if (i % 32 == 0) {
    printf("warp %d: %.2f of %s, %5u, %#llx\n", i / 32, static_cast<double>(values[i]), "values", 7u * i,
           static_cast<unsigned long long>(i) << 32 | 10u);
    printed[i / 32] = i;
  }
}

int main() {
  float values[64], *device;
  int printed[2] = {-1, -1}, *device_printed;
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i) / 4;
  cudaMalloc(&device, sizeof values);
  cudaMalloc(&device_printed, sizeof printed);
  cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
  report<<<1, 64>>>(device, device_printed);
  cudaDeviceSynchronize();
  cudaMemcpy(printed, device_printed, sizeof printed, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(device_printed);
  const bool right = cudaGetLastError() == cudaSuccess && printed[0] == 0 && printed[1] == 32;
  std::printf("print_and_assert: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
