// These kernels convolve two vectors by the fast Walsh transform, as the CUDA SDK's fastWalshTransform does.
// A transform takes two stages of the butterfly a launch while its parts are longer than 2048 values, then
// all others in shared memory.
//
// data, kernel: float[n], changed: data becomes the convolution, kernel its own transform; n is a power of
// two of at least 4096. stride: a quarter of a part. size: of a part, 1024 or 2048; odd: whether one stage is
// left over at the end.
//
// Block: walsh_pass 256 x 1 x 1; walsh_parts size / 4, with 4 * size bytes of dynamic shared memory;
// walsh_modulate 256. Grid: walsh_pass n / 1024, walsh_parts n / size, walsh_modulate any. Deterministic.
//
// Host sequence: the transform of data, that of kernel, walsh_modulate, the transform of data. A transform:
// walsh_pass for part = n, n / 4, ... while part is above 2048, then walsh_parts.
//
// Source: Fino and Algazi, Unified Matrix Treatment of the Fast Walsh-Hadamard Transform, 1976;
// fastWalshTransform of the CUDA SDK (the work of a thread, the kernels of a program).
#include "cuda.h"

// Performs two stages on four values that are `stride` apart, from `at` on.
HEDDLE_DEVICE void two_stages(const float* from, float* to, int at, int stride) {
  const float a = from[at];
  const float b = from[at + stride];
  const float c = from[at + 2 * stride];
  const float d = from[at + 3 * stride];
  to[at] = (a + c) + (b + d);
  to[at + stride] = (a + c) - (b + d);
  to[at + 2 * stride] = (a - c) + (b - d);
  to[at + 3 * stride] = (a - c) - (b - d);
}

HEDDLE_DEVICE int first_of_four(int thread, int stride) {
  const int low = thread & (stride - 1);
  return (thread - low) * 4 + low;
}

HEDDLE_KERNEL walsh_pass(const float* from, float* to, int stride) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  two_stages(from, to, first_of_four(thread, stride), stride);
}

HEDDLE_KERNEL walsh_parts(const float* from, float* to, int size, int odd) {
  extern __shared__ float part[];
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  const int first = static_cast<int>(blockIdx.x) * size;
#pragma unroll 1
  for (int i = thread; i < size; i += threads) part[i] = from[first + i];
  for (int stride = size / 4; stride > 0; stride /= 4) {
    __syncthreads();
    two_stages(part, part, first_of_four(thread, stride), stride);
  }
  if (odd != 0) {
    __syncthreads();
#pragma unroll 1
    for (int pair = thread; pair < size / 2; pair += threads) {
      const float a = part[2 * pair];
      const float b = part[2 * pair + 1];
      part[2 * pair] = a + b;
      part[2 * pair + 1] = a - b;
    }
  }
  __syncthreads();
#pragma unroll 1
  for (int i = thread; i < size; i += threads) to[first + i] = part[i];
}

HEDDLE_KERNEL walsh_modulate(float* data, const float* kernel, int n) {
  const int threads = static_cast<int>(blockDim.x * gridDim.x);
  const float share = 1.0F / static_cast<float>(n);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += threads)
    data[i] *= kernel[i] * share;
}
