// The generators of buffers and data structures, compared with their guarantees.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "stimuli/launch/generated_structure.h"
#include "stimuli/launch/generators.h"
#include "stimuli/launch/structures.h"

namespace heddle {
namespace {

using testing::Each;
using testing::ElementsAre;

template <typename T>
std::vector<T> values_of(const Array& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

using Words = std::vector<std::uint32_t>;

Words words(const Structure& structure, const char* name) {
  const Array& array = structure.arrays.at(name);
  EXPECT_EQ(array.type, ElementType::kU32);
  return values_of<std::uint32_t>(array);
}

TEST(LaunchGenerators, CountLinearlyInEveryType) {
  EXPECT_THAT(
      values_of<std::int32_t>(generators::linear(ElementType::kI32, 4, std::int64_t{5}, std::int64_t{-3})),
      ElementsAre(5, 2, -1, -4));
  EXPECT_THAT(values_of<float>(generators::linear(ElementType::kF32, 3, 1.0, -0.25)),
              ElementsAre(1.0F, 0.75F, 0.5F));
  EXPECT_THAT(values_of<std::uint8_t>(generators::constant(ElementType::kU8, 3, std::int64_t{9})), Each(9));
  EXPECT_THROW(generators::linear(ElementType::kU8, 4, std::int64_t{0}, std::int64_t{100}), NumberError);
}

TEST(LaunchGenerators, DrawUniformlyWithinTheirBounds) {
  const auto reals = values_of<double>(generators::uniform(ElementType::kF64, 20000, 2.0, 6.0, Random(3)));
  EXPECT_GE(*std::min_element(reals.begin(), reals.end()), 2.0);
  EXPECT_LT(*std::max_element(reals.begin(), reals.end()), 6.0);
  EXPECT_NEAR(std::accumulate(reals.begin(), reals.end(), 0.0) / 20000, 4.0, 0.05);
  const auto whole = values_of<std::int32_t>(
      generators::uniform(ElementType::kI32, 5000, std::int64_t{-2}, std::int64_t{2}, Random(3)));
  EXPECT_EQ(std::set<std::int32_t>(whole.begin(), whole.end()), (std::set<std::int32_t>{-2, -1, 0, 1, 2}));
}

TEST(LaunchGenerators, AreTheSameForTheSameSeedAlone) {
  const auto draw = [](std::uint64_t seed) {
    return generators::uniform(ElementType::kF32, 100, 0.0, 1.0, Random(seed)).bytes;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
  // The values are equal bit by bit on every machine.
  EXPECT_EQ(values_of<std::uint32_t>(
                generators::uniform(ElementType::kU32, 2, std::int64_t{0}, std::int64_t{999}, Random(1))),
            (Words{static_cast<std::uint32_t>(Random(1).below(1000)), [] {
                     Random random(1);
                     random.below(1000);
                     return static_cast<std::uint32_t>(random.below(1000));
                   }()}));
}

TEST(LaunchGenerators, SortAndPermute) {
  const auto sorted = values_of<float>(generators::sorted(ElementType::kF32, 500, -1.0, 1.0, Random(2)));
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_LT(sorted.front(), -0.9F);
  EXPECT_GT(sorted.back(), 0.9F);
  Words permutation = values_of<std::uint32_t>(generators::permutation(ElementType::kU32, 500, Random(2)));
  EXPECT_FALSE(std::is_sorted(permutation.begin(), permutation.end()));
  std::sort(permutation.begin(), permutation.end());
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(permutation[i], i);
}

TEST(LaunchGenerators, SetFlagsByTheirShare) {
  const auto flags = values_of<std::uint8_t>(generators::flags(ElementType::kU8, 20000, 0.1, Random(4)));
  EXPECT_EQ(*std::max_element(flags.begin(), flags.end()), 1);
  EXPECT_NEAR(std::accumulate(flags.begin(), flags.end(), 0), 2000, 150);
}

TEST(LaunchGenerators, MakeMatricesThatNeedNoPivots) {
  constexpr std::size_t kSide = 20;
  const auto matrix = values_of<float>(generators::diagonally_dominant(ElementType::kF32, kSide, Random(5)));
  for (std::size_t row = 0; row < kSide; ++row) {
    float others = 0;
    for (std::size_t column = 0; column < kSide; ++column)
      if (column != row) others += std::abs(matrix[row * kSide + column]);
    EXPECT_GT(matrix[row * kSide + row], others);
  }
}

TEST(LaunchStructures, ARingHasEdgesToTheNextNodes) {
  const Structure graph = structures::csr_graph(4, 2, structures::Degrees::kRing, {}, Random(1));
  EXPECT_THAT(words(graph, "row_offsets"), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(words(graph, "columns"), ElementsAre(1, 2, 2, 3, 3, 0, 0, 1));
}

TEST(LaunchStructures, GraphsByRowsHaveTheDegreesAskedFor) {
  for (const auto degrees :
       {structures::Degrees::kFixed, structures::Degrees::kUniform, structures::Degrees::kPowerLaw}) {
    const Structure graph = structures::csr_graph(1000, 6, degrees, {3, 9}, Random(1));
    const Words offsets = words(graph, "row_offsets");
    const Words columns = words(graph, "columns");
    const Words weights = words(graph, "weights");
    EXPECT_EQ(graph.counts.at("edges"), 6000);
    ASSERT_EQ(offsets.size(), 1001U);
    EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
    EXPECT_EQ(offsets.front(), 0U);
    EXPECT_EQ(offsets.back(), columns.size());
    EXPECT_LT(*std::max_element(columns.begin(), columns.end()), 1000U);
    EXPECT_EQ(*std::min_element(weights.begin(), weights.end()), 3U);
    EXPECT_EQ(*std::max_element(weights.begin(), weights.end()), 9U);
    std::uint32_t longest = 0;
    for (std::size_t i = 0; i < 1000; ++i) longest = std::max(longest, offsets[i + 1] - offsets[i]);
    if (degrees == structures::Degrees::kFixed) {
      EXPECT_EQ(longest, 6U);
    }
    if (degrees == structures::Degrees::kUniform) {
      EXPECT_GT(longest, 10U);
      EXPECT_LT(longest, 30U);
    }
    if (degrees == structures::Degrees::kPowerLaw) {
      EXPECT_NEAR(longest, 600, 80);  // a tenth: 1000^(-1/3)
    }
  }
}

TEST(LaunchStructures, EdgesJoinTwoNodes) {
  const Structure graph = structures::edge_list(50, 2000, {1, 5}, Random(1));
  const Words from = words(graph, "from");
  const Words to = words(graph, "to");
  ASSERT_EQ(from.size(), 2000U);
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_NE(from[i], to[i]);
    seen.insert({from[i], to[i]});
  }
  EXPECT_EQ(seen.size(), 50U);
  EXPECT_EQ(*seen.rbegin(), 49U);
}

TEST(LaunchStructures, JaggedDiagonalsHoldEachEntryOnce) {
  const Structure matrix = structures::jds_matrix(300, 200, 8, Random(1));
  const Words lengths = words(matrix, "lengths");
  const Words diagonals = words(matrix, "diagonals");
  Words permutation = words(matrix, "permutation");
  const Words columns = words(matrix, "columns");
  EXPECT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()));
  EXPECT_EQ(lengths.front(), diagonals.size());
  EXPECT_GE(lengths.back(), 1U);
  EXPECT_LE(lengths.front(), 15U);
  EXPECT_LT(*std::max_element(columns.begin(), columns.end()), 200U);
  std::vector<int> uses(columns.size());
  for (std::size_t row = 0; row < lengths.size(); ++row)
    for (std::uint32_t i = 0; i < lengths[row]; ++i) ++uses.at(diagonals[i] + row);
  EXPECT_THAT(uses, Each(1));
  EXPECT_EQ(matrix.counts.at("entries"), static_cast<std::int64_t>(columns.size()));
  EXPECT_EQ(matrix.arrays.at("values").count(), columns.size());
  std::sort(permutation.begin(), permutation.end());
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(permutation[i], i);
}

TEST(LaunchStructures, OctreesHoldEachBodyOnceAndItsMassInEveryCellAbove) {
  constexpr std::int32_t kBodies = 400;
  const Structure tree = structures::octree(kBodies, Random(1));
  const auto bodies = values_of<float>(tree.arrays.at("bodies"));
  const auto centers = values_of<float>(tree.arrays.at("centers"));
  const auto widths = values_of<float>(tree.arrays.at("widths"));
  const auto children = values_of<std::int32_t>(tree.arrays.at("children"));
  const auto cells = static_cast<std::size_t>(tree.counts.at("cells"));
  ASSERT_EQ(widths.size(), cells);
  ASSERT_EQ(children.size(), 8 * cells);
  std::vector<int> uses(static_cast<std::size_t>(kBodies) + cells);
  double mass = 0;
  for (std::int32_t i = 0; i < kBodies; ++i) mass += bodies[4 * static_cast<std::size_t>(i) + 3];
  EXPECT_NEAR(centers[3], mass, 1e-3);
  EXPECT_EQ(widths[0], 2.0F);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::int32_t child = children[8 * cell + i];
      if (child < 0) continue;
      ++uses.at(static_cast<std::size_t>(child));
      if (child < kBodies) {
        sum += bodies[4 * static_cast<std::size_t>(child) + 3];
        continue;
      }
      const auto below = static_cast<std::size_t>(child - kBodies);
      EXPECT_EQ(widths[below], widths[cell] / 2);
      sum += centers[4 * below + 3];
    }
    EXPECT_NEAR(sum, centers[4 * cell + 3], 1e-3);
  }
  EXPECT_EQ(uses[kBodies], 0);  // the root is not a child
  uses[kBodies] = 1;
  EXPECT_THAT(uses, Each(1));
}

TEST(LaunchStructures, AtomsLieInTheirBins) {
  const Structure atoms = structures::binned_atoms({3, 4, 2, 1.5}, 5, Random(1));
  const Words offsets = words(atoms, "bin_offsets");
  const auto places = values_of<float>(atoms.arrays.at("atoms"));
  ASSERT_EQ(offsets.size(), 25U);
  EXPECT_EQ(4 * offsets.back(), places.size());
  for (std::size_t bin = 0; bin < 24; ++bin)
    for (std::size_t i = offsets[bin]; i < offsets[bin + 1]; ++i) {
      EXPECT_EQ(std::floor(places[4 * i] / 1.5F), static_cast<float>(bin % 3));
      const std::size_t row = bin / 3 % 4, plane = bin / 12;
      EXPECT_EQ(std::floor(places[4 * i + 1] / 1.5F), static_cast<float>(row));
      EXPECT_EQ(std::floor(places[4 * i + 2] / 1.5F), static_cast<float>(plane));
    }
}

TEST(LaunchStructures, PointsLieOnTheSphereEverywhere) {
  const Structure sphere = structures::sphere_points(4000, Random(1));
  const auto x = values_of<float>(sphere.arrays.at("x"));
  const auto y = values_of<float>(sphere.arrays.at("y"));
  const auto z = values_of<float>(sphere.arrays.at("z"));
  ASSERT_EQ(x.size(), 4000U);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i] * x[i] + y[i] * y[i] + z[i] * z[i], 1, 1e-6);
    sum += z[i];
  }
  EXPECT_NEAR(sum / 4000, 0, 0.04);
}

// The tree of a test, and its nodes by number.
struct Tree {
  structures::SearchTree shape;
  Structure structure = structures::search_tree(shape, Random(1));
  Words nodes = words(structure, "nodes");

  std::size_t words_of_node() const { return 2 * (static_cast<std::size_t>(shape.order) + 1); }
  Words children(std::size_t node) const {
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(node * words_of_node());
    return {first, first + shape.order + 1};
  }
  Words keys(std::size_t node) const {
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(node * words_of_node()) + shape.order + 1;
    return {first, first + shape.order + 1};
  }
};

TEST(LaunchStructures, SearchTreesHaveTheirKeysLevelByLevelAndTheRootFirst) {
  constexpr std::uint32_t kNone = 0x7fffffff;
  const Tree tree{{11, 4, 3, 5, 2}};  // four leaves, two nodes above them, the root
  EXPECT_EQ(tree.structure.counts.at("nodes"), 7);
  EXPECT_EQ(tree.structure.counts.at("levels"), 2);
  EXPECT_THAT(tree.children(0), ElementsAre(1, 2, 0, 0, 0));
  EXPECT_THAT(tree.keys(0), ElementsAre(0, 9, kNone, kNone, kNone));
  EXPECT_THAT(tree.children(1), ElementsAre(3, 4, 5, 0, 0));
  EXPECT_THAT(tree.keys(1), ElementsAre(0, 3, 6, kNone, kNone));
  EXPECT_THAT(tree.children(2), ElementsAre(6, 0, 0, 0, 0));
  EXPECT_THAT(tree.children(6), ElementsAre(9, 10, 0, 0, 0));
  EXPECT_THAT(tree.keys(6), ElementsAre(9, 10, kNone, kNone, kNone));
  EXPECT_EQ(words(tree.structure, "values").size(), 11U);
  const Words starts = words(tree.structure, "starts");
  ASSERT_EQ(starts.size(), 5U);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_LT(words(tree.structure, "keys")[i], 11U);
    EXPECT_LT(starts[i], 10U);
    EXPECT_EQ(words(tree.structure, "ends")[i], starts[i] + 1);
  }
}

TEST(LaunchStructures, KeyTreesHaveFullNodesAndTheGreatestKeyBelowEachChild) {
  const Structure tree = structures::key_tree({10, 3, 4, 7});  // five leaves, two nodes above them, the root
  EXPECT_EQ(tree.counts.at("nodes"), 8);
  const auto nodes = values_of<std::int32_t>(tree.arrays.at("nodes"));
  ASSERT_EQ(nodes.size(), 8U * 66);
  using Entries = std::vector<std::pair<std::int32_t, std::int32_t>>;
  const auto entries = [&nodes](std::size_t node, std::int32_t leaf) {
    const std::int32_t* const words = &nodes[66 * node];
    EXPECT_EQ(words[0], leaf);
    Entries read;
    for (std::int32_t i = 0; i < words[1]; ++i) read.emplace_back(words[2 + i], words[34 + i]);
    return read;
  };
  EXPECT_EQ(entries(0, 0), (Entries{{5, 1}, {9, 2}}));
  EXPECT_EQ(entries(1, 0), (Entries{{1, 3}, {3, 4}, {5, 5}}));
  EXPECT_EQ(entries(2, 0), (Entries{{7, 6}, {9, 7}}));
  EXPECT_EQ(entries(3, 1), (Entries{{0, 9}, {1, 8}}));
  EXPECT_EQ(entries(7, 1), (Entries{{8, 1}, {9, 0}}));
  EXPECT_THAT(values_of<std::int32_t>(tree.arrays.at("queries")), ElementsAre(0, 7, 4, 1));
  EXPECT_EQ(structures::key_tree({2, 3, 1, 1}).counts.at("nodes"), 1);
}

TEST(LaunchStructures, ASearchTreeOfOneLeafIsItsRoot) {
  const Tree tree{{4, 4, 4, 1, 4}};
  EXPECT_EQ(tree.structure.counts.at("nodes"), 1);
  EXPECT_EQ(tree.structure.counts.at("levels"), 0);
  EXPECT_THAT(tree.children(0), ElementsAre(0, 1, 2, 3, 0));
  EXPECT_THAT(words(tree.structure, "starts"), ElementsAre(0));
}

TEST(LaunchStructures, TetrahedraFaceEachOtherAndAreClosed) {
  constexpr std::int64_t kX = 3, kY = 4, kZ = 2;
  const Structure mesh = structures::tetrahedra(kX, kY, kZ, Random(1));
  const auto elements = static_cast<std::size_t>(mesh.counts.at("elements"));
  ASSERT_EQ(elements, 6U * kX * kY * kZ);
  const auto neighbors = values_of<std::int32_t>(mesh.arrays.at("neighbors"));
  const auto normals = values_of<float>(mesh.arrays.at("normals"));
  const auto normal = [&](std::size_t i, std::size_t face) {
    std::array<float, 3> area = {};
    for (std::size_t axis = 0; axis < 3; ++axis) area[axis] = normals[(axis * 4 + face) * elements + i];
    return area;
  };
  std::array<int, 2> outside = {};  // walls, faces to the free stream
  for (std::size_t i = 0; i < elements; ++i) {
    std::array<float, 3> sum = {};
    for (std::size_t face = 0; face < 4; ++face) {
      const std::array<float, 3> area = normal(i, face);
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += area[axis];
      const std::int32_t neighbor = neighbors[face * elements + i];
      if (neighbor < 0) {
        ++outside.at(neighbor == -1 ? 0 : 1);
        EXPECT_EQ(neighbor == -1, area[2] == -0.5F);
        continue;
      }
      int back = 0;
      for (std::size_t other = 0; other < 4; ++other) {
        const auto there = static_cast<std::size_t>(neighbor);
        if (neighbors[other * elements + there] != static_cast<std::int32_t>(i)) continue;
        ++back;
        const std::array<float, 3> opposite = normal(there, other);
        EXPECT_THAT(opposite, ElementsAre(-area[0], -area[1], -area[2]));
      }
      EXPECT_EQ(back, 1);
    }
    EXPECT_THAT(sum, Each(0.0F));
  }
  EXPECT_EQ(outside[0], 2 * kX * kY);
  EXPECT_EQ(outside[1], 2 * kX * kY + 4 * kX * kZ + 4 * kY * kZ);
}

TEST(LaunchStructures, TheGasOfAMeshHasAPressureAndFlowsInDirectionX) {
  const Structure mesh = structures::tetrahedra(2, 2, 2, Random(1));
  const auto states = values_of<float>(mesh.arrays.at("states"));
  const std::size_t elements = states.size() / 5;
  ASSERT_EQ(elements, 48U);
  for (std::size_t i = 0; i < elements; ++i) {
    const float momentum = states[elements + i];
    EXPECT_NEAR(states[i], 1.4, 0.1401);
    EXPECT_NEAR(momentum, 1.68, 0.36);
    EXPECT_EQ(states[2 * elements + i], 0);
    EXPECT_NEAR(0.4 * (states[4 * elements + i] - 0.5 * momentum * momentum / states[i]), 1, 0.1001);
  }
}

void expect_shape(const StructureShape& shape, const Structure& structure) {
  EXPECT_EQ(shape.counts, structure.counts);
  ASSERT_EQ(shape.arrays.size(), structure.arrays.size());
  for (const auto& [name, array] : structure.arrays) {
    EXPECT_EQ(shape.arrays.at(name).type, array.type) << name;
    EXPECT_EQ(shape.arrays.at(name).count, array.count()) << name;
  }
}

TEST(LaunchStructures, TheirShapesAreThoseOfTheArraysThatAreGenerated) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    structures::SearchTree tree;
    tree.records = 1 + static_cast<std::int64_t>(random.below(900));
    tree.order = 2 + static_cast<std::int64_t>(random.below(9));
    tree.entries = 2 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tree.order - 1)));
    tree.queries = 1 + static_cast<std::int64_t>(random.below(20));
    expect_shape(structures::shape_of(tree), structures::search_tree(tree, Random(1)));
    structures::KeyTree counted;
    counted.keys = tree.records;
    counted.order = 3 + static_cast<std::int64_t>(random.below(30));
    counted.queries = tree.queries;
    expect_shape(structures::shape_of(counted), structures::key_tree(counted));
    const auto side = [&random] { return 1 + static_cast<std::int64_t>(random.below(5)); };
    const std::array<std::int64_t, 3> box{side(), side(), side()};
    expect_shape(structures::shape_of_tetrahedra(box[0], box[1], box[2]),
                 structures::tetrahedra(box[0], box[1], box[2], Random(1)));
    const std::int64_t degree = side() - 1;
    expect_shape(structures::shape_of_csr_graph(box[0], degree),
                 structures::csr_graph(box[0], degree, structures::Degrees::kUniform, {}, Random(1)));
  }
}

TEST(LaunchStructures, AnArrayIsGeneratedWhenOneIsFirstUsedAndOnlyOnce) {
  int generated = 0;
  const GeneratedStructure mesh(structures::shape_of_tetrahedra(1, 1, 1), [&generated] {
    ++generated;
    return structures::tetrahedra(1, 1, 1, Random(1));
  });
  EXPECT_EQ(mesh.shape().counts.at("elements"), 6);
  EXPECT_EQ(mesh.shape().arrays.at("normals").count, 72U);
  EXPECT_EQ(generated, 0);
  EXPECT_EQ(mesh.array("states").bytes, structures::tetrahedra(1, 1, 1, Random(1)).arrays.at("states").bytes);
  EXPECT_EQ(mesh.array("normals").count(), 72U);
  EXPECT_EQ(generated, 1);
}

}  // namespace
}  // namespace heddle
