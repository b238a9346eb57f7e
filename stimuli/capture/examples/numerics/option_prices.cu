// Prices of European options by Black and Scholes, with the approximations of the hardware for exponentials,
// logarithms and roots.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr float kRate = 0.02f, kVolatility = 0.3f;

__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * __expf(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void price(const float* stock, const float* strike, const float* years, float* call, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float deviation = kVolatility * sqrtf(years[i]);
  const float d =
      (__logf(stock[i] / strike[i]) + (kRate + 0.5f * kVolatility * kVolatility) * years[i]) / deviation;
  call[i] = stock[i] * normal(d) - strike[i] * __expf(-kRate * years[i]) * normal(d - deviation);
}

int main() {
  constexpr int kCount = 500;
  constexpr std::size_t kBytes = kCount * sizeof(float);
  std::vector<float> stock(kCount), strike(kCount), years(kCount), call(kCount);
  for (int i = 0; i < kCount; ++i) {
    stock[i] = 5.0f + i * 7 % 26;
    strike[i] = 4.0f + i * 11 % 30;
    years[i] = 0.25f + i % 37 * 0.1f;
  }
  float* device;
  cudaMalloc(&device, 4 * kBytes);
  cudaMemcpy(device, stock.data(), kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device + kCount, strike.data(), kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device + 2 * kCount, years.data(), kBytes, cudaMemcpyHostToDevice);
  price<<<4, 128>>>(device, device + kCount, device + 2 * kCount, device + 3 * kCount, kCount);
  cudaMemcpy(call.data(), device + 3 * kCount, kBytes, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool right = cudaGetLastError() == cudaSuccess;
  const auto cumulative = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  for (int i = 0; i < kCount; ++i) {
    const double deviation = kVolatility * std::sqrt(years[i]);
    const double d =
        (std::log(stock[i] / strike[i]) + (kRate + 0.5 * kVolatility * kVolatility) * years[i]) / deviation;
    const double expected =
        stock[i] * cumulative(d) - strike[i] * std::exp(-kRate * years[i]) * cumulative(d - deviation);
    right = right && std::fabs(call[i] - expected) < 1e-3;
  }
  std::printf("option_prices: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
