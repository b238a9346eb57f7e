// Half precision in pairs: conversions, fused multiply-add, and the larger of two, in inline PTX. All values
// are small whole numbers, which half precision holds exactly.

#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned pair(float low, float high) {
  unsigned result;
  asm("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }"
      : "=r"(result)
      : "f"(low), "f"(high));
  return result;
}

__device__ void split(unsigned pair, float& low, float& high) {
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
      : "=f"(low), "=f"(high)
      : "r"(pair));
}

__global__ void compute(const float* x, float* y, int count) {
  const int i = 2 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 >= count) return;
  const unsigned value = pair(x[i], x[i + 1]), three = pair(3, 3), bias = pair(-7, 2);
  unsigned sum, larger;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(value), "r"(three), "r"(bias));
  asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(sum), "r"(value));
  split(larger, y[i], y[i + 1]);
}

int main() {
  constexpr int kCount = 400;
  float x[kCount], y[kCount], *device_x, *device_y;
  for (int i = 0; i < kCount; ++i) x[i] = static_cast<float>(i % 200 - 100);
  cudaMalloc(&device_x, sizeof x);
  cudaMalloc(&device_y, sizeof y);
  cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice);
  compute<<<2, 128>>>(device_x, device_y, kCount);
  cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kCount; ++i) {
    const float sum = 3 * x[i] + (i % 2 == 0 ? -7.0f : 2.0f);
    right = right && y[i] == (sum > x[i] ? sum : x[i]);
  }
  std::printf("half_precision: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
