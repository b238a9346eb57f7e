// The references of kernels on images, B+ trees and meshes.

#include "tests/support/kernel_buffers.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numeric>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;

void run(std::string_view name, Buffers& buffers, const Scalars& scalars) {
  find_reference(name).run(buffers, scalars);
}

TEST(KernelReferences, AnImageComesBackFromItsExponentialAndItsSumsAreOfTheExponential) {
  constexpr std::size_t kN = 70000;  // three levels of sums
  Draw draw(21);
  Buffers buffers;
  const std::vector<float> image = draw.floats(kN, 0, 255);
  put(buffers, "image", image);
  for (const char* const name : {"values", "squares"}) put(buffers, name, std::vector<float>(kN));
  run("speckle_statistics", buffers, {{"n", whole(kN)}});
  const std::vector<float> after = get<float>(buffers, "image");
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kN; ++i) {
    ASSERT_NEAR(after[i], image[i], 1e-4);
    sum += std::exp(image[i] / 255.0);
    squares += std::exp(2 * image[i] / 255.0);
  }
  EXPECT_NEAR(get<float>(buffers, "values")[0] / sum, 1, 1e-6);
  EXPECT_NEAR(get<float>(buffers, "squares")[0] / squares, 1, 1e-6);
  EXPECT_NEAR(get<float>(buffers, "values")[1], std::exp(image[1] / 255.0), 1e-6);
}

TEST(KernelReferences, ALaunchOfSumsReplacesTheFirstOfEachBlock) {
  Buffers buffers;
  put(buffers, "values", std::vector<float>(600, 1));
  put(buffers, "squares", std::vector<float>(600, 2));
  run("image_sums", buffers, {{"left", whole(300)}, {"stride", whole(2)}});
  const std::vector<float> values = get<float>(buffers, "values");
  EXPECT_EQ(values[0], 256);
  EXPECT_EQ(values[512], 44);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0F), 598 + 300);
  EXPECT_EQ(get<float>(buffers, "squares")[512], 88);
}

TEST(KernelReferences, ATreeOfTwoLevelsHasItsKeysAndRanges) {
  // Entries of the root are node 1 from key 0 and node 2 from key 30; records are 7 + key / 10.
  constexpr std::uint32_t kNone = 0x7fffffff;
  constexpr std::size_t kWords = 2 * 257, kKeys = 257;
  std::vector<std::uint32_t> nodes(3 * kWords, kNone);
  for (const std::uint32_t i : {0U, 1U}) {
    nodes[i] = 1 + i;
    nodes[kKeys + i] = 30 * i;
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::size_t at = (1 + i / 3) * kWords + i % 3;
    nodes[at] = 7 + i;
    nodes[at + kKeys] = 10 * i;
  }
  Buffers buffers;
  put(buffers, "nodes", nodes);
  put<std::uint32_t>(buffers, "values", {0, 0, 0, 0, 0, 0, 0, 100, 101, 102, 103, 104});
  put<std::uint32_t>(buffers, "keys", {40, 10, 15});
  put<std::uint32_t>(buffers, "starts", {0, 20, 30});
  put<std::uint32_t>(buffers, "ends", {40, 30, 30});
  for (const char* const name : {"nodes_at", "nodes_next", "firsts_at", "firsts_next", "lasts_at",
                                 "lasts_next", "found", "first_records", "lengths"})
    put(buffers, name, std::vector<std::uint32_t>(3));
  run("tree_search", buffers,
      {{"nodes", whole(3)}, {"levels", whole(1)}, {"records", whole(12)}, {"queries", whole(3)}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "found"), ElementsAre(104, 101, 0));  // 15 is not in the tree
  EXPECT_THAT(get<std::uint32_t>(buffers, "nodes_at"), ElementsAre(2, 1, 1));
  EXPECT_THAT(get<std::uint32_t>(buffers, "first_records"), ElementsAre(7, 9, 10));
  EXPECT_THAT(get<std::uint32_t>(buffers, "lengths"), ElementsAre(5, 2, 1));
  EXPECT_THAT(get<std::uint32_t>(buffers, "lasts_at"), ElementsAre(2, 2, 2));
}

struct Mesh {
  std::vector<std::int32_t> neighbors;  // four faces of each element
  std::vector<float> normals;
};

// Returns two elements with unit faces to +x, -x, +y and -y. The second one is behind the first one in
// direction x; a wall is behind -x of the first one, and the free stream is elsewhere.
Mesh two_elements() {
  Mesh mesh = {{1, -2, -1, 0, -2, -2, -2, -2}, std::vector<float>(3 * 4 * 2)};
  constexpr std::array<std::array<float, 2>, 4> kFaces = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
  for (std::size_t face = 0; face < 4; ++face)
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t i = 0; i < 2; ++i) mesh.normals[(axis * 4 + face) * 2 + i] = kFaces[face][axis];
  return mesh;
}

std::vector<float> fluxes_of(const Mesh& mesh, const std::vector<float>& states) {
  Buffers buffers;
  put(buffers, "neighbors", mesh.neighbors);
  put(buffers, "normals", mesh.normals);
  put(buffers, "states", states);
  put(buffers, "fluxes", std::vector<float>(10));
  run("euler_flux", buffers,
      {{"elements", whole(2)}, {"stream_density", 1.4}, {"stream_momentum", 0.0}, {"stream_energy", 2.5}});
  return get<float>(buffers, "fluxes");
}

TEST(KernelReferences, AGasAtRestStaysAtRest) {
  const std::vector<float> rest = {1.4F, 1.4F, 0, 0, 0, 0, 0, 0, 2.5F, 2.5F};  // pressure 1
  for (const float flux : fluxes_of(two_elements(), rest)) EXPECT_NEAR(flux, 0, 1e-6);
}

TEST(KernelReferences, AGasThatMovesPressesOnAWallAndIsSlowedByItsNeighbor) {
  // The first element has momentum 1.4 and velocity 1 in direction x, pressure 1 and energy 3.2.
  const std::vector<float> fluxes = fluxes_of(two_elements(), {1.4F, 1.4F, 1.4F, 0, 0, 0, 0, 0, 3.2F, 2.5F});
  // Between the elements, the fastest signals have the speeds 2 and 1, so that the viscosity is 0.3.
  EXPECT_NEAR(fluxes[0], -0.7, 1e-6);  // mass leaves through +x: half of 1.4; none through the wall
  EXPECT_NEAR(fluxes[1], 0.7, 1e-6);   // the second one gains it
  EXPECT_NEAR(fluxes[2], -(1.4 + 2) / 2 + 1 - 0.3 * 1.4, 1e-6);
  EXPECT_NEAR(fluxes[8], -4.2 / 2 - 0.3 * 0.7, 1e-6);
}

}  // namespace
}  // namespace heddle::kernels
