// These kernels find a minimum spanning tree or forest with the algorithm of Boruvka. Each component chooses
// its lightest edge to another component, and components that these edges join are merged. A block of
// spanning_tree_lightest scans the degrees of its nodes in shared memory, divides all their edges evenly
// among its threads, four at a time, and keeps the lightest edge of each node in shared memory. Nodes whose
// edges all lie within a component are left out of later rounds.
//
// The graph is in compressed sparse rows, and an edge stands in the row of one of its nodes: row_offsets:
// unsigned[nodes + 1], columns, weights: unsigned[edges]. Of edges of equal weight the first one counts as
// lighter, so that the tree is unique. component: unsigned[nodes], at the start the number of the node, at
// the end equal for all nodes of a tree. is_live: uint8[nodes], at the start 1. lightest: unsigned long
// long[nodes], and parent: unsigned[nodes]; only the kernels use them. in_tree: uint8[edges], at the start 0,
// at the end 1 for the edges of the tree. go_on: unsigned[1].
//
// Block: T x 1 x 1, with 24 * T bytes of dynamic shared memory in spanning_tree_lightest. Grid: ceil(nodes /
// T). in_tree and component are the same for every T, and so is the number of rounds.
//
// Host sequence: do: go_on[0] = 0; spanning_tree_start; spanning_tree_lightest; spanning_tree_join;
// spanning_tree_merge; while go_on[0] is not 0.
//
// Source: Boruvka, 1926; on GPUs: Vineet et al., Fast Minimum Spanning Tree for Large Graphs on the GPU, HPG
// 2009, and MST of LonestarGPU (Burtscher, Nasre and Pingali, IISWC 2012), whose barriers are across blocks;
// edges of a block divided by a scan: Merrill, Garland and Grimshaw, Scalable GPU Graph Traversal, PPoPP
// 2012.
#include "spanning_tree.cuh"

constexpr unsigned kGroup = 4;  // edges whose loads are in flight together

HEDDLE_KERNEL spanning_tree_start(uint64* lightest, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) lightest[node] = kNone;
}

// Returns the sum of the values of this thread and the threads before it, which is also left in `sums`.
// `other` has a word for each thread.
HEDDLE_DEVICE unsigned scan_block(unsigned value, unsigned* sums, unsigned* other) {
  const unsigned thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
#pragma unroll 1
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (thread >= distance) value += sums[thread - distance];
    other[thread] = value;
    __syncthreads();
    sums[thread] = value;
    __syncthreads();
  }
  return value;
}

// Returns the first element of the ascending `sums` that is above `at`, of `count` elements.
HEDDLE_DEVICE unsigned first_above(const unsigned* sums, unsigned count, unsigned at) {
  unsigned first = 0;
#pragma unroll 1
  while (count > 0) {
    const unsigned half = count / 2;
    const bool is_above = sums[first + half] > at;
    first = is_above ? first : first + half + 1;
    count = is_above ? half : count - half - 1;
  }
  return first;
}

HEDDLE_KERNEL spanning_tree_lightest(const unsigned* row_offsets, const unsigned* columns,
                                     const unsigned* weights, const unsigned* component, uint8* is_live,
                                     uint64* lightest, unsigned nodes) {
  extern __shared__ uint64 shared[];
  const unsigned thread = threadIdx.x;
  const unsigned threads = blockDim.x;
  uint64* const best = shared;                                         // of each node
  unsigned* const sums = reinterpret_cast<unsigned*>(best + threads);  // of degrees
  unsigned* const shifts = sums + threads;        // from a place among all edges to an edge
  unsigned* const components = shifts + threads;  // of each node
  const unsigned node = blockIdx.x * threads + thread;
  const bool is_used = node < nodes && is_live[node];
  const unsigned first = is_used ? row_offsets[node] : 0;
  const unsigned degree = is_used ? row_offsets[node + 1] - first : 0;
  const unsigned own = is_used ? component[node] : 0;
  best[thread] = kNone;
  components[thread] = own;
  const unsigned sum = scan_block(degree, sums, shifts);
  shifts[thread] = first - (sum - degree);
  __syncthreads();
  const unsigned edges = sums[threads - 1];
#pragma unroll 1
  for (unsigned at = thread; at < edges; at += kGroup * threads) {
    unsigned owner[kGroup];
    unsigned edge[kGroup];
    unsigned target[kGroup];
    unsigned weight[kGroup];
    for (unsigned i = 0; i < kGroup; ++i) {
      const unsigned place = at + i * threads;
      owner[i] = first_above(sums, threads - 1, place);
      edge[i] = (place < edges ? place : at) + shifts[place < edges ? owner[i] : owner[0]];
      owner[i] = place < edges ? owner[i] : owner[0];
    }
    for (unsigned i = 0; i < kGroup; ++i) {
      target[i] = columns[edge[i]];
      weight[i] = weights[edge[i]];
    }
    for (unsigned i = 0; i < kGroup; ++i) target[i] = component[target[i]];
    for (unsigned i = 0; i < kGroup; ++i) {
      if (target[i] == components[owner[i]]) continue;
      const uint64 key = static_cast<uint64>(weight[i]) << 32 | edge[i];
      atomicMin(&best[owner[i]], key);
      atomicMin(&lightest[target[i]], key);
    }
  }
  __syncthreads();
  const uint64 key = best[thread];
  if (!is_used) return;
  if (key == kNone)
    is_live[node] = 0;
  else
    atomicMin(&lightest[own], key);
}

HEDDLE_KERNEL spanning_tree_join(const unsigned* row_offsets, const unsigned* columns,
                                 const unsigned* component, const uint64* lightest, unsigned* parent,
                                 uint8* in_tree, unsigned* go_on, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const uint64 key = lightest[node];
  if (key == kNone) {
    parent[node] = node;
    return;
  }
  const unsigned edge = static_cast<unsigned>(key);
  const unsigned from = first_above(row_offsets + 1, nodes - 1, edge);
  const unsigned a = component[from];
  const unsigned other = a == node ? component[columns[edge]] : a;
  join_by(key, node, other, lightest, parent, in_tree, go_on);
}

HEDDLE_KERNEL spanning_tree_merge(const unsigned* parent, unsigned* component, unsigned nodes) {
  merge_components(parent, component, nodes);
}
