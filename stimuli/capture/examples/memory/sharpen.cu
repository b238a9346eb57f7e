// An image is filtered: its texels come through a texture that clamps at the edges, the filter lies in
// constant memory.
//
//   sharpen [SIDE]

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__constant__ float filter[9];

__global__ void apply(cudaTextureObject_t image, float* result, int side) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= side || y >= side) return;
  float sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      sum += filter[3 * j + i + 4] *
             tex2D<float>(image, static_cast<float>(x + i) + 0.5f, static_cast<float>(y + j) + 0.5f);
  result[y * side + x] = sum;
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 40;
  std::vector<float> image(side * side), result(side * side);
  for (int i = 0; i < side * side; ++i) image[i] = static_cast<float>((i * 37) % 101);
  // Whole numbers: every sum is exact, in whatever order it is made.
  const float sharpening[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
  cudaMemcpyToSymbol(filter, sharpening, sizeof sharpening);

  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &channel, side, side);
  const std::size_t row = side * sizeof(float);
  cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, side, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);

  float* device;
  cudaMalloc(&device, side * row);
  apply<<<dim3((side + 15) / 16, (side + 15) / 16), dim3(16, 16)>>>(texture, device, side);
  cudaMemcpy(result.data(), device, side * row, cudaMemcpyDeviceToHost);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  cudaFree(device);

  bool right = cudaGetLastError() == cudaSuccess;
  const auto at = [&](int x, int y) {
    x = x < 0 ? 0 : x >= side ? side - 1 : x;
    y = y < 0 ? 0 : y >= side ? side - 1 : y;
    return image[y * side + x];
  };
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      right = right && result[y * side + x] ==
                           5 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1);
  std::printf("sharpen: %d by %d, %s\n", side, side, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
