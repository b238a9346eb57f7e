#pragma once
// This file has what the sorting kernels of the CUDA SDK's programs share. A block of 512 threads holds 1024
// keys with a value each in shared memory.
//
// Source: Batcher, Sorting Networks and Their Applications, 1968; sortingNetworks and mergeSort of the CUDA
// SDK (the work of a thread, the kernels of a program).
#include "cuda.h"

constexpr unsigned kPiece = 1024;
constexpr unsigned kHalf = kPiece / 2;

struct Records {
  unsigned* keys;
  unsigned* values;
};

// Copies two records for each thread.
HEDDLE_DEVICE void copy_records(const unsigned* keys, const unsigned* values, Records to) {
  to.keys[threadIdx.x] = keys[threadIdx.x];
  to.values[threadIdx.x] = values[threadIdx.x];
  to.keys[threadIdx.x + kHalf] = keys[threadIdx.x + kHalf];
  to.values[threadIdx.x + kHalf] = values[threadIdx.x + kHalf];
}

// Exchanges the records a and b if their order is not the wanted one: ascending for 1, descending for 0.
HEDDLE_DEVICE void order(Records records, unsigned a, unsigned b, unsigned ascending) {
  const unsigned key_a = records.keys[a];
  const unsigned key_b = records.keys[b];
  if ((key_a > key_b) != (ascending != 0)) return;
  const unsigned value_a = records.values[a];
  records.keys[a] = key_b;
  records.values[a] = records.values[b];
  records.keys[b] = key_a;
  records.values[b] = value_a;
}

// The first record of the pair of this thread, where the records of a pair are `stride` apart.
HEDDLE_DEVICE unsigned first_of_pair(unsigned stride) {
  return 2 * threadIdx.x - (threadIdx.x & (stride - 1));
}
