// Shortest paths from one vertex by rounds of Bellman and Ford: a thread for each edge offers a distance with
// an atomic minimum, until a round lowers none.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Edge {
  int from, to, length;
};

__global__ void relax(const Edge* edges, const int* before, int* after, int count, int* lowered) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const Edge edge = edges[i];
  const int offer = before[edge.from] + edge.length;
  if (offer >= before[edge.to]) return;
  atomicMin(&after[edge.to], offer);
  *lowered = 1;
}

int main() {
  constexpr int kVertices = 300, kFar = 1 << 20;
  std::vector<Edge> edges;
  unsigned random = 11;
  for (int v = 0; v < kVertices; ++v)
    for (int e = 0; e < 3; ++e) {
      random = random * 1664525u + 1013904223u;
      edges.push_back(
          {v, static_cast<int>((v + (random >> 24)) % kVertices), static_cast<int>(1 + (random >> 9) % 50)});
    }
  const int count = static_cast<int>(edges.size());
  std::vector<int> distances(kVertices, kFar), expected;
  distances[0] = 0;
  expected = distances;
  for (int round = 0; round < kVertices; ++round)
    for (const Edge& edge : edges)
      if (expected[edge.from] + edge.length < expected[edge.to])
        expected[edge.to] = expected[edge.from] + edge.length;
  constexpr std::size_t kBytes = kVertices * sizeof(int);
  Edge* device;
  int *before, *after, *lowered, more = 1;
  cudaMalloc(&device, count * sizeof(Edge));
  cudaMalloc(&before, kBytes);
  cudaMalloc(&after, kBytes);
  cudaMalloc(&lowered, sizeof(int));
  cudaMemcpy(device, edges.data(), count * sizeof(Edge), cudaMemcpyHostToDevice);
  cudaMemcpy(after, distances.data(), kBytes, cudaMemcpyHostToDevice);
  while (more != 0) {
    cudaMemcpy(before, after, kBytes, cudaMemcpyDeviceToDevice);
    cudaMemset(lowered, 0, sizeof(int));
    relax<<<(count + 127) / 128, 128>>>(device, before, after, count, lowered);
    cudaMemcpy(&more, lowered, sizeof(int), cudaMemcpyDeviceToHost);
  }
  cudaMemcpy(distances.data(), after, kBytes, cudaMemcpyDeviceToHost);
  const bool right = cudaGetLastError() == cudaSuccess && distances == expected;
  std::printf("shortest_paths: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
