// The Mandelbrot set in fixed point: threads leave their loops at different rounds, so that warps diverge.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kWidth = 48, kHeight = 32, kMost = 60, kBits = 12;

__host__ __device__ int rounds(int pixel_x, int pixel_y) {
  const int c = (pixel_x * 3 << kBits) / kWidth - (2 << kBits),
            d = (pixel_y * 2 << kBits) / kHeight - (1 << kBits);
  int x = 0, y = 0, round = 0;
  while (round < kMost && x * x / 4 + y * y / 4 < 1 << 2 * kBits) {
    const int next = (x * x - y * y) / (1 << kBits) + c;
    y = x * y / (1 << (kBits - 1)) + d;
    x = next;
    ++round;
  }
  return round;
}

__global__ void draw(unsigned char* image) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < kWidth && y < kHeight) image[y * kWidth + x] = static_cast<unsigned char>(rounds(x, y));
}

int main() {
  std::vector<unsigned char> image(kWidth * kHeight);
  unsigned char* device;
  cudaMalloc(&device, image.size());
  draw<<<dim3(3, 4), dim3(16, 8)>>>(device);
  cudaMemcpy(image.data(), device, image.size(), cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool right = cudaGetLastError() == cudaSuccess;
  int inside = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      right = right && image[y * kWidth + x] == rounds(x, y);
      inside += image[y * kWidth + x] == kMost;
    }
  right = right && inside > 100 && inside < kWidth * kHeight / 2;
  std::printf("mandelbrot: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
