// These kernels search a B+ tree: the first one for single keys, the second one for the first and the last
// key of ranges. A block follows a query from the root to a leaf, and each of its threads compares one key of
// the node.
//
// nodes: Node[number of nodes]; node 0 is the root. An entry of an inner node is a child and the least key
// below it, an entry of a leaf is a record and its key. Keys ascend; those after the last entry are INT_MAX.
// levels: levels of inner nodes. nodes_at, nodes_next, firsts_at, firsts_next, lasts_at, lasts_next:
// unsigned[queries], where each query is in the tree; 0 before the launch. keys, starts, ends: int[queries],
// the queries; ends are keys of the tree. values: int[records].
//
// find_keys writes found: int[queries], the values of the keys; those of keys that the tree does not have are
// left. find_ranges writes first_records: unsigned[queries], the record of the start, and lengths:
// unsigned[queries], the number of records from start to end.
//
// Block: 256 x 1 x 1. Grid: the number of queries. Deterministic.
//
// Host sequence: find_keys; find_ranges.
//
// Source: Comer, The Ubiquitous B-Tree, ACM Computing Surveys, 1979.
#include "cuda.h"

constexpr unsigned kOrder = 256;

struct Node {
  unsigned children[kOrder + 1];
  int keys[kOrder + 1];
};

// Takes the query of this block one level down. The position of the query is in global memory, and the one
// thread whose entry has the key writes the next position.
HEDDLE_DEVICE void choose_child(const Node* nodes, const unsigned* at, unsigned* next, const int* keys) {
  const unsigned query = blockIdx.x;
  const unsigned entry = threadIdx.x;
  if (nodes[at[query]].keys[entry] <= keys[query] && keys[query] < nodes[at[query]].keys[entry + 1])
    next[query] = nodes[at[query]].children[entry];
}

HEDDLE_KERNEL find_keys(const Node* nodes, unsigned levels, const int* values, unsigned* nodes_at,
                        unsigned* nodes_next, const int* keys, int* found) {
  const unsigned query = blockIdx.x;
  const unsigned entry = threadIdx.x;
  for (unsigned level = 0; level < levels; ++level) {
    choose_child(nodes, nodes_at, nodes_next, keys);
    __syncthreads();
    if (entry == 0) nodes_at[query] = nodes_next[query];
    __syncthreads();
  }
  if (nodes[nodes_at[query]].keys[entry] == keys[query])
    found[query] = values[nodes[nodes_at[query]].children[entry]];
}

HEDDLE_KERNEL find_ranges(const Node* nodes, unsigned levels, unsigned* firsts_at, unsigned* firsts_next,
                          unsigned* lasts_at, unsigned* lasts_next, const int* starts, const int* ends,
                          unsigned* first_records, unsigned* lengths) {
  const unsigned query = blockIdx.x;
  const unsigned entry = threadIdx.x;
  for (unsigned level = 0; level < levels; ++level) {
    choose_child(nodes, firsts_at, firsts_next, starts);
    choose_child(nodes, lasts_at, lasts_next, ends);
    __syncthreads();
    if (entry == 0) {
      firsts_at[query] = firsts_next[query];
      lasts_at[query] = lasts_next[query];
    }
    __syncthreads();
  }
  if (nodes[firsts_at[query]].keys[entry] == starts[query])
    first_records[query] = nodes[firsts_at[query]].children[entry];
  __syncthreads();
  if (nodes[lasts_at[query]].keys[entry] == ends[query])
    lengths[query] = nodes[lasts_at[query]].children[entry] - first_records[query] + 1;
}
