#pragma once
// The steps of Boruvka's algorithm that the kernels of minimum_spanning_tree.cu and spanning_tree_blocks.cu
// share.
#include "cuda.h"

constexpr uint64 kNone = ~0ULL;  // key of a component without an edge to another one

// Joins the component `node` to the component `other` by its lightest edge, whose key is `key`. Of two
// components that chose the same edge, the one with the lower number stays a root.
HEDDLE_DEVICE void join_by(uint64 key, unsigned node, unsigned other, const uint64* lightest,
                           unsigned* parent, uint8* in_tree, unsigned* go_on) {
  parent[node] = lightest[other] == key && node < other ? node : other;
  in_tree[static_cast<unsigned>(key)] = 1;
  *go_on = 1;
}

// Gives each node the root of its component.
HEDDLE_DEVICE void merge_components(const unsigned* parent, unsigned* component, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  unsigned root = component[node];
  while (parent[root] != root) root = parent[root];
  component[node] = root;
}
