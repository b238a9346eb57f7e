// This kernel finds the cheapest path down a grid by dynamic programming, as Rodinia's pathfinder does. A
// path goes from each point to one of the three nearest points of the next row. A block computes several
// rows, over a strip that becomes narrower by one point on either side with each row.
//
// walls: int[rows][columns], cost of each point. costs_in, costs_out: int[columns], cost of the cheapest path
// to each point of the row before the launch and of its last row; costs_out is written. The launch computes
// the rows first_row .. first_row + count - 1.
//
// Block: X x 1 x 1, with 8 * X bytes of dynamic shared memory; it writes X - 2 * count columns. Grid:
// ceil(columns / (X - 2 * count)). Deterministic.
//
// Host sequence: costs_in holds row 0 of walls; for first_row = 1, 1 + rows_per_launch, ... while first_row <
// rows: path_rows with count = min(rows_per_launch, rows - first_row), then costs_in and costs_out are
// swapped.
//
// Source: Cormen et al., Introduction to Algorithms, chapter on dynamic programming; pathfinder of Rodinia
// (the work of a thread, its barriers).
#include "cuda.h"

HEDDLE_KERNEL path_rows(int count, const int* walls, const int* costs_in, int* costs_out, int columns,
                        int first_row) {
  extern __shared__ int costs[];
  const int width = static_cast<int>(blockDim.x);
  int* const before = costs;
  int* const after = costs + width;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = (width - 2 * count) * static_cast<int>(blockIdx.x) - count;
  const int column = first + thread;
  const int lowest = max(-first, 0);
  const int highest = min(columns - 1 - first, width - 1);
  const int left = max(thread - 1, lowest);
  const int right = min(thread + 1, highest);
  const bool inside = thread >= lowest && thread <= highest;
  if (inside) before[thread] = costs_in[column];
  __syncthreads();
  bool computed = false;
  for (int row = 0; row < count; ++row) {
    computed = inside && thread >= row + 1 && thread <= width - row - 2;
    if (computed)
      after[thread] =
          min(min(before[left], before[thread]), before[right]) + walls[columns * (first_row + row) + column];
    __syncthreads();
    if (row == count - 1) break;
    if (computed) before[thread] = after[thread];
    __syncthreads();
  }
  if (computed) costs_out[column] = after[thread];
}
