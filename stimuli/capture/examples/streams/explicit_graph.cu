// A graph is built from nodes: a fill, two kernels that depend on it, one that depends on both, and a copy.
// The second launch has other arguments.

#include <cuda_runtime.h>

#include <cstdio>
#include <initializer_list>

constexpr int kCount = 256;

__global__ void add(unsigned* data, unsigned value) {
  data[threadIdx.x] += value * threadIdx.x;
}

__global__ void join(const unsigned* a, unsigned* b) {
  b[threadIdx.x] = a[threadIdx.x] * 3 + b[threadIdx.x];
}

int main() {
  unsigned host[kCount], *data, *a, *b, two = 2, five = 5;
  cudaMalloc(&data, 2 * sizeof host);
  a = data;
  b = data + kCount;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t fill, kernels[2], joined, copied;
  cudaGraphCreate(&graph, 0);
  cudaMemsetParams bytes = {data, 0, 1, 1, 2 * sizeof host, 1};
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes);
  void* add_two[] = {&a, &two};
  void* add_five[] = {&b, &five};
  void* both[] = {&a, &b};
  cudaKernelNodeParams kernel = {reinterpret_cast<void*>(add), 1, kCount, 0, add_two, nullptr};
  cudaGraphAddKernelNode(&kernels[0], graph, &fill, 1, &kernel);
  kernel.kernelParams = add_five;
  cudaGraphAddKernelNode(&kernels[1], graph, &fill, 1, &kernel);
  cudaKernelNodeParams last = {reinterpret_cast<void*>(join), 1, kCount, 0, both, nullptr};
  cudaGraphAddKernelNode(&joined, graph, kernels, 2, &last);
  cudaGraphAddMemcpyNode1D(&copied, graph, &joined, 1, host, b, sizeof host, cudaMemcpyDeviceToHost);
  bool right = cudaGraphInstantiate(&executable, graph) == cudaSuccess;
  for (unsigned factor : {5u, 7u}) {
    five = factor;
    cudaGraphExecKernelNodeSetParams(executable, kernels[1], &kernel);
    right = cudaGraphLaunch(executable, nullptr) == cudaSuccess && right;
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < kCount; ++i)
      right = right && host[i] == 3 * (0x01010101u + 2 * i) + 0x01010101u + factor * i;
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(data);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("explicit_graph: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
