// The references of the programs of Zorua's applications that no other program shares.

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

TEST(KernelReferences, SumsAndPrefixesOfIntegersWrapAround) {
  const std::vector<std::uint32_t> values{5, 0xffffffff, 7, 1};
  Buffers buffers;
  put(buffers, "values", values);
  put<std::uint32_t>(buffers, "total", {9});
  put(buffers, "prefixes", std::vector<std::uint32_t>(4));
  run("reduction_tree", buffers, {{"n", whole(4)}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "total"), ElementsAre(12));
  run("scan_large", buffers, {{"n", whole(4)}});
  EXPECT_THAT(get<std::uint32_t>(buffers, "prefixes"), ElementsAre(5, 4, 11, 12));
}

// A square 0 - 1 - 2 - 3 with a diagonal 2 - 0, and node 4 alone. Of the two edges of weight 2, the first is
// taken.
TEST(KernelReferences, TheTreeOfRowsIsTheLightestAndTakesTheFirstOfEqualEdges) {
  Buffers buffers;
  put<std::uint32_t>(buffers, "row_offsets", {0, 1, 2, 4, 5, 5});
  put<std::uint32_t>(buffers, "columns", {1, 2, 3, 0, 0});
  put<std::uint32_t>(buffers, "weights", {2, 9, 1, 2, 2});
  put(buffers, "in_tree", std::vector<std::uint8_t>(5));
  run("spanning_tree_blocks", buffers, {{"nodes", whole(5)}});
  EXPECT_THAT(get<std::uint8_t>(buffers, "in_tree"), ElementsAre(1, 0, 1, 1, 0));
}

constexpr std::size_t kBodies = 70;

Buffers world() {
  Draw draw(12);
  Buffers buffers;
  std::vector<float> bodies = draw.floats(4 * kBodies);
  for (std::size_t i = 0; i < kBodies; ++i) bodies[4 * i + 3] = draw.within(0.5F, 1.5F);
  put(buffers, "bodies", bodies);
  put(buffers, "velocities", draw.floats(4 * kBodies));
  put(buffers, "accelerations", std::vector<float>(4 * kBodies));
  return buffers;
}

Scalars scalars_of(double opening, double step) {
  return {{"n", whole(kBodies)}, {"opening", opening}, {"softening", 0.01}, {"step", step}};
}

std::array<double, 3> pull_of_all(const std::vector<float>& bodies, std::size_t on) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < kBodies; ++i) {
    std::array<double, 3> away{};
    double squared = 0.01;
    for (std::size_t k = 0; k < 3; ++k) {
      away[k] = static_cast<double>(bodies[4 * i + k]) - bodies[4 * on + k];
      squared += away[k] * away[k];
    }
    for (std::size_t k = 0; k < 3; ++k) sum[k] += bodies[4 * i + 3] * away[k] / std::pow(squared, 1.5);
  }
  return sum;
}

TEST(KernelReferences, BodiesWhoseTreeIsOpenedToTheBodiesAreMovedByThePullOfAll) {
  constexpr double kStep = 0.5;
  Buffers buffers = world();
  const auto bodies = get<float>(buffers, "bodies");
  const auto velocities = get<float>(buffers, "velocities");
  run("barnes_hut_bodies", buffers, scalars_of(1e-6, kStep));
  const auto accelerations = get<float>(buffers, "accelerations");
  for (std::size_t i = 0; i < kBodies; ++i) {
    const std::array<double, 3> pull = pull_of_all(bodies, i);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = 4 * i + k;
      EXPECT_NEAR(accelerations[at], pull[k], 1e-4 * (1 + std::abs(pull[k])));
      // The mean of the velocities before and after moves a body.
      EXPECT_NEAR(get<float>(buffers, "velocities")[at], velocities[at] + pull[k] * kStep, 1e-2);
      EXPECT_NEAR(get<float>(buffers, "bodies")[at],
                  bodies[at] + (velocities[at] + pull[k] * kStep / 2) * kStep, 1e-2);
    }
  }
}

TEST(KernelReferences, BodiesWhoseTreeIsNotOpenedArePulledAlmostAsByAll) {
  Buffers exact = world();
  Buffers rough = world();
  run("barnes_hut_bodies", exact, scalars_of(1e-6, 0));
  run("barnes_hut_bodies", rough, scalars_of(0.75, 0));
  const auto wanted = get<float>(exact, "accelerations");
  const auto found = get<float>(rough, "accelerations");
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    error += std::pow(wanted[i] - found[i], 2);
    size += std::pow(wanted[i], 2);
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(std::sqrt(error / size), 0.02);
}

}  // namespace
}  // namespace heddle::kernels
