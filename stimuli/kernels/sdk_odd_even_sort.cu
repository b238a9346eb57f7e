// This kernel sorts many arrays of equal length by the odd-even merge network, as the CUDA SDK's
// sortingNetworks does with arrays that fit into shared memory.
//
// keys, values: unsigned[n]; sorted_keys, sorted_values: unsigned[n], written: the records of each array in
// the order of their keys; n is a multiple of 1024. length: of an array, a power of two of 2 .. 1024.
// ascending: 1, or 0 for descending. Records of equal keys come in any order.
//
// Block: 512 x 1 x 1. Grid: n / 1024. Deterministic.
//
// Host sequence: odd_even_sort once.
//
// Source: see sdk_sorting.cuh.
#include "sdk_sorting.cuh"

HEDDLE_KERNEL odd_even_sort(unsigned* sorted_keys, unsigned* sorted_values, const unsigned* keys,
                            const unsigned* values, unsigned length, unsigned ascending) {
  __shared__ unsigned piece_keys[kPiece];
  __shared__ unsigned piece_values[kPiece];
  const Records records = {piece_keys, piece_values};
  const unsigned first = blockIdx.x * kPiece;
  copy_records(keys + first, values + first, records);
  for (unsigned size = 2; size <= length; size *= 2) {
    unsigned stride = size / 2;
    const unsigned offset = threadIdx.x & (stride - 1);
    __syncthreads();
    order(records, first_of_pair(stride), first_of_pair(stride) + stride, ascending);
    for (stride /= 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned at = first_of_pair(stride);
      if (offset >= stride) order(records, at - stride, at, ascending);
    }
  }
  __syncthreads();
  copy_records(piece_keys, piece_values, {sorted_keys + first, sorted_values + first});
}
