#include "models/host/submission/process_actions.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;

class ProcessActionsTest : public testing::Test {
 protected:
  void add(std::uint64_t time_ps, std::uint32_t process, std::int64_t value) {
    actions_.add(ProcessAction::Kind::kPriority, time_ps, process, value);
  }
  // Returns the values of the actions that are taken.
  std::vector<std::int64_t> settle(std::uint64_t now_ps) {
    std::vector<std::int64_t> taken;
    some_remain_ =
        actions_.settle(now_ps, [&](const ProcessAction& action) { taken.push_back(action.value); });
    return taken;
  }

  ProcessActions actions_;
  bool some_remain_ = false;
};

TEST_F(ProcessActionsTest, AreTakenByTimeAndThenByProcess) {
  add(20, 0, 1);
  add(10, 2, 2);
  add(10, 1, 3);
  EXPECT_THAT(settle(30), ElementsAre(3, 2, 1));
  EXPECT_FALSE(some_remain_);
  EXPECT_TRUE(actions_.empty());
}

TEST_F(ProcessActionsTest, OfAProcessAtOneTimeStayInOrder) {
  for (const std::int64_t value : {5, 3, 4}) add(10, 1, value);
  EXPECT_THAT(settle(11), ElementsAre(5, 3, 4));
}

TEST_F(ProcessActionsTest, OfThePresentTimeRemain) {
  add(10, 0, 1);
  add(9, 0, 2);
  EXPECT_THAT(settle(10), ElementsAre(2));
  EXPECT_TRUE(some_remain_);
  add(10, 1, 3);
  EXPECT_THAT(settle(11), ElementsAre(1, 3));
  EXPECT_FALSE(some_remain_);
}

}  // namespace
}  // namespace heddle
