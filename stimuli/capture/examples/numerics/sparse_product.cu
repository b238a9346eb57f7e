// A sparse matrix in CSR form times a vector, twice: a thread for each row, and a warp for each row, which
// adds by shuffles.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void row_per_thread(const int* first, const int* columns, const float* values, const float* x,
                               float* y, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  float sum = 0;
  for (int i = first[row]; i < first[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void row_per_warp(const int* first, const int* columns, const float* values, const float* x,
                             float* y, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = first[row] + lane; i < first[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (unsigned distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAllLanes, sum, distance);
  if (lane == 0) y[row] = sum;
}

template <typename T>
T* to_device(const std::vector<T>& host) {
  T* device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  constexpr int kRows = 150;
  std::vector<int> first(1), columns;
  std::vector<float> values, x(kRows), expected(kRows), y(kRows);
  for (int i = 0; i < kRows; ++i) x[i] = static_cast<float>(i % 19) - 9;
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < row * 7 % 45; ++i) {
      columns.push_back((row + i * i) % kRows);
      values.push_back(static_cast<float>(i % 5 + 1));
      expected[row] += values.back() * x[columns.back()];
    }
    first.push_back(static_cast<int>(columns.size()));
  }
  int *const device_first = to_device(first), *const device_columns = to_device(columns);
  float *const device_values = to_device(values), *const device_x = to_device(x),
               *const device_y = to_device(y);
  row_per_thread<<<3, 64>>>(device_first, device_columns, device_values, device_x, device_y, kRows);
  cudaMemcpy(y.data(), device_y, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  bool right = y == expected;
  row_per_warp<<<(kRows + 3) / 4, 128>>>(device_first, device_columns, device_values, device_x, device_y,
                                         kRows);
  cudaMemcpy(y.data(), device_y, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  right = y == expected && right && cudaGetLastError() == cudaSuccess;
  std::printf("sparse_product: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
