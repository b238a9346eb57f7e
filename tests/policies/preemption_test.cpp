// Preemption policies: what each decides, and on which GPUs.

#include "policies/preemption/i_preemption.h"

#include <gtest/gtest.h>

#include "tests/support/schedules.h"

namespace heddle {
namespace {

TEST(Preemption, EachPolicyHandsEverySliceOverInItsOwnWay) {
  const HandoverView view{SmId{1}, KsrId{2}, 3, nullptr};
  EXPECT_EQ(make_policy<Preemption>("drain")->decide(view), Handover::kDrain);
  EXPECT_EQ(make_policy<Preemption>("switch")->decide(view), Handover::kSwitch);
}

TEST(Preemption, SwitchAndDrainFitTimedAndCycleSms) {
  GpuDescription timed;
  GpuDescription cycle;
  cycle.has_cycle_sms = true;
  for (const char* name : {"drain", "switch"})
    for (const GpuDescription& gpu : {timed, cycle})
      EXPECT_EQ(PolicyCatalogue::instance().misfit(Preemption::kDecision, {name, {}}, gpu), "") << name;
}

TEST(Preemption, APolicySaysWhetherItSavesBlocks) {
  EXPECT_FALSE(make_policy<Preemption>("drain")->saves());
  EXPECT_TRUE(make_policy<Preemption>("switch")->saves());
}

}  // namespace
}  // namespace heddle
