// Conway's game of life on a torus: two boards that change places, one launch for each generation.

#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

constexpr int kSide = 48;

__host__ __device__ unsigned char next(const unsigned char* board, int x, int y) {
  int alive = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) alive += board[(y + j + kSide) % kSide * kSide + (x + i + kSide) % kSide];
  const bool lives = board[y * kSide + x] != 0;
  return lives ? alive == 3 || alive == 4 : alive == 3;
}

__global__ void generation(const unsigned char* from, unsigned char* to) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < kSide && y < kSide) to[y * kSide + x] = next(from, x, y);
}

int main() {
  std::vector<unsigned char> board(kSide * kSide), expected, other(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) board[i] = (i * 7 + i / 13) % 5 < 2;
  expected = board;
  unsigned char *from, *to;
  cudaMalloc(&from, board.size());
  cudaMalloc(&to, board.size());
  cudaMemcpy(from, board.data(), board.size(), cudaMemcpyHostToDevice);
  for (int round = 0; round < 8; ++round) {
    generation<<<dim3(3, 6), dim3(16, 8)>>>(from, to);
    std::swap(from, to);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) other[y * kSide + x] = next(expected.data(), x, y);
    expected.swap(other);
  }
  cudaMemcpy(board.data(), from, board.size(), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  const bool right = cudaGetLastError() == cudaSuccess && board == expected;
  std::printf("game_of_life: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
