#include "stimuli/launch/structure_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

using structures::kMostElements;

using StructureOf = std::shared_ptr<const GeneratedStructure>;

StructureOf made(Structure structure) {
  return std::make_shared<const GeneratedStructure>(std::move(structure));
}

// The first draw of a generator stands for the generator: it is another one for each state.
template <class... Arguments>
std::string key_of(const char* kind, Random random, const Arguments&... arguments) {
  std::string key = fmt::format("{} {}", kind, random.next());
  ((key += fmt::format(" {}", arguments)), ...);
  return key;
}

const std::vector<std::string> kKinds{"csr_graph",   "edge_list",    "jds_matrix",
                                      "octree",      "binned_atoms", "sphere_points",
                                      "search_tree", "key_tree",     "tetrahedra"};

}  // namespace

void StructureReader::read_structures(const config::Section& section) {
  for (const std::string& name : section.keys()) {
    const StructureOf added = read_structure(name, section.section(name));
    structures_[name] = added;
    for (const auto& [count, value] : added->shape().counts)
      scope_.constants[fmt::format("{}.{}", name, count)] = value;
  }
}

LaunchBuffer StructureReader::read_member(const std::string& name, const config::Value& value) const {
  LaunchBuffer buffer;
  buffer.name = name;
  const std::string text = value.text();
  std::vector<std::string> known;
  for (const auto& [structure_name, structure] : structures_)
    for (const auto& [array, shape] : structure->shape().arrays) {
      known.push_back(fmt::format("{}.{}", structure_name, array));
      if (known.back() != text) continue;
      buffer.type = shape.type;
      buffer.count = shape.count;
      buffer.make = [structure = structure, array = array] { return structure->array(array); };
      return buffer;
    }
  value.problem(fmt::format("no structure has '{}'; known: {}", text, fmt::join(known, ", ")));
  return buffer;
}

StructureReader::StructureOf StructureReader::read_structure(const std::string& name,
                                                             const config::Section& section) const {
  const Random random = random_of(name, section, values_);
  std::vector<std::string> found;
  for (const std::string& kind : kKinds)
    if (section.has(kind)) found.push_back(kind);
  if (found.size() != 1) {
    section.problem(fmt::format("it is one of {}", fmt::join(kKinds, ", ")));
    return made({});
  }
  const config::Section of = section.section(found.front());
  if (found.front() == "csr_graph") return read_csr_graph(of, random);
  if (found.front() == "edge_list") return read_edge_list(of, random);
  if (found.front() == "jds_matrix") return read_jds_matrix(of, random);
  if (found.front() == "binned_atoms") return read_binned_atoms(of, random);
  if (found.front() == "search_tree") return read_search_tree(of, random);
  if (found.front() == "key_tree") return read_key_tree(of);
  if (found.front() == "tetrahedra") return read_tetrahedra(of, random);
  return found.front() == "octree" ? read_octree(of, random) : read_sphere_points(of, random);
}

StructureReader::StructureOf StructureReader::read_octree(const config::Section& section,
                                                          const Random& random) const {
  const std::int64_t bodies = elements(section, "bodies");
  return parts_.structure(key_of("octree", random, bodies),
                          [&] { return structures::octree(bodies, random); });
}

StructureReader::StructureOf StructureReader::read_sphere_points(const config::Section& section,
                                                                 const Random& random) const {
  const std::int64_t points = elements(section, "points");
  return parts_.structure(key_of("sphere_points", random, points),
                          [&] { return structures::sphere_points(points, random); });
}

StructureReader::StructureOf StructureReader::read_csr_graph(const config::Section& section,
                                                             const Random& random) const {
  const std::int64_t nodes = elements(section, "nodes");
  const std::int64_t degree = elements(section, "degree", 0);
  const std::vector<std::string> known{"fixed", "uniform", "power_law", "ring"};
  const std::string chosen = section.choice("distribution", known, "uniform");
  const auto degrees =
      static_cast<structures::Degrees>(std::find(known.begin(), known.end(), chosen) - known.begin());
  const structures::Weights weights = read_weights(section);
  if (degree > kMostElements / nodes) {
    section.problem(fmt::format("more than {} edges", kMostElements));
    return made({});
  }
  return std::make_shared<const GeneratedStructure>(structures::shape_of_csr_graph(nodes, degree), [=] {
    return structures::csr_graph(nodes, degree, degrees, weights, random);
  });
}

StructureReader::StructureOf StructureReader::read_edge_list(const config::Section& section,
                                                             const Random& random) const {
  const std::int64_t nodes = elements(section, "nodes", 2);
  const std::int64_t edges = elements(section, "edges");
  const structures::Weights weights = read_weights(section);
  return parts_.structure(key_of("edge_list", random, nodes, edges, weights.least, weights.most),
                          [&] { return structures::edge_list(nodes, edges, weights, random); });
}

StructureReader::StructureOf StructureReader::read_jds_matrix(const config::Section& section,
                                                              const Random& random) const {
  const std::int64_t rows = elements(section, "rows");
  const std::int64_t columns = elements(section, "columns");
  const std::int64_t degree = elements(section, "degree");
  if (degree > kMostElements / 2 / rows) {
    section.problem(fmt::format("more than {} entries", kMostElements));
    return made({});
  }
  return parts_.structure(key_of("jds_matrix", random, rows, columns, degree),
                          [&] { return structures::jds_matrix(rows, columns, degree, random); });
}

StructureReader::StructureOf StructureReader::read_binned_atoms(const config::Section& section,
                                                                const Random& random) const {
  structures::Bins bins;
  bins.x = elements(section, "bins_x");
  bins.y = elements(section, "bins_y");
  bins.z = elements(section, "bins_z");
  bins.width = values_.real(section.value("bin_width"));
  const std::int64_t per_bin = elements(section, "per_bin", 0);
  if (!(bins.width > 0)) section.problem("bin_width is not above 0");
  if (bins.y > kMostElements / bins.x || bins.z > kMostElements / (bins.x * bins.y) ||
      per_bin > kMostElements / 8 / (bins.x * bins.y * bins.z)) {
    section.problem(fmt::format("more than {} atoms", kMostElements / 8));
    return made({});
  }
  return parts_.structure(key_of("binned_atoms", random, bins.x, bins.y, bins.z, bins.width, per_bin),
                          [&] { return structures::binned_atoms(bins, per_bin, random); });
}

StructureReader::StructureOf StructureReader::read_search_tree(const config::Section& section,
                                                               const Random& random) const {
  structures::SearchTree tree;
  tree.records = elements(section, "records");
  tree.order = elements(section, "order", 2);
  tree.entries = elements(section, "entries", 2);
  tree.queries = elements(section, "queries");
  tree.span = elements(section, "span");
  if (tree.entries > tree.order) section.problem("'entries' is larger than 'order'");
  if (tree.span > tree.records) section.problem("'span' is larger than 'records'");
  // A tree has at most twice as many nodes as leaves and one for each level.
  const std::int64_t most_nodes = 2 * (tree.records / tree.entries + 1) + 64;
  if (most_nodes > kMostElements / 2 / (tree.order + 1)) {
    section.problem(fmt::format("its nodes may have more than {} words", kMostElements));
    return made({});
  }
  if (tree.entries > tree.order || tree.span > tree.records) return made({});
  return std::make_shared<const GeneratedStructure>(structures::shape_of(tree),
                                                    [=] { return structures::search_tree(tree, random); });
}

StructureReader::StructureOf StructureReader::read_key_tree(const config::Section& section) const {
  structures::KeyTree tree;
  tree.keys = elements(section, "keys");
  tree.order = elements(section, "order", 3);
  tree.queries = elements(section, "queries");
  tree.step = elements(section, "step");
  if (tree.order > structures::kMostKeyTreeEntries) {
    section.problem(fmt::format("'order' is larger than {}", structures::kMostKeyTreeEntries));
    return made({});
  }
  const StructureShape shape = structures::shape_of(tree);
  if (shape.arrays.at("nodes").count > static_cast<std::uint64_t>(kMostElements)) {
    section.problem(fmt::format("its nodes have more than {} words", kMostElements));
    return made({});
  }
  return std::make_shared<const GeneratedStructure>(shape, [=] { return structures::key_tree(tree); });
}

StructureReader::StructureOf StructureReader::read_tetrahedra(const config::Section& section,
                                                              const Random& random) const {
  const std::int64_t x = elements(section, "x");
  const std::int64_t y = elements(section, "y");
  const std::int64_t z = elements(section, "z");
  if (y > kMostElements / x || z > kMostElements / (x * y) || x * y * z > kMostElements / 72) {
    section.problem(fmt::format("more than {} elements", kMostElements / 12));
    return made({});
  }
  return std::make_shared<const GeneratedStructure>(structures::shape_of_tetrahedra(x, y, z),
                                                    [=] { return structures::tetrahedra(x, y, z, random); });
}

structures::Weights StructureReader::read_weights(const config::Section& section) const {
  if (!section.has("weights")) return {};
  const config::Value value = section.value("weights");
  const std::vector<Number> bounds = values_.constants(value, 2);
  try {
    constexpr std::int64_t kMost = 0xffffffff;
    const std::int64_t least = whole_within(bounds[0], 0, kMost);
    return {least, whole_within(bounds[1], least, kMost)};
  } catch (const NumberError& error) {
    value.problem(error.what());
    return {};
  }
}

std::int64_t StructureReader::elements(const config::Section& section, const char* key,
                                       std::int64_t least) const {
  return values_.whole(section.value(key), least, kMostElements);
}

}  // namespace heddle
