// The best global alignment of two sequences by Needleman and Wunsch: a launch for each anti-diagonal of
// the table, whose cells depend on the two before it alone.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kRow = 61;  // 60 letters and the empty prefix
constexpr int kGap = -2;

__host__ __device__ int score(char a, char b) {
  return a == b ? 3 : -1;
}

__global__ void fill_diagonal(const char* first, const char* second, int* table, int diagonal) {
  const int y = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  const int x = diagonal - y;
  if (y >= kRow || x < 1 || x >= kRow) return;
  int best = table[(y - 1) * kRow + x - 1] + score(first[y - 1], second[x - 1]);
  const int above = table[(y - 1) * kRow + x] + kGap;
  const int left = table[y * kRow + x - 1] + kGap;
  best = above > best ? above : best;
  table[y * kRow + x] = left > best ? left : best;
}

int main() {
  std::vector<char> first(kRow - 1), second(kRow - 1);
  for (int i = 0; i < kRow - 1; ++i) {
    first[i] = "ACGT"[i * i % 7 % 4];
    second[i] = "ACGT"[(i * i + i / 9) % 7 % 4];
  }
  std::vector<int> table(kRow * kRow), expected, result(kRow * kRow);
  for (int i = 0; i < kRow; ++i) table[i] = table[i * kRow] = i * kGap;
  expected = table;
  char *device_first, *device_second;
  int* device_table;
  cudaMalloc(&device_first, first.size());
  cudaMalloc(&device_second, second.size());
  cudaMalloc(&device_table, table.size() * sizeof(int));
  cudaMemcpy(device_first, first.data(), first.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(device_second, second.data(), second.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(device_table, table.data(), table.size() * sizeof(int), cudaMemcpyHostToDevice);
  for (int diagonal = 2; diagonal <= 2 * (kRow - 1); ++diagonal)
    fill_diagonal<<<2, 32>>>(device_first, device_second, device_table, diagonal);
  cudaMemcpy(result.data(), device_table, result.size() * sizeof(int), cudaMemcpyDeviceToHost);
  for (int y = 1; y < kRow; ++y)
    for (int x = 1; x < kRow; ++x)
      expected[y * kRow + x] =
          std::max({expected[(y - 1) * kRow + x - 1] + score(first[y - 1], second[x - 1]),
                    expected[(y - 1) * kRow + x] + kGap, expected[y * kRow + x - 1] + kGap});
  const bool right = cudaGetLastError() == cudaSuccess && result == expected;
  std::printf("sequence_alignment: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
