// The heat equation on a plate in whole numbers: each block loads its part and the cells around it into
// shared memory for each step in time.

#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

constexpr int kSide = 50, kTile = 16;

__host__ __device__ int average(int centre, int left, int right, int above, int below) {
  return (4 * centre + left + right + above + below) / 8;
}

__global__ void step(const int* from, int* to) {
  __shared__ int tile[kTile + 2][kTile + 2];
  const int left = static_cast<int>(blockIdx.x) * kTile - 1, top = static_cast<int>(blockIdx.y) * kTile - 1;
  for (int i = static_cast<int>(threadIdx.y * kTile + threadIdx.x); i < (kTile + 2) * (kTile + 2);
       i += kTile * kTile) {
    const int x = left + i % (kTile + 2), y = top + i / (kTile + 2);
    const bool inside = x >= 0 && x < kSide && y >= 0 && y < kSide;
    tile[i / (kTile + 2)][i % (kTile + 2)] = inside ? from[y * kSide + x] : 0;
  }
  __syncthreads();
  const int i = static_cast<int>(threadIdx.x) + 1, j = static_cast<int>(threadIdx.y) + 1;
  const int x = left + i, y = top + j;
  if (x < kSide && y < kSide)
    to[y * kSide + x] = average(tile[j][i], tile[j][i - 1], tile[j][i + 1], tile[j - 1][i], tile[j + 1][i]);
}

int main() {
  std::vector<int> plate(kSide * kSide), expected, other(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) plate[i] = i * 97 % 10007;
  expected = plate;
  const std::size_t bytes = plate.size() * sizeof(int);
  int *from, *to;
  cudaMalloc(&from, bytes);
  cudaMalloc(&to, bytes);
  cudaMemcpy(from, plate.data(), bytes, cudaMemcpyHostToDevice);
  for (int round = 0; round < 6; ++round) {
    step<<<dim3(4, 4), dim3(kTile, kTile)>>>(from, to);
    std::swap(from, to);
    const auto at = [&](int x, int y) {
      return x < 0 || y < 0 || x >= kSide || y >= kSide ? 0 : expected[y * kSide + x];
    };
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        other[y * kSide + x] = average(at(x, y), at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1));
    expected.swap(other);
  }
  cudaMemcpy(plate.data(), from, bytes, cudaMemcpyDeviceToHost);
  const bool right = cudaGetLastError() == cudaSuccess && plate == expected;
  std::printf("heat_on_a_plate: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
