// A product of matrices through tiles in shared memory; the width of a tile and the type of the elements are
// parameters of a template. The elements are whole, so that sums are exact.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

template <int Tile, typename T>
__global__ void multiply(const T* a, const T* b, T* c, int rows, int inner, int columns) {
  __shared__ T tile_a[Tile][Tile];
  __shared__ T tile_b[Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = static_cast<int>(blockIdx.y) * Tile + ty, column = static_cast<int>(blockIdx.x) * Tile + tx;
  T sum = 0;
  for (int first = 0; first < inner; first += Tile) {
    tile_a[ty][tx] = row < rows && first + tx < inner ? a[row * inner + first + tx] : 0;
    tile_b[ty][tx] = column < columns && first + ty < inner ? b[(first + ty) * columns + column] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

template <int Tile, typename T>
bool agrees(int rows, int inner, int columns) {
  std::vector<T> a(rows * inner), b(inner * columns), c(rows * columns);
  for (int i = 0; i < rows * inner; ++i) a[i] = static_cast<T>(i % 13 - 6);
  for (int i = 0; i < inner * columns; ++i) b[i] = static_cast<T>(i * 5 % 11 - 5);
  T *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, a.size() * sizeof(T));
  cudaMalloc(&device_b, b.size() * sizeof(T));
  cudaMalloc(&device_c, c.size() * sizeof(T));
  cudaMemcpy(device_a, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
  multiply<Tile, T><<<dim3((columns + Tile - 1) / Tile, (rows + Tile - 1) / Tile), dim3(Tile, Tile)>>>(
      device_a, device_b, device_c, rows, inner, columns);
  cudaMemcpy(c.data(), device_c, c.size() * sizeof(T), cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      T sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
      right = right && c[row * columns + column] == sum;
    }
  return right;
}

int main() {
  const bool right =
      agrees<16, float>(40, 33, 50) && agrees<8, double>(17, 24, 9) && agrees<8, int>(16, 16, 16);
  std::printf("matrix_product: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
