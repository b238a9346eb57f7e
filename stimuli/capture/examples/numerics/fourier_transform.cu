// A Fourier transform of 256 values by the method of Stockham in shared memory: eight rounds of butterflies,
// checked against the sums of the definition.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

constexpr int kCount = 256;
constexpr float kPi = 3.14159265f;

struct Complex {
  float re, im;
};

__global__ void transform(Complex* data) {
  __shared__ Complex buffers[2][kCount];
  const int i = static_cast<int>(threadIdx.x);
  Complex *from = buffers[0], *to = buffers[1];
  from[i] = data[i];
  from[i + kCount / 2] = data[i + kCount / 2];
  for (int half = 1; half < kCount; half *= 2) {
    __syncthreads();
    const int k = i % half;
    const float angle = -kPi * static_cast<float>(k) / static_cast<float>(half);
    const Complex a = from[i], b = from[i + kCount / 2], w = {__cosf(angle), __sinf(angle)};
    const Complex turned = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
    const int at = 2 * i - k;
    to[at] = {a.re + turned.re, a.im + turned.im};
    to[at + half] = {a.re - turned.re, a.im - turned.im};
    Complex* const last = from;
    from = to;
    to = last;
  }
  __syncthreads();
  data[i] = from[i];
  data[i + kCount / 2] = from[i + kCount / 2];
}

int main() {
  Complex values[kCount], result[kCount], *device;
  for (int i = 0; i < kCount; ++i)
    values[i] = {static_cast<float>(i * 13 % 17) - 8, static_cast<float>(i * 5 % 7) - 3};
  cudaMalloc(&device, sizeof values);
  cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
  transform<<<1, kCount / 2>>>(device);
  cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool right = cudaGetLastError() == cudaSuccess;
  for (int k = 0; k < kCount; ++k) {
    double re = 0, im = 0;
    for (int i = 0; i < kCount; ++i) {
      const double angle = -2 * 3.14159265358979 * (i * k % kCount) / kCount;
      re += values[i].re * std::cos(angle) - values[i].im * std::sin(angle);
      im += values[i].re * std::sin(angle) + values[i].im * std::cos(angle);
    }
    right = right && std::fabs(result[k].re - re) < 0.02 && std::fabs(result[k].im - im) < 0.02;
  }
  std::printf("fourier_transform: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
