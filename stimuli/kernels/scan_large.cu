// These kernels compute inclusive prefix sums of a large array, for any number of threads. A block of
// scan_part holds four rows of four neighboring values for each thread in registers, scans the sums of the
// fours of all rows together in shared memory, and writes its sum. One block of scan_sums scans these sums
// part by part, and scan_shift adds to each block what stands before it.
//
// values: int[n]; prefixes: int[n], written; n is a multiple of 4. sums: int[b] with b = ceil(n / (16 * T)),
// written. Sums wrap around.
//
// Block: T x 1 x 1; dynamic shared memory: 16 * T bytes in scan_part, 4 * T in scan_sums. Grid: b, for
// scan_sums 1. prefixes are the same for every T.
//
// Host sequence: scan_part(values, prefixes, sums, n); scan_sums(sums, b); scan_shift(prefixes, sums, n).
//
// Source: Hillis and Steele, Data Parallel Algorithms, 1986 (within a block); Blelloch, Prefix Sums and Their
// Applications, 1990 (across blocks); several values for each thread: scanLargeArray and scan of the CUDA
// SDK.
#include "cuda.h"

constexpr unsigned kRows = 4;

// Replaces each value by the sum of those of this thread and the threads before it, row by row, and leaves
// these sums in shared memory. `sums` has a row of words, one for each thread, for each value.
template <unsigned kValues>
HEDDLE_DEVICE void scan_block(int (&values)[kValues], int* sums) {
  const unsigned thread = threadIdx.x;
  const unsigned threads = blockDim.x;
  for (unsigned row = 0; row < kValues; ++row) sums[row * threads + thread] = values[row];
  __syncthreads();
#pragma unroll 1
  for (unsigned distance = 1; distance < threads; distance *= 2) {
    if (thread >= distance)
      for (unsigned row = 0; row < kValues; ++row) values[row] += sums[row * threads + thread - distance];
    __syncthreads();
    for (unsigned row = 0; row < kValues; ++row) sums[row * threads + thread] = values[row];
    __syncthreads();
  }
}

HEDDLE_KERNEL scan_part(const int4* values, int4* prefixes, int* sums, unsigned n) {
  extern __shared__ int of_threads[];
  const unsigned threads = blockDim.x;
  const unsigned first = blockIdx.x * threads * kRows + threadIdx.x;
  int4 own[kRows];
  int scanned[kRows];
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned at = first + row * threads;
    own[row] = at < n / 4 ? values[at] : int4{0, 0, 0, 0};
    own[row].y += own[row].x;
    own[row].z += own[row].y;
    own[row].w += own[row].z;
    scanned[row] = own[row].w;
  }
  scan_block(scanned, of_threads);
  int before = 0;
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned at = first + row * threads;
    const int shift = before + scanned[row] - own[row].w;
    if (at < n / 4)
      prefixes[at] = {own[row].x + shift, own[row].y + shift, own[row].z + shift, own[row].w + shift};
    before += of_threads[row * threads + threads - 1];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = before;
}

HEDDLE_KERNEL scan_sums(int* sums, unsigned blocks) {
  extern __shared__ int of_threads[];
  const unsigned thread = threadIdx.x;
  int before = 0;
#pragma unroll 1
  for (unsigned first = 0; first < blocks; first += blockDim.x) {
    int scanned[1] = {first + thread < blocks ? sums[first + thread] : 0};
    scan_block(scanned, of_threads);
    if (first + thread < blocks) sums[first + thread] = before + scanned[0];
    before += of_threads[blockDim.x - 1];
    __syncthreads();
  }
}

HEDDLE_KERNEL scan_shift(int4* prefixes, const int* sums, unsigned n) {
  const unsigned first = blockIdx.x * blockDim.x * kRows + threadIdx.x;
  if (blockIdx.x == 0) return;
  const int before = sums[blockIdx.x - 1];
  for (unsigned row = 0; row < kRows; ++row) {
    const unsigned at = first + row * blockDim.x;
    if (at >= n / 4) return;
    int4 quad = prefixes[at];
    quad.x += before;
    quad.y += before;
    quad.z += before;
    quad.w += before;
    prefixes[at] = quad;
  }
}
