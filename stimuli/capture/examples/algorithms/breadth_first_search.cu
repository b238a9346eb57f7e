// Levels of a graph in CSR form: each round the vertices of one level mark their neighbours, and a flag on
// the device tells the host whether another round is needed.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void expand(const int* first, const int* edges, int* levels, int level, int vertices, int* more) {
  const int vertex = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (vertex >= vertices || levels[vertex] != level) return;
  for (int e = first[vertex]; e < first[vertex + 1]; ++e)
    if (atomicCAS(&levels[edges[e]], -1, level + 1) == -1) *more = 1;
}

template <typename T>
T* to_device(const std::vector<T>& host) {
  T* device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  constexpr int kVertices = 700;
  std::vector<int> first(1), edges, levels(kVertices, -1), expected(kVertices, -1), queue = {0};
  unsigned random = 5;
  for (int v = 0; v < kVertices; ++v) {
    for (int e = 0; e < 1 + v % 4; ++e) {
      random = random * 1664525u + 1013904223u;
      edges.push_back(static_cast<int>((v + 1 + (random >> 20) % 60) % kVertices));
    }
    first.push_back(static_cast<int>(edges.size()));
  }
  levels[0] = expected[0] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int e = first[queue[head]]; e < first[queue[head] + 1]; ++e) {
      if (expected[edges[e]] >= 0) continue;
      expected[edges[e]] = expected[queue[head]] + 1;
      queue.push_back(edges[e]);
    }
  int* const device_first = to_device(first);
  int* const device_edges = to_device(edges);
  int* const device_levels = to_device(levels);
  int *flag, more = 1;
  cudaMalloc(&flag, sizeof(int));
  for (int level = 0; more != 0; ++level) {
    cudaMemset(flag, 0, sizeof(int));
    expand<<<(kVertices + 127) / 128, 128>>>(device_first, device_edges, device_levels, level, kVertices,
                                             flag);
    cudaMemcpy(&more, flag, sizeof(int), cudaMemcpyDeviceToHost);
  }
  cudaMemcpy(levels.data(), device_levels, kVertices * sizeof(int), cudaMemcpyDeviceToHost);
  const bool right = cudaGetLastError() == cudaSuccess && levels == expected;
  std::printf("breadth_first_search: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
