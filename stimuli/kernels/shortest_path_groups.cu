// These kernels find the shortest paths from one source. Nodes whose cost decreased offer their neighbors a
// path, eight edges at a time, until no cost decreases. Offers are accepted by a kernel of their own, so that
// the rounds and the work of each do not depend on the order of the threads.
//
// The graph is in compressed sparse rows: row_offsets: unsigned[nodes + 1], columns, weights:
// unsigned[edges]. costs, offers: unsigned[nodes], at the start 0 for the source and 0xffffffff for all
// others, at the end the cost of the cheapest path. active: uint8[nodes], at the start 1 for the source only,
// at the end 0. go_on: unsigned[1]. Every path must cost less than 2^32 - 1.
//
// Block: T x 1 x 1. Grid: ceil(nodes / T). Results are the same for every T.
//
// Host sequence: do: go_on[0] = 0; shortest_path_offer; shortest_path_accept; while go_on[0] is not 0.
//
// Source: Harish and Narayanan, Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007; a
// thread for each node: SSSP of LonestarGPU (Burtscher, Nasre and Pingali, IISWC 2012).
#include "cuda.h"

constexpr unsigned kGroup = 8;  // edges whose loads are in flight together

HEDDLE_KERNEL shortest_path_offer(const unsigned* row_offsets, const unsigned* columns,
                                  const unsigned* weights, const unsigned* costs, unsigned* offers,
                                  uint8* active, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !active[node]) return;
  active[node] = 0;
  const unsigned cost = costs[node];
  const unsigned last = row_offsets[node + 1];
  unsigned edge = row_offsets[node];
  for (; edge + kGroup <= last; edge += kGroup) {
    unsigned to[kGroup];
    unsigned offer[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) to[i] = columns[edge + i];
    for (unsigned i = 0; i < kGroup; ++i) offer[i] = cost + weights[edge + i];
    for (unsigned i = 0; i < kGroup; ++i) atomicMin(&offers[to[i]], offer[i]);
  }
#pragma unroll 1
  for (; edge < last; ++edge) atomicMin(&offers[columns[edge]], cost + weights[edge]);
}

HEDDLE_KERNEL shortest_path_accept(unsigned* costs, const unsigned* offers, uint8* active, unsigned* go_on,
                                   unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const unsigned offer = offers[node];
  if (offer >= costs[node]) return;
  costs[node] = offer;
  active[node] = 1;
  *go_on = 1;
}
