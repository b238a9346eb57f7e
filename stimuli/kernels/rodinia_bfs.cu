// These kernels search a graph breadth-first, level by level, as Rodinia's bfs does: the nodes of the
// frontier touch their neighbours, and the neighbours that are touched for the first time are the next
// frontier.
//
// The graph is in compressed sparse rows: row_offsets: int[nodes + 1], columns: int[edges]. frontier,
// touched, visited: uint8[nodes], flags. At the start, frontier and visited are 1 for the source only, and
// touched is 0. levels: int[nodes], written for the nodes that are reached; at the start 0 for the source.
// go_on: uint8[1].
//
// Block: X x 1 x 1. Grid: ceil(nodes / X). Results are deterministic: threads that write to the same place
// write the same value.
//
// Host sequence: do: go_on[0] = 0; touch_neighbors; next_frontier; while go_on[0] is not 0, at most
// `most_levels` times.
//
// Source: Harish and Narayanan, Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007; bfs of
// Rodinia (the work of a thread).
#include "cuda.h"

HEDDLE_KERNEL touch_neighbors(const int* row_offsets, const int* columns, uint8* frontier, uint8* touched,
                              const uint8* visited, int* levels, int nodes) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  for (int edge = row_offsets[node]; edge < row_offsets[node + 1]; ++edge) {
    const int neighbor = columns[edge];
    if (visited[neighbor]) continue;
    levels[neighbor] = levels[node] + 1;
    touched[neighbor] = 1;
  }
}

HEDDLE_KERNEL next_frontier(uint8* frontier, uint8* touched, uint8* visited, uint8* go_on, int nodes) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes || !touched[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  *go_on = 1;
  touched[node] = 0;
}
