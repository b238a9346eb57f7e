// This kernel finds the cheapest path down a grid by dynamic programming. A path goes from each point to one
// of the three nearest points of the next row. A block computes several rows, over a strip that becomes
// narrower by one point on either side with each row.
//
// walls: int[rows][columns], cost of each point. costs_in, costs_out: int[columns], cost of the cheapest path
// to each point of the row before the launch and of its last row; costs_out is written. The launch computes
// the rows first_row .. first_row + count - 1; count is at most 64.
//
// Block: 256 x 1 x 1; it writes 256 - 2 * count columns. Grid: ceil(columns / (256 - 2 * count)).
// Deterministic.
//
// Host sequence: costs_in holds row 0 of walls; for first_row = 1, 1 + rows_per_launch, ... while first_row <
// rows: grid_path with count = min(rows_per_launch, rows - first_row), then costs_in and costs_out are
// swapped.
//
// Source: Cormen et al., Introduction to Algorithms, chapter on dynamic programming.
#include "cuda.h"

constexpr unsigned kBlock = 256;

HEDDLE_KERNEL grid_path(const int* walls, const int* costs_in, int* costs_out, unsigned columns,
                        unsigned first_row, unsigned count) {
  __shared__ int costs[2][kBlock];
  const int thread = static_cast<int>(threadIdx.x);
  const int halo = static_cast<int>(count);
  const int width = static_cast<int>(kBlock) - 2 * halo;
  const int column = static_cast<int>(blockIdx.x) * width - halo + thread;
  const bool inside = column >= 0 && column < static_cast<int>(columns);
  constexpr int kUnreachable = 0x7fffffff;
  costs[0][thread] = inside ? costs_in[column] : kUnreachable;
  __syncthreads();
  for (int step = 0; step < halo; ++step) {
    const int* const before = costs[step % 2];
    int cost = kUnreachable;
    if (inside && thread > step && thread < static_cast<int>(kBlock) - 1 - step) {
      cost = before[thread];
      if (before[thread - 1] < cost) cost = before[thread - 1];
      if (before[thread + 1] < cost) cost = before[thread + 1];
      cost += walls[(first_row + step) * columns + column];
    }
    costs[(step + 1) % 2][thread] = cost;
    __syncthreads();
  }
  if (inside && thread >= halo && thread < halo + width) costs_out[column] = costs[halo % 2][thread];
}
