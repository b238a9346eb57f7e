// Profiles that follow the first one: after a lasting change of IPC, and at later launches.

#include <gmock/gmock.h>

#include "tests/policies/sm_partitioner/warped_slicer_fixture.h"

namespace heddle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST_F(WarpedSlicerTest, AChangeOfIpcThatLastsMakesANewProfile) {
  for (const double change : {0.5, 0.0}) {
    curves_.clear();
    machine(16, 8, {{"change", change}});
    launch(0, 0, straight(8));
    launch(0, 1, kSaturating);
    gpu_->run_until(Cycle{2000});
    ASSERT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2");
    curves_[1] = {1, 2, 3, 4, 5, 6, 7, 8};  // 2 instead of 8 for two blocks
    gpu_->run_until(Cycle{2150});
    curves_[1] = kSaturating;  // the change is short
    gpu_->run_until(Cycle{3000});
    EXPECT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2");
    curves_[1] = {1, 2, 3, 4, 5, 6, 7, 8};
    gpu_->run_until(Cycle{5000});
    EXPECT_EQ(decisions(), change > 0 ? "profile 0 1, quotas 0:6 1:2, profile 0 1, quotas 0:4 1:4"
                                      : "profile 0 1, quotas 0:6 1:2");
  }
}

// The first kernel keeps the blocks that run, and issues none until the profile has ended.
TEST_F(WarpedSlicerTest, AProfileAfterAChangeFavoursTheChangedKernelAndHoldsBackTheOther) {
  for (const double favour : {1.0, 0.0}) {
    curves_.clear();
    machine(8, 8, {{"change", 0.5}, {"favour", favour}});
    launch(0, 0, straight(8));
    launch(0, 1, kSaturating);
    gpu_->run_until(Cycle{2000});
    ASSERT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2");
    const std::uint64_t drains = counter("drains");
    curves_[1] = straight(8);
    Cycle at{2000};
    while (policy_->decisions().size() == 2 && at < Cycle{6000}) gpu_->run_until(at = at + 10);
    gpu_->run_until(at + 20);
    if (favour > 0)
      EXPECT_THAT(slices(), ElementsAre("1:1 0:0", "1:2 0:0", "1:3 0:0", "1:4 0:0", "1:5 0:0", "1:6 0:0",
                                        "1:7 0:0", "1:8 0:0"));
    else
      EXPECT_THAT(slices(), ElementsAre("0:1", "0:2", "0:3", "0:4", "1:1", "1:2", "1:3", "1:4"));
    EXPECT_EQ(counter("drains") - drains, favour > 0 ? 0u : 8u);
    gpu_->run_until(Cycle{6000});
    EXPECT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2, profile 0 1, quotas 0:4 1:4");
    EXPECT_THAT(slices(), Each("0:4 1:4"));
  }
}

TEST_F(WarpedSlicerTest, ANewLaunchMayBeFavouredToo) {
  for (const double favour : {2.0, 1.0}) {
    curves_.clear();
    machine(8, 8, {{"favour", favour}, {"remember", 0.0}});
    open(0, 0);
    open(0, 1);
    launch(0, 0, straight(8));
    launch(0, 1, kSaturating, 2000);
    launch(12'000, 1, straight(8), 2000);
    gpu_->run_until(Cycle{12'050});
    ASSERT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2, profile 0 1");
    EXPECT_EQ(slices()[2], favour == 2 ? "1:3 0:0" : "0:3");
    gpu_->run_until(Cycle{13'500});
    EXPECT_EQ(decisions(), "profile 0 1, quotas 0:6 1:2, profile 0 1, quotas 0:4 1:4");
  }
}

TEST_F(WarpedSlicerTest, OnlyTheFirstProfileWarmsUpUnlessEachDoes) {
  for (const double each : {0.0, 1.0}) {
    curves_.clear();
    machine(16, 8, {{"remember", 0.0}, {"warm_each", each}});
    open(0, 0);
    open(0, 1);
    launch(0, 0, straight(8));
    launch(0, 1, kSaturating, 4000);
    launch(12'000, 1, kSaturating, 2000);
    gpu_->run_until(Cycle{20'000});
    const std::vector<PartitionDecision>& made = policy_->decisions();
    ASSERT_EQ(made.size(), 4);
    EXPECT_GE(made[1].at - made[0].at, 600);
    if (each > 0)
      EXPECT_GE(made[3].at - made[2].at, 600);
    else
      EXPECT_LE(made[3].at - made[2].at, 400);  // sampling, and the blocks that leave
  }
}

}  // namespace
}  // namespace heddle
