// A system of linear equations by Jacobi's iteration: the host repeats launches until the largest change of
// an unknown, which the device gathers by an atomic maximum of its bits, is small.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int kUnknowns = 96;

__global__ void iterate(const float* matrix, const float* right, const float* from, float* to, int* change) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= kUnknowns) return;
  float sum = right[row];
  for (int column = 0; column < kUnknowns; ++column)
    if (column != row) sum -= matrix[row * kUnknowns + column] * from[column];
  to[row] = sum / matrix[row * kUnknowns + row];
  atomicMax(change, static_cast<int>(float_bits(fabsf(to[row] - from[row]))));
}

int main() {
  std::vector<float> matrix(kUnknowns * kUnknowns), solution(kUnknowns), b(kUnknowns), result(kUnknowns);
  for (int i = 0; i < kUnknowns; ++i) solution[i] = static_cast<float>(i % 9) - 4;
  for (int row = 0; row < kUnknowns; ++row)
    for (int column = 0; column < kUnknowns; ++column) {
      const float value =
          row == column ? 4.0f * kUnknowns : static_cast<float>((row * 3 + column * 5) % 7) - 3;
      matrix[row * kUnknowns + column] = value;
      b[row] += value * solution[column];
    }
  constexpr std::size_t kBytes = kUnknowns * sizeof(float);
  float *device_matrix, *device_b, *from, *to;
  int *device_change, rounds = 0;
  cudaMalloc(&device_matrix, kUnknowns * kBytes);
  cudaMalloc(&device_b, kBytes);
  cudaMalloc(&from, kBytes);
  cudaMalloc(&to, kBytes);
  cudaMalloc(&device_change, sizeof(int));
  cudaMemcpy(device_matrix, matrix.data(), kUnknowns * kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), kBytes, cudaMemcpyHostToDevice);
  cudaMemset(from, 0, kBytes);
  for (float change = 1; change > 1e-5f && rounds < 50; ++rounds) {
    cudaMemset(device_change, 0, sizeof(int));
    iterate<<<3, 32>>>(device_matrix, device_b, from, to, device_change);
    cudaMemcpy(&change, device_change, sizeof change, cudaMemcpyDeviceToHost);
    std::swap(from, to);
  }
  cudaMemcpy(result.data(), from, kBytes, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess && rounds > 2 && rounds < 50;
  for (int i = 0; i < kUnknowns; ++i) right = right && std::fabs(result[i] - solution[i]) < 1e-3f;
  std::printf("jacobi: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
