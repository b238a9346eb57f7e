// These kernels sort records by merging, as the CUDA SDK's mergeSort does. Pieces of 1024 records are sorted
// in shared memory. Then arrays of `stride` records are merged in pairs: every 128th key of either array is
// ranked in both, the ranks cut both arrays into intervals of at most 128 records, and a block merges an
// interval of one array with one of the other.
//
// keys, values: unsigned[n]; sorted_keys, sorted_values: unsigned[n], written: the records in the order of
// their keys, those of equal keys in the order that they had; n is a multiple of 1024. ranks_a, ranks_b,
// limits_a, limits_b: unsigned[n / 128], written. threads: a thread for each two samples.
//
// With p pairs of arrays, whose last one may have a shorter second array: threads = p * stride / 128.
//
// Block: sort_pieces 512 x 1 x 1, sample_ranks and merge_ranks 256, merge_intervals 128. Grid: sort_pieces
// n / 1024, sample_ranks and merge_ranks ceil(threads / 256), merge_intervals the samples of all pairs.
// Deterministic.
//
// Host sequence: sort_pieces; for stride = 1024, 2048, ... while stride < n: sample_ranks(ranks_a, ranks_b),
// merge_ranks(limits_a, ranks_a), merge_ranks(limits_b, ranks_b), merge_intervals from one pair of buffers to
// another; an array without a partner is copied.
//
// Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs, IPDPS 2009;
// see also sdk_sorting.cuh.
#include "sdk_sorting.cuh"

constexpr unsigned kSample = 128;

// Returns how many of `count` sorted keys are below `key`, or also equal to it. `step` is a power of two of
// at least count.
template <bool kOrEqual>
HEDDLE_DEVICE unsigned rank_of(unsigned key, const unsigned* keys, unsigned count, unsigned step) {
  if (count == 0) return 0;
  unsigned rank = 0;
  for (; step > 0; step /= 2) {
    const unsigned next = min(rank + step, count);
    if (kOrEqual ? keys[next - 1] <= key : keys[next - 1] < key) rank = next;
  }
  return rank;
}

HEDDLE_DEVICE unsigned power_of_two_from(unsigned value) {
  return 1U << (32 - __clz(static_cast<int>(value - 1)));
}

HEDDLE_DEVICE unsigned samples_of(unsigned records) {
  return (records + kSample - 1) / kSample;
}

HEDDLE_KERNEL sort_pieces(unsigned* sorted_keys, unsigned* sorted_values, const unsigned* keys,
                          const unsigned* values) {
  __shared__ unsigned piece_keys[kPiece];
  __shared__ unsigned piece_values[kPiece];
  const unsigned first = blockIdx.x * kPiece;
  copy_records(keys + first, values + first, {piece_keys, piece_values});
  for (unsigned stride = 1; stride < kPiece; stride *= 2) {
    const unsigned place = threadIdx.x & (stride - 1);
    unsigned* const pair_keys = piece_keys + 2 * (threadIdx.x - place);
    unsigned* const pair_values = piece_values + 2 * (threadIdx.x - place);
    __syncthreads();
    const unsigned key_a = pair_keys[place];
    const unsigned value_a = pair_values[place];
    const unsigned key_b = pair_keys[place + stride];
    const unsigned value_b = pair_values[place + stride];
    const unsigned to_a = rank_of<false>(key_a, pair_keys + stride, stride, stride) + place;
    const unsigned to_b = rank_of<true>(key_b, pair_keys, stride, stride) + place;
    __syncthreads();
    pair_keys[to_a] = key_a;
    pair_values[to_a] = value_a;
    pair_keys[to_b] = key_b;
    pair_values[to_b] = value_b;
  }
  __syncthreads();
  copy_records(piece_keys, piece_values, {sorted_keys + first, sorted_values + first});
}

// A Pair is the two arrays that a thread or a block works on.
struct Pair {
  unsigned first;      // record of the first array
  unsigned samples_a;  // of the first array
  unsigned count_b;    // records of the second array
  unsigned samples_b;
};

HEDDLE_DEVICE Pair pair_at(unsigned first, unsigned stride, unsigned n) {
  const unsigned count_b = min(stride, n - first - stride);
  return {first, stride / kSample, count_b, samples_of(count_b)};
}

HEDDLE_KERNEL sample_ranks(unsigned* ranks_a, unsigned* ranks_b, const unsigned* keys, unsigned stride,
                           unsigned n, unsigned threads) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  const unsigned i = thread & (stride / kSample - 1);
  const Pair pair = pair_at((thread - i) * 2 * kSample, stride, n);
  keys += pair.first;
  ranks_a += pair.first / kSample;
  ranks_b += pair.first / kSample;
  if (i < pair.samples_a) {
    ranks_a[i] = i * kSample;
    ranks_b[i] =
        rank_of<false>(keys[i * kSample], keys + stride, pair.count_b, power_of_two_from(pair.count_b));
  }
  if (i < pair.samples_b) {
    ranks_b[stride / kSample + i] = i * kSample;
    ranks_a[stride / kSample + i] =
        rank_of<true>(keys[stride + i * kSample], keys, stride, power_of_two_from(stride));
  }
}

HEDDLE_KERNEL merge_ranks(unsigned* limits, const unsigned* ranks, unsigned stride, unsigned n,
                          unsigned threads) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  const unsigned i = thread & (stride / kSample - 1);
  const Pair pair = pair_at((thread - i) * 2 * kSample, stride, n);
  ranks += (thread - i) * 2;
  limits += (thread - i) * 2;
  if (i < pair.samples_a) {
    const unsigned rank = ranks[i];
    limits[i + rank_of<false>(rank, ranks + pair.samples_a, pair.samples_b,
                              power_of_two_from(pair.samples_b))] = rank;
  }
  if (i < pair.samples_b) {
    const unsigned rank = ranks[pair.samples_a + i];
    limits[i + rank_of<true>(rank, ranks, pair.samples_a, power_of_two_from(pair.samples_a))] = rank;
  }
}

HEDDLE_KERNEL merge_intervals(unsigned* merged_keys, unsigned* merged_values, const unsigned* keys,
                              const unsigned* values, const unsigned* limits_a, const unsigned* limits_b,
                              unsigned stride, unsigned n) {
  __shared__ unsigned piece_keys[2 * kSample];
  __shared__ unsigned piece_values[2 * kSample];
  __shared__ unsigned start_a, count_a, start_b, count_b;
  const unsigned thread = threadIdx.x;
  const unsigned interval = blockIdx.x & (2 * stride / kSample - 1);
  const unsigned first = (blockIdx.x - interval) * kSample;
  if (thread == 0) {
    const Pair pair = pair_at(first, stride, n);
    const bool is_last = interval + 1 >= pair.samples_a + pair.samples_b;
    start_a = limits_a[blockIdx.x];
    start_b = limits_b[blockIdx.x];
    count_a = (is_last ? stride : limits_a[blockIdx.x + 1]) - start_a;
    count_b = (is_last ? pair.count_b : limits_b[blockIdx.x + 1]) - start_b;
  }
  __syncthreads();
  unsigned key_a, value_a, to_a, key_b, value_b, to_b;
  if (thread < count_a) {
    piece_keys[thread] = key_a = keys[first + start_a + thread];
    value_a = values[first + start_a + thread];
  }
  if (thread < count_b) {
    piece_keys[kSample + thread] = key_b = keys[first + stride + start_b + thread];
    value_b = values[first + stride + start_b + thread];
  }
  __syncthreads();
  if (thread < count_a) to_a = rank_of<false>(key_a, piece_keys + kSample, count_b, kSample) + thread;
  if (thread < count_b) to_b = rank_of<true>(key_b, piece_keys, count_a, kSample) + thread;
  __syncthreads();
  if (thread < count_a) {
    piece_keys[to_a] = key_a;
    piece_values[to_a] = value_a;
  }
  if (thread < count_b) {
    piece_keys[to_b] = key_b;
    piece_values[to_b] = value_b;
  }
  __syncthreads();
  const unsigned out = first + start_a + start_b;
  if (thread < count_a) {
    merged_keys[out + thread] = piece_keys[thread];
    merged_values[out + thread] = piece_values[thread];
  }
  if (thread < count_b) {
    merged_keys[out + count_a + thread] = piece_keys[count_a + thread];
    merged_values[out + count_a + thread] = piece_values[count_a + thread];
  }
}
