// The references of kernels on graphs, grids and particles.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace heddle::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;

void run(std::string_view name, Buffers& buffers, const Scalars& scalars) {
  find_reference(name).run(buffers, scalars);
}

struct Edge {
  std::uint32_t from, to, weight;
};

// Returns random edges, which are so few that some nodes cannot be reached.
std::vector<Edge> random_edges(std::uint32_t nodes, std::size_t edges, Draw& draw) {
  std::vector<Edge> all(edges);
  for (Edge& edge : all) edge = {draw.below(nodes), draw.below(nodes), 1 + draw.below(20)};
  return all;
}

void put_rows(Buffers& buffers, std::uint32_t nodes, std::vector<Edge> edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  std::vector<std::uint32_t> offsets(nodes + 1), columns, weights;
  for (const Edge& edge : edges) {
    ++offsets[edge.from + 1];
    columns.push_back(edge.to);
    weights.push_back(edge.weight);
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  put(buffers, "row_offsets", offsets);
  put(buffers, "columns", columns);
  put(buffers, "weights", weights);
}

template <typename T>
void put_all_but_first(Buffers& buffers, const std::string& name, std::size_t size, T first, T others) {
  std::vector<T> values(size, others);
  values[0] = first;
  put(buffers, name, values);
}

constexpr std::uint32_t kNodes = 60;

TEST(KernelReferences, LevelsRiseByOneAtMostAlongEdgesAndEachHasAParent) {
  Draw draw(6);
  const std::vector<Edge> edges = random_edges(kNodes, 90, draw);
  Buffers buffers;
  put_rows(buffers, kNodes, edges);
  for (const char* const name : {"frontier", "visited"})
    put_all_but_first<std::uint8_t>(buffers, name, kNodes, 1, 0);
  put_all_but_first<std::int32_t>(buffers, "levels", kNodes, 0, -1);
  run("breadth_first_search", buffers, {{"nodes", whole(kNodes)}});
  const auto levels = get<std::int32_t>(buffers, "levels");
  const auto visited = get<std::uint8_t>(buffers, "visited");
  std::vector<bool> has_parent(kNodes);
  has_parent[0] = true;
  for (const Edge& edge : edges) {
    if (levels[edge.from] < 0) continue;
    ASSERT_GE(levels[edge.to], 0);
    EXPECT_LE(levels[edge.to], levels[edge.from] + 1);
    if (levels[edge.to] == levels[edge.from] + 1) has_parent[edge.to] = true;
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    EXPECT_EQ(levels[i] >= 0, visited[i] == 1);
    EXPECT_EQ(levels[i] >= 0, has_parent[i]) << i;
  }
  EXPECT_EQ(levels[0], 0);
  EXPECT_THAT(get<std::uint8_t>(buffers, "frontier"), Each(0));
  EXPECT_GT(std::count(visited.begin(), visited.end(), 0), 0);
  EXPECT_GT(*std::max_element(levels.begin(), levels.end()), 2);
}

TEST(KernelReferences, NoEdgeMakesAShortestPathShorterAndEachHasItsLastEdge) {
  constexpr std::uint32_t kFar = 0xffffffffU;
  Draw draw(7);
  const std::vector<Edge> edges = random_edges(kNodes, 120, draw);
  Buffers buffers;
  put_rows(buffers, kNodes, edges);
  for (const char* const name : {"costs", "offers"})
    put_all_but_first<std::uint32_t>(buffers, name, kNodes, 0, kFar);
  put_all_but_first<std::uint8_t>(buffers, "active", kNodes, 1, 0);
  run("shortest_path", buffers, {{"nodes", whole(kNodes)}});
  const auto costs = get<std::uint32_t>(buffers, "costs");
  std::vector<bool> explained(kNodes);
  explained[0] = true;
  for (const Edge& edge : edges) {
    if (costs[edge.from] == kFar) continue;
    EXPECT_LE(costs[edge.to], costs[edge.from] + edge.weight);
    if (costs[edge.to] == costs[edge.from] + edge.weight) explained[edge.to] = true;
  }
  for (std::size_t i = 0; i < kNodes; ++i) EXPECT_EQ(explained[i], costs[i] != kFar) << i;
  EXPECT_EQ(costs[0], 0U);
  EXPECT_EQ(get<std::uint32_t>(buffers, "offers"), costs);
}

std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

TEST(KernelReferences, TheSpanningForestIsKruskals) {
  Draw draw(8);
  const std::vector<Edge> edges = random_edges(kNodes, 80, draw);
  Buffers buffers;
  std::vector<std::uint32_t> from, to, weights, order(edges.size()), parent(kNodes);
  for (const Edge& edge : edges) {
    from.push_back(edge.from);
    to.push_back(edge.to);
    weights.push_back(edge.weight);
  }
  put(buffers, "from", from);
  put(buffers, "to", to);
  put(buffers, "weights", weights);
  put(buffers, "in_tree", std::vector<std::uint8_t>(edges.size()));
  run("minimum_spanning_tree", buffers, {{"nodes", whole(kNodes)}, {"edges", whole(edges.size())}});
  std::iota(order.begin(), order.end(), 0U);
  std::iota(parent.begin(), parent.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] < weights[b]; });
  std::vector<std::uint8_t> kruskal(edges.size());
  for (const std::uint32_t edge : order) {
    const std::uint32_t a = root_of(parent, from[edge]);
    const std::uint32_t b = root_of(parent, to[edge]);
    kruskal[edge] = a != b;
    parent[a] = b;
  }
  EXPECT_EQ(get<std::uint8_t>(buffers, "in_tree"), kruskal);
  EXPECT_GT(std::count(kruskal.begin(), kruskal.end(), 1), 40);
}

TEST(KernelReferences, QueensHaveTheKnownCounts) {
  std::vector<std::uint64_t> counts;
  for (std::int64_t n = 1; n <= 8; ++n) {
    Buffers buffers;
    put<std::uint64_t>(buffers, "solutions", {0});
    run("n_queens", buffers, {{"n", n}});
    counts.push_back(get<std::uint64_t>(buffers, "solutions")[0]);
  }
  EXPECT_THAT(counts, ElementsAre(1, 0, 0, 2, 10, 4, 40, 92));
}

TEST(KernelReferences, TheCheapestPathIsThatOfAllPaths) {
  constexpr std::size_t kRows = 6, kColumns = 5;
  Draw draw(9);
  std::vector<std::int32_t> walls(kRows * kColumns);
  for (std::int32_t& wall : walls) wall = static_cast<std::int32_t>(draw.below(10));
  std::vector<std::int32_t> best(kColumns, 1000);
  for (int code = 0; code < static_cast<int>(kColumns) * 243; ++code) {  // a start, and five turns
    auto column = code % static_cast<int>(kColumns);
    std::int32_t cost = walls[column];
    int turns = code / static_cast<int>(kColumns);
    bool inside = true;
    for (std::size_t row = 1; row < kRows && inside; ++row, turns /= 3) {
      column += turns % 3 - 1;
      inside = column >= 0 && column < static_cast<int>(kColumns);
      if (inside) cost += walls[row * kColumns + column];
    }
    if (inside) best[column] = std::min(best[column], cost);
  }
  Buffers buffers;
  put(buffers, "walls", walls);
  put(buffers, "costs_in", std::vector<std::int32_t>(walls.begin(), walls.begin() + kColumns));
  put(buffers, "costs_out", std::vector<std::int32_t>(kColumns));
  const Scalars scalars = {
      {"rows", whole(kRows)}, {"columns", whole(kColumns)}, {"rows_per_launch", whole(2)}};
  run("grid_path", buffers, scalars);
  EXPECT_EQ(get<std::int32_t>(buffers, "costs_out"), best);  // by the third launch
}

TEST(KernelReferences, TheNearestAreInOrderAndTakenOut) {
  Buffers buffers;
  put<float>(buffers, "latitudes", {3, 0, 6, 0});
  put<float>(buffers, "longitudes", {4, 1, 8, -1});
  put(buffers, "distances", std::vector<float>(4));
  put(buffers, "nearest", std::vector<std::uint32_t>(3));
  put(buffers, "nearest_distances", std::vector<float>(3));
  run("nearest_neighbors", buffers,
      {{"n", whole(4)}, {"k", whole(3)}, {"latitude", 0.0}, {"longitude", 0.0}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "nearest"), ElementsAre(1, 3, 0));
  EXPECT_THAT(get<float>(buffers, "nearest_distances"), ElementsAre(1, 1, 5));
  EXPECT_THAT(get<float>(buffers, "distances"), ElementsAre(INFINITY, INFINITY, 10, INFINITY));
}

TEST(KernelReferences, DistancesAreOfPairs) {
  Buffers buffers;
  put<float>(buffers, "places", {4, 6, 1, 2, -2, 6});
  put(buffers, "distances", std::vector<float>(3));
  run("rodinia_nn", buffers, {{"n", whole(3)}, {"latitude", 1.0}, {"longitude", 2.0}});
  EXPECT_THAT(get<float>(buffers, "distances"), ElementsAre(5, 0, 5));
}

TEST(KernelReferences, AStencilOfWeightOneKeepsALinearField) {
  constexpr std::size_t kWidth = 6, kHeight = 5;
  std::vector<float> field(kWidth * kHeight);
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::size_t row = i / kWidth;
    field[i] = static_cast<float>(2 * (i % kWidth) + 3 * row);
  }
  std::vector<float> bumped = field;
  bumped[2 * kWidth + 2] += 8;
  Buffers buffers;
  put(buffers, "source", bumped);
  put(buffers, "destination", std::vector<float>(field.size()));
  run("stencil_5_point", buffers,
      {{"width", whole(kWidth)},
       {"height", whole(kHeight)},
       {"steps", whole(1)},
       {"center", 0.5},
       {"neighbor", 0.125}});
  for (const std::size_t at : {2 * kWidth + 1, 2 * kWidth + 3, kWidth + 2, 3 * kWidth + 2}) field[at] += 1;
  field[2 * kWidth + 2] += 4;
  EXPECT_EQ(get<float>(buffers, "destination"), field);
}

TEST(KernelReferences, HeatLeavesAChipOnlyToTheAmbient) {
  constexpr std::size_t kCells = 4 * 7;
  Draw draw(10);
  const std::vector<float> before = draw.floats(kCells, 300, 320);
  Buffers buffers;
  put(buffers, "temperature_in", before);
  put(buffers, "temperature_out", std::vector<float>(kCells));
  put(buffers, "power", std::vector<float>(kCells, 0.5F));
  Scalars scalars = {{"rows", whole(4)}, {"columns", whole(7)}, {"steps", whole(3)}, {"per_capacity", 0.25},
                     {"per_x", 0.5},     {"per_y", 0.25},       {"per_z", 0.0},      {"ambient", 280.0}};
  run("thermal_step", buffers, scalars);
  const auto total = [](const std::vector<float>& of) { return std::accumulate(of.begin(), of.end(), 0.0); };
  EXPECT_NEAR(total(get<float>(buffers, "temperature_out")) - total(before), 3 * 0.25 * 0.5 * kCells, 1e-2);
  put(buffers, "temperature_in", std::vector<float>(kCells, 300));
  scalars["steps"] = whole(1);
  scalars["per_z"] = 0.125;
  run("thermal_step", buffers, scalars);
  EXPECT_THAT(get<float>(buffers, "temperature_out"), Each(300 + 0.25F * (0.5F - 20 * 0.125F)));
}

TEST(KernelReferences, DiffusionLeavesAFlatImageAndSmoothsAnother) {
  constexpr std::size_t kPoints = 9 * 8;
  Buffers buffers;
  put(buffers, "image", std::vector<float>(kPoints, 1.5F));
  put(buffers, "coefficients", std::vector<float>(kPoints));
  put(buffers, "gradients", std::vector<float>(4 * kPoints));
  const Scalars scalars = {
      {"rows", whole(9)}, {"columns", whole(8)}, {"steps", whole(5)}, {"speckle", 0.05}, {"rate", 0.5}};
  run("diffusion", buffers, scalars);
  EXPECT_THAT(get<float>(buffers, "image"), Each(1.5F));
  EXPECT_THAT(get<float>(buffers, "coefficients"), Each(1));
  const std::vector<float> noisy = Draw(11).floats(kPoints, 1, 1.2F);
  put(buffers, "image", noisy);
  run("diffusion", buffers, scalars);
  const auto spread = [](const std::vector<float>& image) {
    const double mean = std::accumulate(image.begin(), image.end(), 0.0) / kPoints;
    double squares = 0;
    for (const float value : image) squares += (value - mean) * (value - mean);
    return squares;
  };
  EXPECT_LT(spread(get<float>(buffers, "image")), 0.6 * spread(noisy));
}

TEST(KernelReferences, TheCosineTransformKeepsTheEnergyAndKnowsAConstant) {
  constexpr std::size_t kPixels = 16 * 24;
  const auto energy = [](const std::vector<float>& of) {
    return std::inner_product(of.begin(), of.end(), of.begin(), 0.0);
  };
  std::vector<float> image = Draw(12).floats(kPixels);
  Buffers buffers;
  put(buffers, "image", image);
  put(buffers, "transform", std::vector<float>(kPixels));
  const Scalars scalars = {{"width", whole(16)}, {"height", whole(24)}};
  run("dct_8x8", buffers, scalars);
  EXPECT_NEAR(energy(get<float>(buffers, "transform")), energy(image), 1e-4);
  put(buffers, "image", std::vector<float>(kPixels, 2));
  run("dct_8x8", buffers, scalars);
  image = get<float>(buffers, "transform");
  EXPECT_NEAR(image[8 * 16 + 8], 16, 1e-5);
  EXPECT_NEAR(energy(image), 6 * 256, 1e-3);
}

TEST(KernelReferences, AFluidKeepsItsMassAndRestsInEquilibrium) {
  constexpr std::size_t kCells = 5 * 4 * 3;
  const std::vector<float> before = Draw(13).floats(19 * kCells, 0.03F, 0.07F);
  std::vector<std::uint8_t> solid(kCells);
  solid[7] = solid[8] = 1;
  Buffers buffers;
  put(buffers, "source", before);
  put(buffers, "destination", std::vector<float>(19 * kCells));
  put(buffers, "solid", solid);
  const Scalars scalars = {
      {"width", whole(5)}, {"height", whole(4)}, {"depth", whole(3)}, {"omega", 1.2}, {"steps", whole(3)}};
  run("lattice_boltzmann", buffers, scalars);
  const auto after = get<float>(buffers, "destination");
  const auto mass = [](const std::vector<float>& of) { return std::accumulate(of.begin(), of.end(), 0.0); };
  EXPECT_NEAR(mass(after), mass(before), 1e-4);
  EXPECT_NE(after, before);
  std::vector<float> rest(19 * kCells);
  for (std::size_t i = 0; i < rest.size(); ++i)
    rest[i] = i < kCells ? 1 / 3.0F : i < 7 * kCells ? 1 / 18.0F : 1 / 36.0F;
  put(buffers, "source", rest);
  run("lattice_boltzmann", buffers, scalars);
  const auto still = get<float>(buffers, "destination");
  for (std::size_t i = 0; i < rest.size(); ++i) ASSERT_NEAR(still[i], rest[i], 1e-7);
}

TEST(KernelReferences, ATreeOpenedToItsBodiesGivesTheSumOverAllPairs) {
  // Bodies 0 and 1 are in cell 1 of the root, which is cell 0. Body 2 is in the root itself. The values are
  // x, y, z and mass.
  const std::vector<float> bodies = {0, 0, 0, 1, 1, 0, 0, 3, 5, 0, 0, 2};
  Buffers buffers;
  put(buffers, "bodies", bodies);
  put<float>(buffers, "centers", {14 / 6.0F, 0, 0, 6, 0.75F, 0, 0, 4});
  put<float>(buffers, "widths", {8, 2});
  put<std::int32_t>(buffers, "children", {4, 2, -1, -1, -1, -1, -1, -1, -1, 0, 1, -1, -1, -1, -1, -1});
  put(buffers, "accelerations", std::vector<float>(12));
  Scalars scalars = {{"n", whole(3)}, {"cells", whole(2)}, {"opening", 0.0}, {"softening", 1e-12}};
  run("barnes_hut", buffers, scalars);
  std::vector<float> found = get<float>(buffers, "accelerations");
  EXPECT_NEAR(found[0], 3 + 2 / 25.0, 1e-5);
  EXPECT_NEAR(found[4], -1 + 2 / 16.0, 1e-5);
  EXPECT_NEAR(found[8], -1 / 25.0 - 3 / 16.0, 1e-5);
  // Body 2 treats cell 1 as one body, because 2 < 1.5 * 4.25. All bodies open the root.
  scalars["opening"] = 1.5;
  run("barnes_hut", buffers, scalars);
  found = get<float>(buffers, "accelerations");
  EXPECT_NEAR(found[0], 3 + 2 / 25.0, 1e-5);
  EXPECT_NEAR(found[8], -4 / (4.25 * 4.25), 1e-5);
}

TEST(KernelReferences, APotentialIsTheSumOverAtomsWithinTheCutoff) {
  Buffers buffers;
  put<float>(buffers, "atoms", {0.5F, 0, 0, 2, 3, 4, 0, 1});
  put<std::uint32_t>(buffers, "bin_offsets", {0, 2});
  put<float>(buffers, "potential", {0, 0});
  run("cutoff_coulomb", buffers,
      {{"width", whole(2)},
       {"height", whole(1)},
       {"depth", whole(1)},
       {"spacing", 2.0},
       {"cutoff", 4.5},
       {"bins_x", whole(1)},
       {"bins_y", whole(1)},
       {"bins_z", whole(1)}});
  const auto term = [](double charge, double distance) {
    return charge / distance * std::pow(1 - distance * distance / (4.5 * 4.5), 2);
  };
  // The distance of the other body is 5.
  EXPECT_NEAR(get<float>(buffers, "potential")[0], term(2, 0.5), 1e-6);
  EXPECT_NEAR(get<float>(buffers, "potential")[1], term(2, 1.5) + term(1, std::sqrt(17.0)), 1e-6);
}

TEST(KernelReferences, PairsOnASphereAreCountedByTheirDistance) {
  Buffers buffers;  // the points are along x, y, z and -x
  for (const std::string prefix : {"", "other_"}) {
    put<float>(buffers, prefix + "x", {1, 0, 0, -1});
    put<float>(buffers, prefix + "y", {0, 1, 0, 0});
    put<float>(buffers, prefix + "z", {0, 0, 1, 0});
  }
  put<float>(buffers, "limits", {0.5F, 0});
  put<std::uint64_t>(buffers, "counts", {0, 0, 0});
  Scalars scalars = {{"n", whole(4)}, {"other_n", whole(4)}, {"bins", whole(2)}, {"same", whole(1)}};
  run("two_point_correlation", buffers, scalars);
  EXPECT_THAT(get<std::uint64_t>(buffers, "counts"), ElementsAre(0, 5, 1));
  scalars["same"] = whole(0);
  run("two_point_correlation", buffers,
      scalars);  // adds all sixteen pairs, four of which are of a point with itself
  EXPECT_THAT(get<std::uint64_t>(buffers, "counts"), ElementsAre(4, 15, 3));
}

}  // namespace
}  // namespace heddle::kernels
