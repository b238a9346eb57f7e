// A graph is captured from two streams that fork and join by events, and launched several times on changing
// input.

#include <cuda_runtime.h>

#include <cstdio>
#include <initializer_list>

constexpr int kCount = 512;

__global__ void twice(const int* from, int* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = 2 * from[i];
}

__global__ void square(const int* from, int* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i] * from[i];
}

__global__ void add(const int* a, const int* b, int* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = a[i] + b[i];
}

int main() {
  int *host, *from, *a, *b;
  cudaMallocHost(&host, kCount * sizeof(int));
  for (int** device : {&from, &a, &b}) cudaMalloc(device, kCount * sizeof(int));
  cudaStream_t main_stream, side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&main_stream);
  cudaStreamCreate(&side);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(from, host, kCount * sizeof(int), cudaMemcpyHostToDevice, main_stream);
  cudaEventRecord(fork, main_stream);
  cudaStreamWaitEvent(side, fork);
  twice<<<kCount / 128, 128, 0, main_stream>>>(from, a);
  square<<<kCount / 128, 128, 0, side>>>(from, b);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(main_stream, join);
  add<<<kCount / 128, 128, 0, main_stream>>>(a, b, from);
  cudaMemcpyAsync(host, from, kCount * sizeof(int), cudaMemcpyDeviceToHost, main_stream);
  cudaStreamEndCapture(main_stream, &graph);
  bool right = cudaGraphInstantiate(&executable, graph) == cudaSuccess;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCount; ++i) host[i] = i + round;
    cudaGraphLaunch(executable, main_stream);
    cudaStreamSynchronize(main_stream);
    for (int i = 0; i < kCount; ++i) right = right && host[i] == 2 * (i + round) + (i + round) * (i + round);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("captured_graph: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
