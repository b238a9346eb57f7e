#pragma once
// This file generates inputs that consist of several buffers: graphs, sparse matrices, trees and sets of
// points. The same arguments give the same bytes on every machine.

#include <cstdint>
#include <map>
#include <string>

#include "stimuli/launch/generators.h"

namespace heddle {

struct Structure {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::int64_t> counts;  // the numbers on which sizes and launches depend
};

// What a structure is without its arrays.
struct ArrayShape {
  ElementType type = ElementType::kU8;
  std::uint64_t count = 0;
};
struct StructureShape {
  std::map<std::string, ArrayShape> arrays;
  std::map<std::string, std::int64_t> counts;
};

namespace structures {

constexpr std::int64_t kMostElements = std::int64_t{1} << 24;  // of one structure

// Degrees is the distribution of the edges over their source nodes. With kFixed every node has the same
// number of edges. With kUniform each edge leaves a random node, all nodes being equally likely. With
// kPowerLaw the share of nodes with more than k edges falls as k^-1.5. With kRing each node i has edges
// to the `degree` nodes that follow it, i + 1 .. i + degree modulo the number of nodes.
enum class Degrees : std::uint8_t { kFixed, kUniform, kPowerLaw, kRing };

struct Weights {
  std::int64_t least = 1;
  std::int64_t most = 1;
};

// Returns a directed graph in compressed sparse rows with nodes * degree edges. Except in a ring, all nodes
// are equally likely targets. Arrays: row_offsets u32[nodes + 1], columns, weights u32[edges]. Counts: nodes,
// edges.
Structure csr_graph(std::int64_t nodes, std::int64_t degree, Degrees degrees, Weights weights, Random random);
StructureShape shape_of_csr_graph(std::int64_t nodes, std::int64_t degree);

// Returns an undirected graph of at least two nodes without an edge from a node to itself. Arrays: from, to,
// weights u32[edges]. Counts: nodes, edges.
Structure edge_list(std::int64_t nodes, std::int64_t edges, Weights weights, Random random);

// Returns a sparse matrix in jagged diagonals. A row has 1 .. 2 * degree - 1 entries, at most `columns`; an
// entry is -1 .. 1. Arrays: values f32, columns u32 [entries]; diagonals u32[longest]; lengths, permutation
// u32[rows]. Counts: rows, entries, longest.
Structure jds_matrix(std::int64_t rows, std::int64_t columns, std::int64_t degree, Random random);

// Returns bodies in a cube of side 2 and the octree over them, whose cell 0 is the root. Arrays: bodies
// f32[n][4], position and mass of 0.5 .. 1.5; centers f32[cells][4], centre of mass and mass; widths
// f32[cells]; children i32[cells][8], which is -1 for none, the number of a body, or n + the number of a
// cell. Counts: bodies, cells.
Structure octree(std::int64_t bodies, Random random);

struct Bins {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
  double width = 1;
};
// Returns atoms in cubic bins, at most 2 * per_bin in each. Arrays: atoms f32[atoms][4], position and charge
// of -1 .. 1, bin by bin, x fastest; bin_offsets u32[bins + 1]. Counts: atoms, bins.
Structure binned_atoms(const Bins& bins, std::int64_t per_bin, Random random);

// Returns unit vectors whose directions are uniformly distributed. Arrays: x, y, z f32[points]. Counts:
// points.
Structure sphere_points(std::int64_t points, Random random);

struct SearchTree {
  std::int64_t records = 1;
  std::int64_t order = 2;  // most entries of a node
  std::int64_t entries =
      2;  // of a node, at least 2 and at most `order`; the last node of a level may have fewer
  std::int64_t queries = 1;
  std::int64_t span = 1;  // keys in a range that is queried, at most `records`
};
// Returns a B+ tree over the keys 0 .. records - 1, where key i belongs to record i, and queries, all keys
// being equally likely. Arrays: nodes u32[nodes][2][order + 1], with the root first and level by level: the
// children of a node, then its keys. A child is the number of a node, or in a leaf that of a record; its key
// is the least one below it. Keys after the last entry are 2^31 - 1. values u32[records], random; keys,
// starts, ends u32[queries]. Counts: nodes, levels (of inner nodes), records, queries.
Structure search_tree(const SearchTree& tree, Random random);
StructureShape shape_of(const SearchTree& tree);

constexpr std::int64_t kMostKeyTreeEntries = 32;  // of a node

struct KeyTree {
  std::int64_t keys = 1;
  std::int64_t order = 3;  // most children of an inner node, at least 3; a leaf has one key fewer
  std::int64_t queries = 1;
  std::int64_t step = 1;  // from the key of a query to that of the next one
};
// Returns a B+ tree over the keys 0 .. keys - 1 whose nodes are full, except the last one of each level, and
// queries. Arrays: nodes i32[nodes][66], with the root first and level by level: 1 for a leaf, the number of
// entries, 32 keys, 32 children. The key of a child is the greatest one below it; in a leaf the number
// keys - 1 - key stands for the child. queries i32[queries]: i * step, modulo the number of keys. Counts:
// nodes, keys, queries.
Structure key_tree(const KeyTree& tree);
StructureShape shape_of(const KeyTree& tree);

// Returns the mesh of a box of x * y * z unit cubes with six tetrahedra each (Kuhn, 1960), numbered cube by
// cube, x fastest, and the states of a gas in it: a free stream of Mach 1.2 in direction x (density 1.4,
// momentum 1.68, energy 3.508) with disturbances of up to a tenth. Arrays: neighbors i32[4][elements], the
// element behind each face, -1 at the floor, which is a wall, -2 at the other sides; normals
// f32[3][4][elements], area vectors that point outwards; states f32[5][elements], density, momentum, energy.
// Counts: elements.
Structure tetrahedra(std::int64_t x, std::int64_t y, std::int64_t z, Random random);
StructureShape shape_of_tetrahedra(std::int64_t x, std::int64_t y, std::int64_t z);

}  // namespace structures

}  // namespace heddle
