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

TEST(Preemption, SwitchRefusesTimedSms) {
  GpuDescription timed;
  GpuDescription cycle;
  cycle.has_cycle_sms = true;
  const auto misfit = [](const char* name, const GpuDescription& gpu) {
    return PolicyCatalogue::instance().misfit(Preemption::kDecision, {name, {}}, gpu);
  };
  EXPECT_EQ(misfit("switch", timed), "switch stores the state of warps, which timed SMs do not have");
  EXPECT_EQ(misfit("switch", cycle), "");
  EXPECT_EQ(misfit("drain", timed), "");
}

}  // namespace
}  // namespace heddle
