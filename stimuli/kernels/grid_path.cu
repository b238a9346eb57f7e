// Cheapest path down a grid by dynamic programming: a path goes from each point to one of the three next
// below. A block takes several rows at once, over a strip that grows narrower by a point at either side with
// each row.
//
// walls: int[rows][columns], the cost of each point; costs_in, costs_out: int[columns], the cost of the
// cheapest path to each point of a row, before and after; costs_out is written. The launch takes the rows
// from first_row to first_row + count - 1, count at most 64.
//
// Block: 256 x 1 x 1, of which 256 - 2 * count columns are written. Grid: ceil(columns / (256 - 2 * count)).
// Deterministic.
//
// Host sequence: costs_in holds row 0 of walls; for first_row = 1, 1 + rows_per_launch, ... while first_row <
// rows: grid_path with count = min(rows_per_launch, rows - first_row); then costs_in and costs_out change
// roles.
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
