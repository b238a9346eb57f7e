// These kernels compute exclusive prefix sums of many arrays of equal length, as the CUDA SDK's scan does. A
// thread holds four neighboring values; a block scans 1024 values, which are one long piece or several short
// arrays, in shared memory. The pieces of an array that is longer than 1024 are scanned alone, then their
// sums are scanned, and each is added to the values of its piece.
//
// values, prefixes: unsigned[n]; prefixes is written; n is a multiple of 1024. length: of an array, a power
// of two of at least 4. sums: unsigned[n / 1024], written: what stands before a piece in its array. Sums wrap
// around.
//
// Block: 256 x 1 x 1. Grid: scan_pieces and add_sums n / 1024, scan_sums ceil(n / 1024 / 256). Deterministic.
//
// Host sequence: scan_pieces(values, prefixes, 1024), scan_sums(values, prefixes, sums, n / 1024, length /
// 1024), add_sums(prefixes, sums). Where length is at most 1024: scan_pieces(values, prefixes, length) alone.
//
// Source: Hillis and Steele, Data Parallel Algorithms, 1986; scan of the CUDA SDK (the work of a thread, the
// kernels of a program).
#include "cuda.h"

constexpr unsigned kBlock = 256;
constexpr unsigned kEach = 4;
constexpr unsigned kPiece = kBlock * kEach;

// Returns the sum of the values of the threads before this one in its group of `size` threads. The words
// below the first value of a group are 0, so that no thread needs a condition.
HEDDLE_DEVICE unsigned scan_group(unsigned value, unsigned* words, unsigned size) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
  words[at] = 0;
  at += size;
  words[at] = value;
  for (unsigned distance = 1; distance < size; distance *= 2) {
    __syncthreads();
    const unsigned sum = words[at] + words[at - distance];
    __syncthreads();
    words[at] = sum;
  }
  return words[at] - value;
}

HEDDLE_KERNEL scan_pieces(const uint4* values, uint4* prefixes, unsigned length) {
  __shared__ unsigned words[2 * kBlock];
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  const uint4 own = values[i];
  const unsigned two = own.x + own.y;
  const unsigned three = two + own.z;
  const unsigned before = scan_group(three + own.w, words, length / kEach);
  prefixes[i] = {before, before + own.x, before + two, before + three};
}

HEDDLE_KERNEL scan_sums(const unsigned* values, const unsigned* prefixes, unsigned* sums, unsigned pieces,
                        unsigned of_array) {
  __shared__ unsigned words[2 * kBlock];
  const unsigned piece = blockIdx.x * kBlock + threadIdx.x;
  unsigned sum = 0;
  if (piece < pieces) {
    const unsigned last = kPiece * piece + kPiece - 1;
    sum = prefixes[last] + values[last];
  }
  const unsigned before = scan_group(sum, words, of_array);
  if (piece < pieces) sums[piece] = before;
}

HEDDLE_KERNEL add_sums(uint4* prefixes, const unsigned* sums) {
  __shared__ unsigned before;
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (threadIdx.x == 0) before = sums[blockIdx.x];
  __syncthreads();
  const uint4 own = prefixes[i];
  prefixes[i] = {own.x + before, own.y + before, own.z + before, own.w + before};
}
