// Functions of the host between the operations of a stream: each checks what was copied to it and prepares
// what is copied next.

#include <cuda_runtime.h>

#include <cstdio>

constexpr int kCount = 200;

struct Exchange {
  int numbers[kCount];
  int calls;
  bool right;
};

__global__ void increase(int* data) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) data[i] += i;
}

void check(void* data) {
  auto& exchange = *static_cast<Exchange*>(data);
  ++exchange.calls;
  for (int i = 0; i < kCount; ++i) {
    exchange.right = exchange.right && exchange.numbers[i] == (exchange.calls == 1 ? i : 11 * i);
    exchange.numbers[i] *= 10;
  }
}

void callback(cudaStream_t, cudaError_t status, void* data) {
  static_cast<Exchange*>(data)->right = status == cudaSuccess && static_cast<Exchange*>(data)->right;
  check(data);
}

int main() {
  static Exchange exchange = {{}, 0, true};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* device;
  cudaMalloc(&device, sizeof exchange.numbers);
  for (int round = 0; round < 2; ++round) {
    cudaMemcpyAsync(device, exchange.numbers, sizeof exchange.numbers, cudaMemcpyHostToDevice, stream);
    increase<<<2, 128, 0, stream>>>(device);
    cudaMemcpyAsync(exchange.numbers, device, sizeof exchange.numbers, cudaMemcpyDeviceToHost, stream);
    if (round == 0)
      cudaLaunchHostFunc(stream, check, &exchange);
    else
      cudaStreamAddCallback(stream, callback, &exchange, 0);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(device);
  const bool right = cudaGetLastError() == cudaSuccess && exchange.right && exchange.calls == 2;
  std::printf("host_functions: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
