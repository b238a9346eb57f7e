// This kernel counts the ways to place n queens on a board of n x n. Each thread takes one placement in the
// first two rows and searches the other rows by backtracking. Bits represent the attacked columns and
// diagonals.
//
// solutions: unsigned long long[1], written; at the start 0. n: 1 .. 16.
//
// Block: 64 x 1 x 1. Grid: ceil(n * n / 64). Deterministic.
//
// Host sequence: n_queens once.
//
// Source: Knuth, The Art of Computer Programming, volume 4, section 7.2.2 (backtracking; with bits: Walker).
#include "cuda.h"

constexpr unsigned kMost = 16;

struct Row {
  unsigned columns;  // columns attacked from above
  unsigned left;     // columns attacked along the diagonals to the left
  unsigned right;    // columns attacked along the diagonals to the right
  unsigned untried;  // free columns that are not yet tried
};

HEDDLE_DEVICE Row below(const Row& row, unsigned place, unsigned board) {
  Row next;
  next.columns = row.columns | place;
  next.left = (row.left | place) << 1;
  next.right = (row.right | place) >> 1;
  next.untried = board & ~(next.columns | next.left | next.right);
  return next;
}

HEDDLE_DEVICE uint64 count_below(const Row& start, unsigned rows, unsigned board) {
  if (rows == 0) return 1;
  Row stack[kMost];
  uint64 solutions = 0;
  int depth = 0;
  stack[0] = start;
  while (depth >= 0) {
    Row& row = stack[depth];
    const unsigned place = row.untried & (0 - row.untried);
    if (place == 0) {
      --depth;
      continue;
    }
    row.untried ^= place;
    if (static_cast<unsigned>(depth) + 1 == rows) {
      ++solutions;
    } else {
      stack[depth + 1] = below(row, place, board);
      ++depth;
    }
  }
  return solutions;
}

HEDDLE_KERNEL n_queens(uint64* solutions, unsigned n) {
  const unsigned placement = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned board = (1U << n) - 1;
  uint64 found = 0;
  if (placement < n * n) {
    const unsigned second = 1U << (placement % n);
    const Row first_below = below({0, 0, 0, board}, 1U << (placement / n), board);
    if (n == 1)
      found = 1;
    else if (first_below.untried & second)
      found = count_below(below(first_below, second, board), n - 2, board);
  }
  for (unsigned mask = kWarpSize / 2; mask > 0; mask /= 2) found += shuffle_xor(found, mask);
  if (threadIdx.x % kWarpSize == 0 && found > 0) atomicAdd(solutions, found);
}
