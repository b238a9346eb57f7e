// These kernels surround the diffusion of an ultrasound image (diffusion.cu): they undo the logarithm of the
// image, sum its values and their squares, from which the variation of the speckle follows, and take the
// logarithm again.
//
// image: float[n], changed in place; its values are 0 .. 255 before image_extract and after image_compress.
// values, squares: float[n]; image_prepare writes the image and its squares. image_sums adds up values and
// squares: of the `left` sums that lie `stride` elements apart, each block replaces the first of its 256 by
// the sum of all of them.
//
// Block: 256 x 1 x 1. Grid: ceil(n / 256); image_sums ceil(left / 256). Deterministic.
//
// Host sequence: image_extract; image_prepare; image_sums with left = n and stride = 1, and then, while left
// > 1, with left = ceil(left / 256) and stride = 256 * stride; image_compress.
//
// Source: Yu and Acton, Speckle Reducing Anisotropic Diffusion, IEEE Transactions on Image Processing, 2002.
#include "cuda.h"

constexpr unsigned kBlock = 256;

HEDDLE_KERNEL image_extract(float* image, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) image[i] = exp_approx(image[i] / 255);
}

HEDDLE_KERNEL image_prepare(const float* image, float* values, float* squares, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float value = image[i];
  values[i] = value;
  squares[i] = value * value;
}

HEDDLE_KERNEL image_sums(float* values, float* squares, unsigned left, unsigned stride) {
  __shared__ float value_sums[kBlock];
  __shared__ float square_sums[kBlock];
  const unsigned thread = threadIdx.x;
  const unsigned i = blockIdx.x * kBlock + thread;
  value_sums[thread] = i < left ? values[i * stride] : 0;
  square_sums[thread] = i < left ? squares[i * stride] : 0;
  __syncthreads();
  // Neighbours are added first, so that every warp has threads that add until the sums of a warp are
  // complete.
  for (unsigned width = 1; width < kBlock; width *= 2) {
    if (thread % (2 * width) == 0) {
      value_sums[thread] += value_sums[thread + width];
      square_sums[thread] += square_sums[thread + width];
    }
    __syncthreads();
  }
  if (thread != 0) return;
  values[i * stride] = value_sums[0];
  squares[i * stride] = square_sums[0];
}

HEDDLE_KERNEL image_compress(float* image, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) image[i] = log_approx(image[i]) * 255;
}
