// Levels of the share of the machine that a kernel and an application have.

#include "models/machine/share_levels.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

std::map<std::string, double> levels_in(const Group& group) {
  std::map<std::string, double> levels;
  group.visit_with_levels([&](const Statistic& statistic) {
    if (statistic.level != nullptr) levels[statistic.path] = (*statistic.level)();
  });
  return levels;
}

using ShareLevels = SmDriverTest;

// Of the four blocks that fit each of two SMs, kernel 0 may have three on SM 0 and kernel 1 as many as fit on
// SM 1.
TEST_F(ShareLevels, AKernelHasTheSmsAndTheBlocksOfItsSlices) {
  Scripted policy([](std::size_t, const MachineView& machine, Partition& partition) {
    for (const KernelView& kernel : machine.kernels)
      if (kernel.ksr == KsrId{0}) {
        partition.slices(0) = {Slice{kernel.ksr, 3}};
      } else {
        partition.give(1, kernel.ksr);
      }
  });
  gpu(test_spec(), 4, 2, policy);
  Group first("first");
  Group second("second");
  KernelLaunch launch = test_kernel(0, 9, 20);
  add_slice_levels(gpu_->driver(), launch.context, launch.tag, first);
  gpu_->launch(Cycle{0}, launch);
  launch = test_kernel(1, 9, 20);
  add_slice_levels(gpu_->driver(), launch.context, launch.tag, second);
  gpu_->launch(Cycle{10}, launch);
  using Levels = std::map<std::string, double>;
  gpu_->run_until(Cycle{9});
  EXPECT_EQ(levels_in(first), (Levels{{"first.block_limit", 3}, {"first.sms", 1}}));
  EXPECT_EQ(levels_in(second), (Levels{{"second.block_limit", 0}, {"second.sms", 0}}));
  gpu_->run_until(Cycle{20});
  EXPECT_EQ(levels_in(first), (Levels{{"first.block_limit", 3}, {"first.sms", 1}}));
  EXPECT_EQ(levels_in(second), (Levels{{"second.block_limit", 4}, {"second.sms", 1}}));
  gpu_->run();
  EXPECT_EQ(levels_in(first), (Levels{{"first.block_limit", 0}, {"first.sms", 0}}));
}

TEST_F(ShareLevels, AnApplicationHasTokensUnderThePolicyThatGivesSome) {
  const auto token = make_policy<SmPartitioner>("token");
  Group with("with");
  add_token_level(*token, ContextId{0}, with);
  EXPECT_EQ(levels_in(with), (std::map<std::string, double>{{"with.tokens", 0}})) << "before a partition";
  gpu(test_spec(), 1, 3, *token);
  ContextView share;
  share.tokens = 3;
  share.open = true;
  gpu_->set_context(Cycle{0}, ContextId{0}, share);
  gpu_->launch(Cycle{0}, test_kernel(0, 2, 50));
  gpu_->run_until(Cycle{10});
  EXPECT_EQ(levels_in(with), (std::map<std::string, double>{{"with.tokens", 1}})) << "two SMs are held";
  Group without("without");
  add_token_level(*fcfs_, ContextId{0}, without);
  EXPECT_TRUE(levels_in(without).empty());
}

}  // namespace
}  // namespace heddle
