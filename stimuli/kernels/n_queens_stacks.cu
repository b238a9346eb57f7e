// This kernel counts the ways to place n queens on a board of n x n, with the stacks of its threads in shared
// memory. Each thread places the first four rows as the digits of its number state, without shared memory,
// and searches the other rows by backtracking over a stack of 10 rows of 4 words. The threads of a block add
// what they found, with one word each. Bits represent the attacked columns and diagonals.
//
// solutions: unsigned long long[1], written; at the start 0. n: 5 .. 14.
//
// Block: T x 1 x 1 for the entry n_queens_stacks_T, with 164 * T bytes of shared memory. Grid: ceil(n^4 / T).
// Deterministic.
//
// Host sequence: n_queens_stacks_T once.
//
// Source: Walker's backtracking with bits (Knuth, The Art of Computer Programming, volume 4, section 7.2.2),
// with the shared memory of Chen's N-queens solver for CUDA: four words for each of ten rows, and one
// (Vijaykumar et al., Zorua, Figure 8 and Table 3).
#include "cuda.h"

constexpr unsigned kRows = 10;   // most rows of the search
constexpr unsigned kPlaced = 4;  // rows that the number of a thread places

// The stack of a thread is a column of these arrays, so that the threads of a warp use different banks.
template <unsigned kThreads>
struct Stacks {
  unsigned columns[kRows][kThreads];  // columns attacked from above
  unsigned left[kRows][kThreads];     // columns attacked along the diagonals to the left
  unsigned right[kRows][kThreads];    // columns attacked along the diagonals to the right
  unsigned untried[kRows][kThreads];  // free columns that are not yet tried
};

template <unsigned kThreads>
HEDDLE_DEVICE unsigned count_below(Stacks<kThreads>& stacks, unsigned columns, unsigned left, unsigned right,
                                   unsigned rows, unsigned board) {
  const unsigned thread = threadIdx.x;
  stacks.columns[0][thread] = columns;
  stacks.left[0][thread] = left;
  stacks.right[0][thread] = right;
  stacks.untried[0][thread] = board & ~(columns | left | right);
  unsigned found = 0;
  int depth = 0;
  while (depth >= 0) {
    const unsigned untried = stacks.untried[depth][thread];
    const unsigned place = untried & (0 - untried);
    if (place == 0) {
      --depth;
      continue;
    }
    stacks.untried[depth][thread] = untried ^ place;
    if (static_cast<unsigned>(depth) + 1 == rows) {
      ++found;
      continue;
    }
    columns = stacks.columns[depth][thread] | place;
    left = (stacks.left[depth][thread] | place) << 1;
    right = (stacks.right[depth][thread] | place) >> 1;
    ++depth;
    stacks.columns[depth][thread] = columns;
    stacks.left[depth][thread] = left;
    stacks.right[depth][thread] = right;
    stacks.untried[depth][thread] = board & ~(columns | left | right);
  }
  return found;
}

template <unsigned kThreads>
HEDDLE_DEVICE void count_solutions(uint64* solutions, unsigned n) {
  __shared__ Stacks<kThreads> stacks;
  __shared__ unsigned found[kThreads];
  const unsigned thread = threadIdx.x;
  const unsigned board = (1U << n) - 1;
  unsigned placement = blockIdx.x * kThreads + thread;
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;
  bool is_free = placement < n * n * n * n;
#pragma unroll 1
  for (unsigned row = 0; row < kPlaced; ++row) {
    const unsigned place = 1U << (placement % n);
    is_free = is_free && ((columns | left | right) & place) == 0;
    columns |= place;
    left = (left | place) << 1;
    right = (right | place) >> 1;
    placement /= n;
  }
  unsigned own = 0;
  if (is_free) own = count_below<kThreads>(stacks, columns, left, right, n - kPlaced, board);
  found[thread] = own;
  __syncthreads();
#pragma unroll 1
  for (unsigned left_over = kThreads; left_over > 1;) {
    const unsigned half = (left_over + 1) / 2;
    if (thread + half < left_over) found[thread] += found[thread + half];
    __syncthreads();
    left_over = half;
  }
  if (thread == 0 && found[0] > 0) atomicAdd(solutions, static_cast<uint64>(found[0]));
}

#define N_QUEENS_STACKS(threads)                                           \
  HEDDLE_KERNEL n_queens_stacks_##threads(uint64* solutions, unsigned n) { \
    count_solutions<threads>(solutions, n);                                \
  }
N_QUEENS_STACKS(64)
N_QUEENS_STACKS(96)
N_QUEENS_STACKS(128)
N_QUEENS_STACKS(160)
N_QUEENS_STACKS(192)
N_QUEENS_STACKS(224)
N_QUEENS_STACKS(256)
N_QUEENS_STACKS(288)
