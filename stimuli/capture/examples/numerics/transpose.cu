// A matrix is transposed through a tile in shared memory, whose rows have a word more than they need so that
// columns do not share a bank.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kTile = 32, kRows = 8;

template <typename T>
__global__ void transpose(const T* from, T* to, int width, int height) {
  __shared__ T tile[kTile][kTile + 1];
  int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kRows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
  __syncthreads();
  x = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x);
  y = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.y);
  for (int j = 0; j < kTile; j += kRows)
    if (x < height && y + j < width) to[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
bool agrees(int width, int height) {
  const std::size_t bytes = width * height * sizeof(T);
  std::vector<T> matrix(width * height), result(width * height);
  for (int i = 0; i < width * height; ++i) matrix[i] = static_cast<T>(i);
  T *from, *to;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemcpy(from, matrix.data(), bytes, cudaMemcpyHostToDevice);
  transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(kTile, kRows)>>>(from, to, width, height);
  cudaMemcpy(result.data(), to, bytes, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) right = right && result[x * height + y] == matrix[y * width + x];
  return right;
}

int main() {
  const bool right = agrees<float>(70, 45) && agrees<double>(33, 64) && agrees<short>(50, 20);
  std::printf("transpose: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
