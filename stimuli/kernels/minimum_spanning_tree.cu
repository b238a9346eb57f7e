// These kernels find a minimum spanning tree or forest with the algorithm of Boruvka. Each component chooses
// its lightest edge to another component, and components that these edges join are merged.
//
// The undirected graph is a list of edges: from, to, weights: unsigned[edges]. Of edges of equal weight the
// first one counts as lighter, so that the tree is unique. component: unsigned[nodes], at the start the
// number of the node, at the end equal for all nodes of a tree. lightest: unsigned long long[nodes], and
// parent: unsigned[nodes]; only the kernels use them. in_tree: uint8[edges], at the start 0, at the end 1 for
// the edges of the tree. go_on: unsigned[1].
//
// Block: 256 x 1 x 1. Grid: mst_lightest ceil(edges / 256), the others ceil(nodes / 256). in_tree
// and component are deterministic.
//
// Host sequence: do: go_on[0] = 0; mst_start; mst_lightest; mst_join; mst_merge; while go_on[0] is not 0.
//
// Source: Boruvka, 1926; in this form Vineet et al., Fast Minimum Spanning Tree for Large Graphs on the GPU,
// HPG 2009.
#include "spanning_tree.cuh"


HEDDLE_KERNEL mst_start(uint64* lightest, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) lightest[node] = kNone;
}

HEDDLE_KERNEL mst_lightest(const unsigned* from, const unsigned* to, const unsigned* weights,
                           const unsigned* component, uint64* lightest, unsigned edges) {
  const unsigned edge = blockIdx.x * blockDim.x + threadIdx.x;
  if (edge >= edges) return;
  const unsigned a = component[from[edge]];
  const unsigned b = component[to[edge]];
  if (a == b) return;
  const uint64 key = static_cast<uint64>(weights[edge]) << 32 | edge;
  atomicMin(&lightest[a], key);
  atomicMin(&lightest[b], key);
}

HEDDLE_KERNEL mst_join(const unsigned* from, const unsigned* to, const unsigned* component,
                       const uint64* lightest, unsigned* parent, uint8* in_tree, unsigned* go_on,
                       unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const uint64 key = lightest[node];
  if (key == kNone) {
    parent[node] = node;
    return;
  }
  const unsigned edge = static_cast<unsigned>(key);
  const unsigned a = component[from[edge]];
  const unsigned other = a == node ? component[to[edge]] : a;
  join_by(key, node, other, lightest, parent, in_tree, go_on);
}

HEDDLE_KERNEL mst_merge(const unsigned* parent, unsigned* component, unsigned nodes) {
  merge_components(parent, component, nodes);
}
