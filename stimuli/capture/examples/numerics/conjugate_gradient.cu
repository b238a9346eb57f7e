// Conjugate gradients for a symmetric band matrix: products, sums of vectors and scalar products are kernels,
// and the host decides from the residual whether to go on.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kCount = 128;

__global__ void multiply(const double* x, double* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  double sum = 4 * x[i];
  if (i > 0) sum -= x[i - 1];
  if (i + 1 < kCount) sum -= x[i + 1];
  y[i] = sum;
}

__global__ void add(double* y, const double* x, double factor, double keep) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  y[i] = keep * y[i] + factor * x[i];
}

__global__ void scalar_product(const double* x, const double* y, double* result) {
  __shared__ double sums[kCount];
  sums[threadIdx.x] = x[threadIdx.x] * y[threadIdx.x];
  for (unsigned half = kCount / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *result = sums[0];
}

double product(const double* x, const double* y, double* scratch) {
  double value = 0;
  scalar_product<<<1, kCount>>>(x, y, scratch);
  cudaMemcpy(&value, scratch, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

int main() {
  constexpr std::size_t kBytes = kCount * sizeof(double);
  std::vector<double> solution(kCount), b(kCount), result(kCount);
  for (int i = 0; i < kCount; ++i) solution[i] = i * 7 % 11 - 5.0;
  for (int i = 0; i < kCount; ++i)
    b[i] = 4 * solution[i] - (i > 0 ? solution[i - 1] : 0) - (i + 1 < kCount ? solution[i + 1] : 0);
  double *x, *r, *p, *q, *scratch;
  for (double** vector : {&x, &r, &p, &q, &scratch}) cudaMalloc(vector, kBytes);
  cudaMemset(x, 0, kBytes);
  cudaMemcpy(r, b.data(), kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(p, r, kBytes, cudaMemcpyDeviceToDevice);
  int rounds = 0;
  for (double rr = product(r, r, scratch); rr > 1e-16 && rounds < 60; ++rounds) {
    multiply<<<2, kCount / 2>>>(p, q);
    const double alpha = rr / product(p, q, scratch);
    add<<<2, kCount / 2>>>(x, p, alpha, 1);
    add<<<2, kCount / 2>>>(r, q, -alpha, 1);
    const double next = product(r, r, scratch);
    add<<<2, kCount / 2>>>(p, r, 1, next / rr);
    rr = next;
  }
  cudaMemcpy(result.data(), x, kBytes, cudaMemcpyDeviceToHost);
  bool right = cudaGetLastError() == cudaSuccess && rounds > 5 && rounds < 60;
  for (int i = 0; i < kCount; ++i) right = right && std::fabs(result[i] - solution[i]) < 1e-6;
  std::printf("conjugate_gradient: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
