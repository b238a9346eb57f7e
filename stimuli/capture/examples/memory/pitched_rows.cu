// An image in rows with a pitch: copies, fills of a rectangle and a kernel keep to the rows, and copies of no
// bytes change nothing.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void brighten(unsigned char* image, std::size_t pitch, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  unsigned char& texel = image[y * pitch + x];
  texel = texel > 205 ? 255 : texel + 50;
}

int main() {
  constexpr int kWidth = 75, kHeight = 30;
  std::vector<unsigned char> image(kWidth * kHeight), result(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) image[i] = static_cast<unsigned char>(i * 11);
  void* device;
  std::size_t pitch = 0;
  cudaMallocPitch(&device, &pitch, kWidth, kHeight);
  bool right = pitch >= kWidth && pitch % 32 == 0;
  cudaMemcpy2D(device, pitch, image.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice);
  unsigned char* const corner = static_cast<unsigned char*>(device) + 4 * pitch + 10;
  cudaMemset2D(corner, pitch, 200, 20, 7);
  cudaMemset2D(corner, pitch, 1, 0, 7);
  cudaMemcpy(device, image.data(), 0, cudaMemcpyHostToDevice);
  cudaMemset(device, 9, 0);
  brighten<<<dim3(3, 4), dim3(32, 8)>>>(static_cast<unsigned char*>(device), pitch, kWidth, kHeight);
  cudaMemcpy2D(result.data(), kWidth, device, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost);
  cudaFree(device);
  right = right && cudaGetLastError() == cudaSuccess;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool filled = x >= 10 && x < 30 && y >= 4 && y < 11;
      const int before = filled ? 200 : image[y * kWidth + x];
      right = right && result[y * kWidth + x] == (before > 205 ? 255 : before + 50);
    }
  std::printf("pitched_rows: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
