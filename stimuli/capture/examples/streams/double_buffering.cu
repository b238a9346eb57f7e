// Two streams and two buffers: while one part of the data is worked on, the next one is copied. Each stream
// copies in, computes and copies out.

#include <cuda_runtime.h>

#include <cstdio>

__global__ void collatz(const unsigned* from, unsigned* steps, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  unsigned taken = 0;
  for (unsigned n = from[i]; n > 1; ++taken) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  steps[i] = taken;
}

int main() {
  constexpr int kPart = 256, kParts = 6;
  constexpr std::size_t kBytes = kPart * sizeof(unsigned);
  unsigned *numbers, *result, *from[2], *to[2];
  cudaStream_t streams[2];
  cudaMallocHost(&numbers, kParts * kBytes);
  cudaMallocHost(&result, kParts * kBytes);
  for (int i = 0; i < kPart * kParts; ++i) numbers[i] = i + 1;
  for (int s = 0; s < 2; ++s) {
    cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
    cudaMalloc(&from[s], kBytes);
    cudaMalloc(&to[s], kBytes);
  }
  for (int part = 0; part < kParts; ++part) {
    const int s = part % 2;
    cudaMemcpyAsync(from[s], numbers + part * kPart, kBytes, cudaMemcpyHostToDevice, streams[s]);
    collatz<<<kPart / 128, 128, 0, streams[s]>>>(from[s], to[s], kPart);
    cudaMemcpyAsync(result + part * kPart, to[s], kBytes, cudaMemcpyDeviceToHost, streams[s]);
  }
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < kPart * kParts; ++i) {
    unsigned steps = 0;
    for (unsigned n = i + 1; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    right = right && result[i] == steps;
  }
  for (int s = 0; s < 2; ++s) {
    cudaStreamDestroy(streams[s]);
    cudaFree(from[s]);
    cudaFree(to[s]);
  }
  cudaFreeHost(numbers);
  cudaFreeHost(result);
  std::printf("double_buffering: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
