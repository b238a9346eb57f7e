#include "stimuli/launch/structures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::structures {

namespace {

using Words = std::vector<std::uint32_t>;

Array array_of(const Words& words) {
  return heddle::array_of(ElementType::kU32, words);
}
Array array_of(const std::vector<float>& values) {
  return heddle::array_of(ElementType::kF32, values);
}

std::uint32_t below(Random& random, std::int64_t bound) {
  return static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(bound)));
}

float within(Random& random, double low, double high) {
  return static_cast<float>(low + (high - low) * random.unit());
}

Words draw_weights(std::int64_t count, Weights weights, Random& random) {
  Words drawn(static_cast<std::size_t>(count));
  for (std::uint32_t& weight : drawn)
    weight = static_cast<std::uint32_t>(weights.least) + below(random, weights.most - weights.least + 1);
  return drawn;
}

std::uint32_t source_of(std::int64_t edge, std::int64_t nodes, std::int64_t degree, Degrees degrees,
                        Random& random) {
  if (degrees == Degrees::kFixed || degrees == Degrees::kRing)
    return static_cast<std::uint32_t>(edge / degree);
  if (degrees == Degrees::kUniform) return below(random, nodes);
  const double unit = random.unit();
  return static_cast<std::uint32_t>(static_cast<double>(nodes) * (unit * unit * unit));
}

std::uint32_t target_of(std::int64_t edge, std::int64_t nodes, std::int64_t degree, Degrees degrees,
                        Random& random) {
  if (degrees != Degrees::kRing) return below(random, nodes);
  return static_cast<std::uint32_t>((edge / degree + 1 + edge % degree) % nodes);
}

}  // namespace

Structure csr_graph(std::int64_t nodes, std::int64_t degree, Degrees degrees, Weights weights,
                    Random random) {
  const std::int64_t edges = nodes * degree;
  Words offsets(static_cast<std::size_t>(nodes) + 1);
  for (std::int64_t edge = 0; edge < edges; ++edge)
    ++offsets[source_of(edge, nodes, degree, degrees, random) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  Words columns(static_cast<std::size_t>(edges));
  for (std::int64_t edge = 0; edge < edges; ++edge)
    columns[static_cast<std::size_t>(edge)] = target_of(edge, nodes, degree, degrees, random);
  Structure graph;
  graph.arrays = {{"row_offsets", array_of(offsets)},
                  {"columns", array_of(columns)},
                  {"weights", array_of(draw_weights(edges, weights, random))}};
  graph.counts = {{"nodes", nodes}, {"edges", edges}};
  return graph;
}

StructureShape shape_of_csr_graph(std::int64_t nodes, std::int64_t degree) {
  const auto edges = static_cast<std::uint64_t>(nodes * degree);
  return {{{"row_offsets", {ElementType::kU32, static_cast<std::uint64_t>(nodes) + 1}},
           {"columns", {ElementType::kU32, edges}},
           {"weights", {ElementType::kU32, edges}}},
          {{"nodes", nodes}, {"edges", nodes * degree}}};
}

Structure edge_list(std::int64_t nodes, std::int64_t edges, Weights weights, Random random) {
  Words from(static_cast<std::size_t>(edges));
  Words to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = below(random, nodes);
    to[i] = below(random, nodes - 1);
    if (to[i] >= from[i]) ++to[i];
  }
  Structure graph;
  graph.arrays = {{"from", array_of(from)},
                  {"to", array_of(to)},
                  {"weights", array_of(draw_weights(edges, weights, random))}};
  graph.counts = {{"nodes", nodes}, {"edges", edges}};
  return graph;
}

Structure jds_matrix(std::int64_t rows, std::int64_t columns, std::int64_t degree, Random random) {
  Words unsorted(static_cast<std::size_t>(rows));
  for (std::uint32_t& length : unsorted)
    length = static_cast<std::uint32_t>(std::min<std::int64_t>(1 + below(random, 2 * degree - 1), columns));
  Words permutation(unsorted.size());
  std::iota(permutation.begin(), permutation.end(), 0U);
  std::stable_sort(permutation.begin(), permutation.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return unsorted[a] > unsorted[b]; });
  Words lengths;
  for (const std::uint32_t row : permutation) lengths.push_back(unsorted[row]);
  Words diagonals;
  std::uint32_t entries = 0;
  for (std::size_t longer = lengths.size(); longer > 0;) {
    while (longer > 0 && lengths[longer - 1] <= diagonals.size()) --longer;
    if (longer == 0) break;
    diagonals.push_back(entries);
    entries += static_cast<std::uint32_t>(longer);
  }
  Words where(entries);
  for (std::uint32_t& column : where) column = below(random, columns);
  std::vector<float> values(entries);
  for (float& value : values) value = within(random, -1, 1);
  Structure matrix;
  matrix.counts = {
      {"rows", rows}, {"entries", entries}, {"longest", static_cast<std::int64_t>(diagonals.size())}};
  matrix.arrays = {{"values", array_of(values)},
                   {"columns", array_of(where)},
                   {"diagonals", array_of(diagonals)},
                   {"lengths", array_of(lengths)},
                   {"permutation", array_of(permutation)}};
  return matrix;
}

Structure binned_atoms(const Bins& bins, std::int64_t per_bin, Random random) {
  Words offsets{0};
  std::vector<float> atoms;
  for (std::int64_t k = 0; k < bins.z; ++k)
    for (std::int64_t j = 0; j < bins.y; ++j)
      for (std::int64_t i = 0; i < bins.x; ++i) {
        for (std::uint32_t left = below(random, 2 * per_bin + 1); left > 0; --left) {
          for (const std::int64_t at : {i, j, k})
            atoms.push_back(static_cast<float>((static_cast<double>(at) + random.unit()) * bins.width));
          atoms.push_back(within(random, -1, 1));
        }
        offsets.push_back(static_cast<std::uint32_t>(atoms.size() / 4));
      }
  Structure structure;
  structure.arrays = {{"atoms", array_of(atoms)}, {"bin_offsets", array_of(offsets)}};
  structure.counts = {{"atoms", offsets.back()}, {"bins", bins.x * bins.y * bins.z}};
  return structure;
}

Structure sphere_points(std::int64_t points, Random random) {
  std::vector<float> x, y, z;
  while (x.size() < static_cast<std::size_t>(points)) {
    const double a = 2 * random.unit() - 1;
    const double b = 2 * random.unit() - 1;
    const double c = 2 * random.unit() - 1;
    const double squared = a * a + b * b + c * c;
    if (squared > 1 || squared < 1e-6) continue;
    const double length = std::sqrt(squared);
    x.push_back(static_cast<float>(a / length));
    y.push_back(static_cast<float>(b / length));
    z.push_back(static_cast<float>(c / length));
  }
  Structure sphere;
  sphere.arrays = {{"x", array_of(x)}, {"y", array_of(y)}, {"z", array_of(z)}};
  sphere.counts = {{"points", points}};
  return sphere;
}

}  // namespace heddle::structures
