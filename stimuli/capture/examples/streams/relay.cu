// Two streams work on a half each; a third takes both up when events say that they are done.
//
//   relay [ELEMENTS]

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void square(unsigned* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= data[i];
}

__global__ void add(const unsigned* a, const unsigned* b, unsigned* sum, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2000;
  const std::size_t bytes = count * sizeof(unsigned);
  unsigned *host[3], *device[3];
  cudaStream_t stream[3];
  cudaEvent_t done[3], start;
  cudaEventCreate(&start);
  for (int s = 0; s < 3; ++s) {
    cudaMallocHost(&host[s], bytes);
    cudaMalloc(&device[s], bytes);
    cudaStreamCreate(&stream[s]);
    cudaEventCreate(&done[s]);
  }
  for (int i = 0; i < count; ++i) {
    host[0][i] = i;
    host[1][i] = 3 * i + 1;
  }

  const int blocks = (count + 127) / 128;
  cudaEventRecord(start);
  for (int s = 0; s < 2; ++s) {
    cudaMemcpyAsync(device[s], host[s], bytes, cudaMemcpyHostToDevice, stream[s]);
    square<<<blocks, 128, 0, stream[s]>>>(device[s], count);
    cudaEventRecord(done[s], stream[s]);
    cudaStreamWaitEvent(stream[2], done[s], 0);
  }
  add<<<blocks, 128, 0, stream[2]>>>(device[0], device[1], device[2], count);
  cudaMemcpyAsync(host[2], device[2], bytes, cudaMemcpyDeviceToHost, stream[2]);
  cudaEventRecord(done[2], stream[2]);
  cudaEventSynchronize(done[2]);

  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < count; ++i) {
    const unsigned a = i;
    const unsigned b = 3 * i + 1;
    right = right && host[2][i] == a * a + b * b;
  }
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, done[2]);
  right = right && milliseconds > 0;
  for (int s = 0; s < 3; ++s) {
    cudaFreeHost(host[s]);
    cudaFree(device[s]);
    cudaStreamDestroy(stream[s]);
    cudaEventDestroy(done[s]);
  }
  cudaEventDestroy(start);
  std::printf("relay: %d elements in %.6f ms, %s\n", count, milliseconds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
