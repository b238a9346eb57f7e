// Shortest paths between all pairs of vertices by Floyd and Warshall: a launch for each vertex that paths may
// lead through.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kVertices = 40;

__global__ void lead_through(const int* before, int* after, int by) {
  const int to = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int from = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (to >= kVertices || from >= kVertices) return;
  const int direct = before[from * kVertices + to];
  const int detour = before[from * kVertices + by] + before[by * kVertices + to];
  after[from * kVertices + to] = detour < direct ? detour : direct;
}

int main() {
  constexpr std::size_t kBytes = kVertices * kVertices * sizeof(int);
  std::vector<int> lengths(kVertices * kVertices);
  unsigned random = 17;
  for (int i = 0; i < kVertices * kVertices; ++i) {
    random = random * 1664525u + 1013904223u;
    const bool edge = (random >> 24) % 5 == 0;
    lengths[i] = i % (kVertices + 1) == 0 ? 0 : edge ? static_cast<int>(1 + (random >> 10) % 90) : 100000;
  }
  int *before, *after;
  cudaMalloc(&before, kBytes);
  cudaMalloc(&after, kBytes);
  cudaMemcpy(before, lengths.data(), kBytes, cudaMemcpyHostToDevice);
  const dim3 block(16, 8), grid((kVertices + 15) / 16, (kVertices + 7) / 8);
  for (int by = 0; by < kVertices; ++by) {
    lead_through<<<grid, block>>>(before, after, by);
    int* const last = before;
    before = after;
    after = last;
  }
  std::vector<int> result(kVertices * kVertices);
  cudaMemcpy(result.data(), before, kBytes, cudaMemcpyDeviceToHost);
  for (int by = 0; by < kVertices; ++by)
    for (int from = 0; from < kVertices; ++from)
      for (int to = 0; to < kVertices; ++to) {
        const int detour = lengths[from * kVertices + by] + lengths[by * kVertices + to];
        if (detour < lengths[from * kVertices + to]) lengths[from * kVertices + to] = detour;
      }
  const bool right = cudaGetLastError() == cudaSuccess && result == lengths;
  std::printf("shortest_paths_of_all_pairs: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
