// This kernel searches a B+ tree for keys, a thread for each key, as the program that was measured as
// Rodinia's b+tree does. A thread copies each node on its path to local memory.
//
// nodes: Node[number of nodes]; node 0 is the root. An entry of an inner node is a child and the greatest key
// below it, an entry of a leaf is a value and its key. levels is not used, as in the measured program. keys:
// int[n]. found: int[n], written: the values of the keys, -1 for a key that the tree does not have.
//
// Block: X x 1 x 1. Grid: ceil(n / X). Deterministic.
//
// Host sequence: find_values, `launches` times.
//
// Source: Comer, The Ubiquitous B-Tree, ACM Computing Surveys, 1979. The work of a thread, the grids and the
// tree: a trace of the measured program for sm_90.
#include "cuda.h"

constexpr int kEntries = 32;

struct Node {
  int is_leaf;
  int entries;
  int keys[kEntries];
  int children[kEntries];
};

constexpr int kWords = sizeof(Node) / sizeof(int);

HEDDLE_DEVICE void copy_node(const Node* from, Node& to) {
#pragma unroll
  for (int i = 0; i < kWords; ++i) reinterpret_cast<int*>(&to)[i] = reinterpret_cast<const int*>(from)[i];
}

HEDDLE_KERNEL find_values(const Node* nodes, int levels, const int* keys, int* found, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const int key = keys[i];
  alignas(8) Node node;
  copy_node(nodes, node);
  while (!node.is_leaf) {
    int child = node.children[node.entries - 1];
    for (int entry = 0; entry < node.entries; ++entry)
      if (key <= node.keys[entry]) {
        child = node.children[entry];
        break;
      }
    copy_node(nodes + child, node);
  }
  int value = -1;
  for (int entry = 0; entry < node.entries; ++entry)
    if (node.keys[entry] == key) {
      value = node.children[entry];
      break;
    }
  found[i] = value;
}
