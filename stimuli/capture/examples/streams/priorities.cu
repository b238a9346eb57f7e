// Streams of the least and the greatest priority: a long kernel and short ones run beside each other, and an
// event orders what needs both.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void spin(unsigned* data, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i;
  for (int round = 0; round < rounds; ++round) value = value * 1664525u + 1013904223u;
  data[i] = value;
}

__global__ void combine(const unsigned* a, unsigned* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] ^= a[i];
}

unsigned spun(unsigned value, int rounds) {
  for (int round = 0; round < rounds; ++round) value = value * 1664525u + 1013904223u;
  return value;
}

int main() {
  constexpr int kCount = 1024;
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t slow, quick;
  cudaEvent_t done;
  bool right = least >= greatest;
  right = cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, least) == cudaSuccess && right;
  right = cudaStreamCreateWithPriority(&quick, cudaStreamNonBlocking, greatest) == cudaSuccess && right;
  cudaEventCreate(&done);
  unsigned *a, *b, host[kCount];
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  spin<<<kCount / 128, 128, 0, slow>>>(a, 200);
  cudaEventRecord(done, slow);
  for (int rounds = 1; rounds < 4; ++rounds) spin<<<kCount / 128, 128, 0, quick>>>(b, rounds);
  cudaStreamWaitEvent(quick, done);
  combine<<<kCount / 128, 128, 0, quick>>>(a, b);
  cudaStreamSynchronize(quick);
  right = cudaStreamQuery(quick) == cudaSuccess && right;
  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < kCount; ++i) right = right && host[i] == (spun(i, 200) ^ spun(i, 3));
  cudaStreamDestroy(slow);
  cudaStreamDestroy(quick);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("priorities: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
