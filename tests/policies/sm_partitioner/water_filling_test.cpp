#include "policies/sm_partitioner/water_filling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns an SM whose blocks are limited by its slots and registers alone.
SmLimits limits_of(std::uint32_t slots, std::uint32_t registers = 1000) {
  SmLimits limits;
  limits.threads = limits.warps = limits.shared_bytes = 1000;
  limits.registers = registers;
  limits.block_slots = slots;
  return limits;
}

SharingKernel kernel(std::vector<double> performance, std::uint32_t registers = 1) {
  return {std::move(performance), {1, 1, registers, 0, 1}};
}

TEST(WaterFilling, RaisesTheKernelThatDoesWorstUntilNothingIsLeft) {
  const SharingKernel slow = kernel({.25, .5, .75, 1});
  const SharingKernel fast = kernel({.6, .8, .9, 1});
  EXPECT_THAT(water_fill({slow, fast}, limits_of(4)), ElementsAre(3, 1));
  EXPECT_THAT(water_fill({slow, fast}, limits_of(5)), ElementsAre(3, 2));
  EXPECT_THAT(water_fill({slow, fast}, limits_of(6)), ElementsAre(4, 2));
}

TEST(WaterFilling, AKernelMayBeRaisedMoreThanOnce) {
  EXPECT_THAT(water_fill({kernel({.1, .2, .3, .4, 1}), kernel({.9, 1})}, limits_of(6)), ElementsAre(5, 1));
}

TEST(WaterFilling, AKernelAtItsBestTakesNoMore) {
  EXPECT_THAT(water_fill({kernel({.9, 1, .8, .7}), kernel({.5, .6, .7, .8})}, limits_of(8)),
              ElementsAre(2, 4));
  EXPECT_THAT(water_fill({kernel({1})}, limits_of(8)), ElementsAre(1));
}

TEST(WaterFilling, NumbersOfBlocksThatDoNoBetterAreSkipped) {
  EXPECT_THAT(water_fill({kernel({.4, .4, .3, 1}), kernel({.9, 1})}, limits_of(5)), ElementsAre(4, 1));
}

TEST(WaterFilling, AStepThatDoesNotFitWholeIsNotTaken) {
  EXPECT_THAT(water_fill({kernel({.4, .4, .3, 1}), kernel({.9, 1})}, limits_of(4)), ElementsAre(1, 2));
}

TEST(WaterFilling, AKernelThatCannotBeRaisedLeavesTheRestToTheOthers) {
  const SharingKernel large = kernel({.1, 1}, 600);
  EXPECT_THAT(water_fill({large, kernel({.5, .7, 1}, 100)}, limits_of(8)), ElementsAre(1, 3));
}

TEST(WaterFilling, OfEqualsTheFirstIsRaised) {
  const SharingKernel one = kernel({.5, 1});
  EXPECT_THAT(water_fill({one, one}, limits_of(3)), ElementsAre(2, 1));
}

TEST(WaterFilling, OneBlockThatDoesNothingIsABlockAllTheSame) {
  EXPECT_THAT(water_fill({kernel({0, 0, 1}), kernel({.5, 1})}, limits_of(4)), ElementsAre(3, 1));
  EXPECT_THAT(water_fill({kernel({0, 0, 1}), kernel({.5, 1})}, limits_of(3)), ElementsAre(1, 2));
}

TEST(WaterFilling, WhereOneBlockOfEachDoesNotFitThereIsNoPartition) {
  EXPECT_THAT(water_fill({kernel({1}, 600), kernel({1}, 500)}, limits_of(8)), IsEmpty());
  EXPECT_THAT(water_fill({kernel({1}, 600), kernel({1}, 400)}, limits_of(8)), ElementsAre(1, 1));
}

TEST(WaterFilling, EveryResourceBoundsIt) {
  const std::vector<double> curve{.2, .4, .6, .8, 1};
  const auto alone = [&](const BlockResources& block) {
    return water_fill({{curve, block}}, {10, 20, 32, 30, 1, 40, 1, 0, 50, 0, 0});
  };
  EXPECT_THAT(alone({3, 1, 1, 1, 1}), ElementsAre(3));
  EXPECT_THAT(alone({1, 5, 1, 1, 1}), ElementsAre(4));
  EXPECT_THAT(alone({1, 1, 15, 1, 1}), ElementsAre(2));
  EXPECT_THAT(alone({1, 1, 1, 30, 1}), ElementsAre(1));
  EXPECT_THAT(alone({1, 1, 1, 1, 1}), ElementsAre(5));
}

// ---- against brute force

enum class Shape { kConcave, kRisesAndFalls, kSteps, kAnything, kCount };

std::vector<double> random_curve(Random& random, std::size_t blocks) {
  const Shape shape = static_cast<Shape>(random.below(static_cast<std::uint64_t>(Shape::kCount)));
  const std::size_t peak = static_cast<std::size_t>(random.below(blocks));
  std::vector<double> curve;
  double level = 0;
  double gain = 1;
  for (std::size_t i = 0; i < blocks; ++i) {
    switch (shape) {
      case Shape::kConcave:
        level += gain;
        gain *= random.unit();
        break;
      case Shape::kRisesAndFalls:
        level = i <= peak ? level + random.unit() : level * random.unit();
        break;
      case Shape::kSteps:
        level += static_cast<double>(random.below(3)) / 2;
        break;
      default:
        level = static_cast<double>(random.below(8));
    }
    curve.push_back(level);
  }
  const double best = *std::max_element(curve.begin(), curve.end());
  for (double& value : curve) value = best > 0 ? value / best : 1;
  return curve;
}

std::vector<SharingKernel> random_kernels(Random& random) {
  const auto small = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random.below(most + 1)); };
  std::vector<SharingKernel> kernels(1 + random.below(4));
  for (SharingKernel& made : kernels) {
    made.performance = random_curve(random, 1 + random.below(8));
    made.block = {1 + small(250), 1 + small(250), small(250), small(250), 1};
  }
  return kernels;
}

BlockResources total(const std::vector<SharingKernel>& kernels, const std::vector<std::uint32_t>& blocks) {
  BlockResources used;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::uint32_t block = 0; block < blocks[i]; ++block) used += kernels[i].block;
  return used;
}

double smallest(const std::vector<SharingKernel>& kernels, const std::vector<std::uint32_t>& blocks) {
  double least = 1;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    least = std::min(least, kernels[i].performance[blocks[i] - 1]);
  return least;
}

// Returns the best value of the smallest performance over all numbers of blocks that fit, or a negative
// number if none fits.
double brute_force(const std::vector<SharingKernel>& kernels, const SmLimits& limits) {
  double best = -1;
  std::vector<std::uint32_t> blocks(kernels.size(), 1);
  for (std::size_t i = 0; i < kernels.size();) {
    if (fits({}, total(kernels, blocks), limits)) best = std::max(best, smallest(kernels, blocks));
    for (i = 0; i < kernels.size() && blocks[i] == kernels[i].performance.size(); ++i) blocks[i] = 1;
    if (i < kernels.size()) ++blocks[i];
  }
  return best;
}

// Returns whether a kernel could still perform better with more blocks beside the others.
bool leaves_better(const std::vector<SharingKernel>& kernels, std::vector<std::uint32_t> blocks,
                   const SmLimits& limits) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::uint32_t had = blocks[i];
    const std::vector<double>& curve = kernels[i].performance;
    for (++blocks[i]; blocks[i] <= curve.size(); ++blocks[i])
      if (curve[blocks[i] - 1] > curve[had - 1] && fits({}, total(kernels, blocks), limits)) return true;
    blocks[i] = had;
  }
  return false;
}

TEST(WaterFillingProperty, ItsSmallestPerformanceIsTheLargestThereIs) {
  Random random(1);
  std::uint64_t shared = 0;
  std::uint64_t bounded = 0;
  for (std::uint64_t i = 0; i < cases(2000); ++i) {
    SCOPED_TRACE(testing::Message() << "case " << i);
    const std::vector<SharingKernel> kernels = random_kernels(random);
    const SmLimits limits = limits_of(static_cast<std::uint32_t>(1 + random.below(12)));
    const std::vector<std::uint32_t> blocks = water_fill(kernels, limits);
    const double best = brute_force(kernels, limits);
    ASSERT_EQ(blocks.empty(), best < 0);
    if (blocks.empty()) continue;
    ASSERT_TRUE(fits({}, total(kernels, blocks), limits));
    ASSERT_EQ(smallest(kernels, blocks), best);
    ASSERT_FALSE(leaves_better(kernels, blocks, limits));
    if (kernels.size() > 1) ++shared;
    if (best < 1) ++bounded;
  }
  EXPECT_GT(shared, 500);   // enough cases are not trivial
  EXPECT_GT(bounded, 500);  // enough cases lack room for all kernels
}

}  // namespace
}  // namespace heddle
