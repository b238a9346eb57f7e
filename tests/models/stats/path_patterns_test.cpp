#include "models/stats/path_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;

TEST(PathPatterns, NumbersOfEqualBlocksBecomeStars) {
  EXPECT_THAT(
      path_patterns({"gpu.sm0.l1.hits", "gpu.sm11.l1.hits", "gpu.l2_0.ksr0.hits", "gpu.l2_3.ksr0.hits"}),
      ElementsAre("gpu.sm*.l1.hits", "gpu.sm*.l1.hits", "gpu.l2_*.ksr*.hits", "gpu.l2_*.ksr*.hits"));
}

TEST(PathPatterns, OneBlockIsNumberedToo) {
  EXPECT_THAT(path_patterns({"dma0.bytes"}), ElementsAre("dma*.bytes"));
}

TEST(PathPatterns, ANumberThatCountsNothingStays) {
  EXPECT_THAT(path_patterns({"l1.hits", "l2.hits", "aw32", "x.7"}),
              ElementsAre("l1.hits", "l2.hits", "aw32", "x.7"));
}

}  // namespace
}  // namespace heddle
