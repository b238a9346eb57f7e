// The references of Rodinia's programs.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;

void run(std::string_view name, Buffers& buffers, const Scalars& scalars) {
  find_reference(name).run(buffers, scalars);
}

TEST(KernelReferences, BackpropAddsOuterProductsOfTheLayersValues) {
  Buffers buffers;
  put<float>(buffers, "input_values", {1, 2});
  put<float>(buffers, "hidden_values", {0, 0});
  put<float>(buffers, "output_values", {0});
  put<float>(buffers, "hidden_weights", {3, 4});
  put<float>(buffers, "output_weights", {2});
  put<float>(buffers, "hidden_changes", {8, 0});
  put<float>(buffers, "output_changes", {0});
  run("rodinia_backprop", buffers,
      {{"inputs", whole(2)},
       {"hidden", whole(1)},
       {"outputs", whole(1)},
       {"rounds", whole(1)},
       {"steps", whole(0)},
       {"rate", 0.5},
       {"momentum", 0.25}});
  EXPECT_THAT(get<float>(buffers, "hidden_values"), ElementsAre(11, 0));
  EXPECT_THAT(get<float>(buffers, "output_values"), ElementsAre(22));
  EXPECT_THAT(get<float>(buffers, "hidden_changes"), ElementsAre(7.5, 0));
  EXPECT_THAT(get<float>(buffers, "hidden_weights"), ElementsAre(10.5, 4));
  EXPECT_THAT(get<float>(buffers, "output_changes"), ElementsAre(121));
  EXPECT_THAT(get<float>(buffers, "output_weights"), ElementsAre(123));
}

// The nodes 0 -> 1 -> 2 -> 3, and 0 -> 2.
Buffers path_of_four() {
  Buffers buffers;
  put<std::uint32_t>(buffers, "row_offsets", {0, 2, 3, 4, 4});
  put<std::uint32_t>(buffers, "columns", {1, 2, 2, 3});
  for (const char* const name : {"frontier", "visited"}) put<std::uint8_t>(buffers, name, {1, 0, 0, 0});
  put<std::int32_t>(buffers, "levels", {0, -1, -1, -1});
  return buffers;
}

TEST(KernelReferences, BfsStopsAfterTheMostLevels) {
  Buffers all = path_of_four();
  run("rodinia_bfs", all, {{"nodes", whole(4)}, {"most_levels", whole(10)}});
  EXPECT_THAT(get<std::int32_t>(all, "levels"), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(get<std::uint8_t>(all, "visited"), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(get<std::uint8_t>(all, "frontier"), ElementsAre(0, 0, 0, 0));
  Buffers one = path_of_four();
  run("rodinia_bfs", one, {{"nodes", whole(4)}, {"most_levels", whole(1)}});
  EXPECT_THAT(get<std::int32_t>(one, "levels"), ElementsAre(0, 1, 1, -1));
  EXPECT_THAT(get<std::uint8_t>(one, "visited"), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(get<std::uint8_t>(one, "frontier"), ElementsAre(0, 1, 1, 0));
}

TEST(KernelReferences, GaussianEliminatesTheColumnsOfItsSteps) {
  Buffers buffers;
  put<float>(buffers, "matrix", {2, 4, 6, 1, 5, 9, 4, 9, 8});
  put<float>(buffers, "right_side", {2, 3, 5});
  put(buffers, "multipliers", std::vector<float>(9));
  run("rodinia_gaussian", buffers, {{"n", whole(3)}, {"steps", whole(1)}});
  EXPECT_THAT(get<float>(buffers, "matrix"), ElementsAre(2, 4, 6, 0, 3, 6, 0, 1, -4));
  EXPECT_THAT(get<float>(buffers, "right_side"), ElementsAre(2, 2, 1));
  EXPECT_THAT(get<float>(buffers, "multipliers"), ElementsAre(0, 0, 0, 0.5, 0, 0, 2, 0, 0));
}

TEST(KernelReferences, KmeansTakesTheFirstOfEquallyNearClusters) {
  Buffers buffers;
  put<float>(buffers, "features", {0, 5, 2, /* second feature */ 1, 5, 0});
  put<float>(buffers, "centers", {4, 4, 0, 0});
  put(buffers, "membership", std::vector<std::int32_t>(3));
  run("rodinia_kmeans", buffers, {{"n", whole(3)}, {"clusters", whole(2)}, {"feature_count", whole(2)}});
  EXPECT_THAT(get<std::int32_t>(buffers, "membership"), ElementsAre(1, 0, 1));
  put<float>(buffers, "features", {2, 2, 4, 2, 2, 4});
  run("rodinia_kmeans", buffers, {{"n", whole(3)}, {"clusters", whole(2)}, {"feature_count", whole(2)}});
  EXPECT_THAT(get<std::int32_t>(buffers, "membership"), ElementsAre(0, 0, 0));
}

TEST(KernelReferences, KeysThatATreeLacksAreNotFound) {
  std::vector<std::int32_t> tree(2 * std::size_t{66});
  tree[1] = 1;  // the root, whose child is the leaf
  tree[2] = 7;
  tree[34] = 1;
  tree[66] = 1;  // the leaf with keys 5 and 7, values 50 and 70
  tree[67] = 2;
  tree[68] = 5;
  tree[69] = 7;
  tree[100] = 50;
  tree[101] = 70;
  Buffers buffers;
  put(buffers, "tree", tree);
  put<std::int32_t>(buffers, "keys", {7, 6, 5});
  put<std::int32_t>(buffers, "found", {0, 0, 0});
  run("rodinia_b_plus_tree", buffers, {{"nodes", whole(2)}, {"queries", whole(3)}});
  EXPECT_THAT(get<std::int32_t>(buffers, "found"), ElementsAre(70, -1, 50));
}

}  // namespace
}  // namespace heddle::kernels
