// These kernels find the shortest paths from one source. Nodes whose cost decreased offer their neighbours a
// path, until no cost decreases.
//
// The graph is in compressed sparse rows: row_offsets: unsigned[nodes + 1], columns, weights:
// unsigned[edges]. costs, offers: unsigned[nodes], at the start 0 for the source and 0xffffffff for all
// others, at the end the cost of the cheapest path. active: uint8[nodes], at the start 1 for the source only,
// at the end 0. go_on: unsigned[1]. Every path must cost less than 2^32 - 1.
//
// Block: 256 x 1 x 1. Grid: ceil(nodes / 256). Results are deterministic.
//
// Host sequence: do: go_on[0] = 0; sssp_offer; sssp_accept; while go_on[0] is not 0.
//
// Source: Harish and Narayanan, Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007.
#include "cuda.h"

HEDDLE_KERNEL sssp_offer(const unsigned* row_offsets, const unsigned* columns, const unsigned* weights,
                         const unsigned* costs, unsigned* offers, uint8* active, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !active[node]) return;
  active[node] = 0;
  for (unsigned edge = row_offsets[node]; edge < row_offsets[node + 1]; ++edge)
    atomicMin(&offers[columns[edge]], costs[node] + weights[edge]);
}

HEDDLE_KERNEL sssp_accept(unsigned* costs, const unsigned* offers, uint8* active, unsigned* go_on,
                          unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || offers[node] >= costs[node]) return;
  costs[node] = offers[node];
  active[node] = 1;
  *go_on = 1;
}
