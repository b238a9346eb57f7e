// A stencil of seven points in a volume: a thread for each column, which walks through the planes and keeps
// the cells below and above in registers.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kX = 40, kY = 20, kZ = 12;

__global__ void apply(const int* from, int* to) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < 1 || y < 1 || x >= kX - 1 || y >= kY - 1) return;
  const int cell = y * kX + x;
  int below = from[cell], centre = from[kX * kY + cell];
  for (int z = 1; z < kZ - 1; ++z) {
    const int here = z * kX * kY + cell;
    const int above = from[here + kX * kY];
    to[here] =
        6 * centre - below - above - from[here - 1] - from[here + 1] - from[here - kX] - from[here + kX];
    below = centre;
    centre = above;
  }
}

int main() {
  constexpr int kCells = kX * kY * kZ;
  std::vector<int> volume(kCells), result(kCells);
  for (int i = 0; i < kCells; ++i) volume[i] = i * i % 1009;
  int *from, *to;
  cudaMalloc(&from, kCells * sizeof(int));
  cudaMalloc(&to, kCells * sizeof(int));
  cudaMemcpy(from, volume.data(), kCells * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, kCells * sizeof(int));
  apply<<<dim3((kX + 31) / 32, (kY + 3) / 4), dim3(32, 4)>>>(from, to);
  cudaMemcpy(result.data(), to, kCells * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int z = 0; z < kZ; ++z)
    for (int y = 0; y < kY; ++y)
      for (int x = 0; x < kX; ++x) {
        const int here = (z * kY + y) * kX + x;
        const bool edge = x == 0 || y == 0 || z == 0 || x == kX - 1 || y == kY - 1 || z == kZ - 1;
        const int expected = edge ? 0
                                  : 6 * volume[here] - volume[here - 1] - volume[here + 1] -
                                        volume[here - kX] - volume[here + kX] - volume[here - kX * kY] -
                                        volume[here + kX * kY];
        right = right && result[here] == expected;
      }
  std::printf("stencil_in_a_volume: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
