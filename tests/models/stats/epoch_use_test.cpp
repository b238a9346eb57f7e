// How much of a resource is accessed within an epoch.

#include "models/stats/epoch_use.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(EpochUse, CountsEachItemOnceInAnEpochAndLeavesOutEpochsWithoutAStart) {
  EpochUse use({100, 4, 32, 96});
  use.start(Cycle{5});
  use.access(0);
  use.access(0);
  use.start(Cycle{99});
  use.access(0);
  use.access(3);
  EXPECT_EQ(use.used().value(), 64u);
  EXPECT_EQ(use.offered().value(), 96u);
  use.start(Cycle{400});
  use.access(3);
  use.start(Cycle{500});
  EXPECT_EQ(use.used().value(), 96u);
  EXPECT_EQ(use.offered().value(), 3 * 96u);
}

TEST(EpochUse, StartsAnewAfterAReset) {
  Group stats("resource");
  EpochUse use({100, 4, 32, 96});
  use.declare(stats, "register");
  for (int i = 0; i < 2; ++i) {
    use.start(Cycle{5});
    use.access(1);
    EXPECT_EQ(use.used().value(), 32u);
    EXPECT_EQ(use.offered().value(), 96u);
    use.reset();
    stats.reset();
  }
}

}  // namespace
}  // namespace heddle
