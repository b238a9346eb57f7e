// Calls through pointers on the device: a table of functions, as virtual functions are made of, gives each
// shape its area.

#include <cuda_runtime.h>

#include <cstdio>

struct Shape {
  int kind, width, height;
};

__host__ __device__ __attribute__((noinline)) int rectangle(const Shape& shape) {
  return 2 * shape.width * shape.height;
}
__host__ __device__ __attribute__((noinline)) int triangle(const Shape& shape) {
  return shape.width * shape.height;
}
__host__ __device__ __attribute__((noinline)) int frame(const Shape& shape) {
  return 4 * (shape.width + shape.height) - 8;
}

using Area = int (*)(const Shape&);
__device__ Area areas[3] = {rectangle, triangle, frame};

__global__ void measure(const Shape* shapes, int* result, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) result[i] = areas[shapes[i].kind](shapes[i]);
}

int main() {
  constexpr int kCount = 200;
  constexpr Area kExpected[3] = {rectangle, triangle, frame};
  static Shape shapes[kCount];
  int result[kCount], *device_result;
  for (int i = 0; i < kCount; ++i) shapes[i] = {i * 5 % 3, 2 + i % 17, 3 + i % 23};
  Shape* device;
  cudaMalloc(&device, sizeof shapes);
  cudaMalloc(&device_result, sizeof result);
  cudaMemcpy(device, shapes, sizeof shapes, cudaMemcpyHostToDevice);
  measure<<<4, 64>>>(device, device_result, kCount);
  cudaMemcpy(result, device_result, sizeof result, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kCount; ++i) right = right && result[i] == kExpected[shapes[i].kind](shapes[i]);
  std::printf("table_of_functions: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
