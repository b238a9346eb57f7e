// These kernels compute inclusive prefix sums of a large array, for any number of threads. Each thread of
// scan_part holds 20 neighboring values in registers, the block scans the sums of its threads in shared memory, and
// the sum of the block is written. One block of scan_sums scans these sums part by part, and scan_shift adds to each
// block what stands before it.
//
// values: unsigned[n]; prefixes: unsigned[n], written; n is a multiple of 20. sums: unsigned[b] with
// b = ceil(n / (20 * T)), written. Sums wrap around.
//
// Block: T x 1 x 1, with 8 * T bytes of dynamic shared memory in scan_part and scan_sums. Grid: b, for scan_sums 1.
// prefixes are the same for every T.
//
// Host sequence: scan_part(values, prefixes, sums, n); scan_sums(sums, b); scan_shift(prefixes, sums, n).
//
// Source: Hillis and Steele, Data Parallel Algorithms, 1986 (within a block); Blelloch, Prefix Sums and Their
// Applications, 1990 (across blocks); several values for each thread: scanLargeArray and scan of the CUDA SDK.
#include "cuda.h"

constexpr unsigned kEach = 20;
constexpr unsigned kQuads = kEach / 4;

// Returns the sum of the values of this thread and the threads before it. `sums` has two words for each thread.
HEDDLE_DEVICE int scan_block(int value, int* sums) {
  const unsigned thread = threadIdx.x;
  int* from = sums;
  int* to = sums + blockDim.x;
  from[thread] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (thread >= distance) value += from[thread - distance];
    to[thread] = value;
    __syncthreads();
    int* const swapped = from;
    from = to;
    to = swapped;
  }
  return value;
}

HEDDLE_KERNEL scan_part(const int4* values, int4* prefixes, int* sums, unsigned n) {
  extern __shared__ int of_threads[];
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * kQuads;
  const bool is_inside = first < n / 4;
  int4 own[kQuads];
  int sum = 0;
  for (unsigned i = 0; i < kQuads; ++i) {
    own[i] = is_inside ? values[first + i] : int4{0, 0, 0, 0};
    own[i].x = sum += own[i].x;
    own[i].y = sum += own[i].y;
    own[i].z = sum += own[i].z;
    own[i].w = sum += own[i].w;
  }
  const int scanned = scan_block(sum, of_threads);
  const int before = scanned - sum;
  if (is_inside)
    for (unsigned i = 0; i < kQuads; ++i)
      prefixes[first + i] = {own[i].x + before, own[i].y + before, own[i].z + before, own[i].w + before};
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = scanned;
}

HEDDLE_KERNEL scan_sums(int* sums, unsigned blocks) {
  extern __shared__ int of_threads[];
  const unsigned thread = threadIdx.x;
  __shared__ int carried;
  if (thread == 0) carried = 0;
#pragma unroll 1
  for (unsigned first = 0; first < blocks; first += blockDim.x) {
    __syncthreads();
    const int before = carried;
    const int value = first + thread < blocks ? sums[first + thread] : 0;
    const int scanned = scan_block(value, of_threads) + before;
    if (first + thread < blocks) sums[first + thread] = scanned;
    if (thread == blockDim.x - 1) carried = scanned;
  }
}

HEDDLE_KERNEL scan_shift(int4* prefixes, const int* sums, unsigned n) {
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * kQuads;
  if (blockIdx.x == 0 || first >= n / 4) return;
  const int before = sums[blockIdx.x - 1];
  for (unsigned i = 0; i < kQuads; ++i) {
    int4 quad = prefixes[first + i];
    quad.x += before;
    quad.y += before;
    quad.z += before;
    quad.w += before;
    prefixes[first + i] = quad;
  }
}
