#include <gmock/gmock.h>

#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// Returns what kernels of two contexts have of 6 SMs when their registers say so.
std::vector<std::string> slices(std::int32_t first, std::int32_t second) {
  ContextView one;
  one.tokens = first;
  ContextView other;
  other.tokens = second;
  TestMachine machine(6, {one, other});
  machine.kernel(0, 99);
  machine.kernel(1, 99);
  return machine.slices(*PolicyRegistry<SmPartitioner>::make({"resized-sets", {}}));
}

TEST(ResizedSets, SetsFollowEachOtherInTheOrderOfContexts) {
  EXPECT_THAT(slices(2, 4), ElementsAre("0:*", "0:*", "1:*", "1:*", "1:*", "1:*"));
  EXPECT_THAT(slices(3, 2), ElementsAre("0:*", "0:*", "0:*", "1:*", "1:*", ""));
}

TEST(ResizedSets, SetsOverlapWhereTheyAskForMoreThanAllSms) {
  EXPECT_THAT(slices(4, 4), ElementsAre("0:* 1:*", "0:* 1:*", "0:*", "0:*", "1:*", "1:*"));
}

TEST(ResizedSets, AContextWithoutTokensMayUseEverySm) {
  EXPECT_THAT(slices(0, 2), ElementsAre("0:* 1:*", "0:* 1:*", "0:*", "0:*", "0:*", "0:*"));
}

}  // namespace
}  // namespace heddle
