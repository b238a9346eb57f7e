#pragma once
// Inputs that several buffers hold together: graphs, sparse matrices, trees. Deterministic as generators are.

#include <cstdint>
#include <map>
#include <string>

#include "stimuli/launch/generators.h"

namespace heddle {

struct Structure {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::int64_t> counts;  // what sizes and launches need to know of it
};

namespace structures {

constexpr std::int64_t kMostElements = std::int64_t{1} << 24;  // of one structure

// How many edges leave a node: as many from each; each edge from any node alike; or from few nodes most: the
// share of those with more than k falls as k^-1.5.
enum class Degrees : std::uint8_t { kFixed, kUniform, kPowerLaw };

struct Weights {
  std::int64_t least = 1;
  std::int64_t most = 1;
};

// A directed graph by rows, with nodes * degree edges to nodes drawn alike. Arrays: row_offsets
// u32[nodes + 1], columns, weights u32[edges]. Counts: nodes, edges.
Structure csr_graph(std::int64_t nodes, std::int64_t degree, Degrees degrees, Weights weights, Random random);

// An undirected graph, at least two nodes and no edge from a node to itself. Arrays: from, to, weights
// u32[edges]. Counts: nodes, edges.
Structure edge_list(std::int64_t nodes, std::int64_t edges, Weights weights, Random random);

// A sparse matrix by jagged diagonals; rows have 1 .. 2 * degree - 1 entries, at most `columns`, of -1 .. 1.
// Arrays: values f32, columns u32 [entries]; diagonals u32[longest]; lengths, permutation u32[rows]. Counts:
// rows, entries, longest.
Structure jds_matrix(std::int64_t rows, std::int64_t columns, std::int64_t degree, Random random);

// Bodies in a cube of side 2 and the octree over them, the root first. Arrays, f32: bodies [n][4], position
// and mass of 0.5 .. 1.5; centers [cells][4], widths [cells]; children i32[cells][8]: -1, a body, or n +
// cell. Counts: bodies, cells.
Structure octree(std::int64_t bodies, Random random);

// Atoms in cubic bins, at most 2 * per_bin in each. Arrays: atoms f32[atoms][4], position and charge of
// -1 .. 1, bin by bin, x fastest; bin_offsets u32[bins + 1]. Counts: atoms, bins.
struct Bins {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
  double width = 1;
};
Structure binned_atoms(const Bins& bins, std::int64_t per_bin, Random random);

// Unit vectors of all directions alike. Arrays: x, y, z f32[points]. Counts: points.
Structure sphere_points(std::int64_t points, Random random);

}  // namespace structures

}  // namespace heddle
