// These kernels search a graph breadth-first, level by level. The nodes of the frontier touch their
// neighbours; the neighbours that are touched for the first time are the next frontier.
//
// The graph is in compressed sparse rows: row_offsets: unsigned[nodes + 1], columns: unsigned[edges].
// frontier, touched, visited: uint8[nodes], flags. At the start, frontier and visited are 1 for the source
// only, and touched is 0. At the end, frontier and touched are 0, and visited is 1 for all reachable nodes.
// levels: int[nodes], written; at the start 0 for the source and -1 for all others. go_on: unsigned[1].
//
// Block: 256 x 1 x 1. Grid: ceil(nodes / 256). Results are deterministic: threads that write to the same
// place write the same value.
//
// Host sequence: do: go_on[0] = 0; bfs_expand; bfs_update; while go_on[0] is not 0.
//
// Source: Harish and Narayanan, Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007.
#include "cuda.h"

HEDDLE_KERNEL bfs_expand(const unsigned* row_offsets, const unsigned* columns, uint8* frontier,
                         uint8* touched, const uint8* visited, int* levels, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  for (unsigned edge = row_offsets[node]; edge < row_offsets[node + 1]; ++edge) {
    const unsigned neighbor = columns[edge];
    if (visited[neighbor]) continue;
    levels[neighbor] = levels[node] + 1;
    touched[neighbor] = 1;
  }
}

HEDDLE_KERNEL bfs_update(uint8* frontier, uint8* touched, uint8* visited, unsigned* go_on, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !touched[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  touched[node] = 0;
  *go_on = 1;
}
