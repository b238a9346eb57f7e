#include <gmock/gmock.h>

#include <functional>
#include <utility>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// In these machines a TPC is one SM, and a cycle of the core clock lasts one microsecond.
PolicyChoice owners(std::vector<std::int64_t> tpcs, double idle = 0, const std::string& steal = "on") {
  return {"lithos",
          {{"tpcs", IntegerLists{std::move(tpcs)}},
           {"sms_per_tpc", 1.0},
           {"idle", idle},
           {"steal", PolicyValue(steal)}}};
}

std::string misfit(const PolicyChoice& choice, std::uint32_t sms, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = sms;
  gpu.applications = applications;
  return PolicyCatalogue::instance().misfit("sm_partitioner", choice, gpu);
}

TestMachine machine_of(std::size_t sms, std::size_t contexts) {
  TestMachine machine(sms, std::vector<ContextView>(contexts));
  machine.view().core_hz = 1e6;
  return machine;
}

TEST(Lithos, OwnersHaveTheirTpcsAndAllShareWhatBelongsToNobody) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(owners({2, 1}));
  TestMachine machine = machine_of(5, 2);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:*", "0:*", "1:*", "0:* 1:*", "0:* 1:*"));
}

TEST(Lithos, TheTpcsOfAnIdleOwnerAreStolenUnlessThatIsOff) {
  TestMachine machine = machine_of(3, 2);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.slices(*PolicyRegistry<SmPartitioner>::make(owners({2, 1}))),
              ElementsAre("0:*", "0:*", "0:*"));
  EXPECT_THAT(machine.slices(*PolicyRegistry<SmPartitioner>::make(owners({2, 1}, 0, "off"))),
              ElementsAre("", "", "0:*"));
}

// A launch that has stolen SMs keeps them when their owner has work again. The next launch of the same
// application gets none of the owner's SMs.
TEST(Lithos, TheSmsOfALaunchAreFixedWhenItArrives) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(owners({1, 1}));
  TestMachine machine = machine_of(2, 2);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:*", "0:*"));
  machine.runs(0, 0, 1).runs(1, 0, 1);
  machine.kernel(0, 9);
  machine.kernel(1, 9);
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:* 1:*", "0:* 2:*"));
  EXPECT_TRUE(policy->may_hold(machine.view(), ContextId{1}, 0)) << "its first launch has it";
}

// The owner works until cycle 10. With `idle` at 20 us its TPCs may be stolen from cycle 30 on. A launch of
// another application, which owns no TPC, waits until then, and the policy wants to be asked in that cycle.
TEST(Lithos, APauseIsNoIdleness) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(owners({2, 0}, 20));
  TestMachine busy = machine_of(2, 2);
  busy.view().now = Cycle{5};
  busy.kernel(0, 9);
  busy.slices(*policy);
  EXPECT_EQ(policy->next_decision(), Cycle::never());
  TestMachine machine = machine_of(2, 2);
  machine.view().now = Cycle{10};
  machine.kernel(1, 9);
  machine.view().kernels[0].arrival = 7;  // so that this launch is not the one of the owner
  EXPECT_THAT(machine.slices(*policy), ElementsAre("", ""));
  EXPECT_EQ(policy->next_decision(), Cycle{30});
  machine.view().now = Cycle{30};
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:*", "0:*"));
  EXPECT_EQ(policy->next_decision(), Cycle::never());
}

// Each SM has room for one block. The kernel of the owner arrives in cycle 30. If another launch has stolen
// the owner's SM, the kernel waits for the blocks of that launch. Without stealing it starts at once.
TEST(Lithos, TheOwnerWaitsForWhatHasStolen) {
  for (const bool steals : {false, true}) {
    const auto policy = PolicyRegistry<SmPartitioner>::make(owners({1, 1}, 0, steals ? "on" : "off"));
    const auto drain = make_policy<Preemption>("drain");
    FakeGpu gpu(test_spec(), test_limits(1), 2, *policy, *drain);
    gpu.share_sms();
    gpu.launch(Cycle{0}, test_kernel(1, 4, 20));
    gpu.launch(Cycle{30}, test_kernel(0, 1, 10));
    gpu.run();
    EXPECT_EQ(gpu.span(KernelId{1}).first_block, Cycle{steals ? 49u : 35u});
    EXPECT_LT(gpu.span(KernelId{0}).ended, Cycle{steals ? 55u : 100u});
  }
}

// A Watch calls a function of the test for every block that the engine issues to an SM.
class Watch final : public EngineObserver {
 public:
  using See = std::function<void(SmId sm, const KernelView& kernel)>;
  Watch(FakeGpu& gpu, See see) : gpu_(gpu), see_(std::move(see)) { gpu.driver().observe(*this); }
  void block_issued(Cycle, SmId sm, KsrId ksr, BlockId) override {
    see_(sm, gpu_.driver().view().kernel(ksr));
  }

 private:
  FakeGpu& gpu_;
  See see_;
};

TEST(Lithos, EveryKernelEndsAndWithoutStealingKeepsToItsTpcs) {
  const auto drain = make_policy<Preemption>("drain");
  std::size_t runs = 0;
  std::size_t stolen = 0;
  for (std::uint64_t seed = 0; seed < cases(300) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    Random random(seed);
    std::vector<std::int64_t> tpcs;
    for (std::size_t i = 0; i < schedule.contexts.size(); ++i)
      tpcs.push_back(static_cast<std::int64_t>(random.below(3)));
    const bool steals = random.below(2) == 0;
    const PolicyChoice choice = owners(tpcs, static_cast<double>(random.below(30)), steals ? "on" : "off");
    if (!misfit(choice, schedule.sms, tpcs.size()).empty()) continue;
    const auto policy = PolicyRegistry<SmPartitioner>::make(choice);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    const Watch watch(gpu, [&](SmId sm, const KernelView& kernel) {
      std::size_t owner = 0;
      std::int64_t end = tpcs[0];
      while (end <= sm.value && ++owner < tpcs.size()) end += tpcs[owner];
      const bool is_of_another = owner < tpcs.size() && owner != kernel.context.value;
      stolen += is_of_another ? 1 : 0;
      EXPECT_TRUE(steals || !is_of_another) << "SM " << sm.value << " is of application " << owner;
    });
    gpu.driver().set_core_hz(1e6);
    gpu.share_sms();
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    for (std::size_t i = 0; i < schedule.arrivals.size(); ++i)
      ASSERT_NE(gpu.span(KernelId{i}).ended, Cycle::never()) << "kernel " << i;
    ++runs;
  }
  EXPECT_GT(runs, 20);
  EXPECT_GT(stolen, 100);
}

TEST(Lithos, TpcsThatTheGpuDoesNotHaveAreOneMessage) {
  EXPECT_EQ(misfit({"lithos", {{"tpcs", IntegerLists{{4, 3}}}}}, 13, 2), "");
  EXPECT_EQ(misfit({"lithos", {{"tpcs", IntegerLists{{4, 4}}}}}, 13, 2),
            "lithos: applications own 8 TPCs, and 13 SMs have 7 TPCs of 2");
  EXPECT_EQ(misfit(owners({1, 1, 1}), 13, 2), "lithos: tpcs names 3 applications, of which there are 2");
  EXPECT_EQ(misfit(owners({2, 0}, 0, "off"), 2, 2),
            "lithos: tpcs leave no TPC for the applications without one, which may not steal");
  EXPECT_EQ(misfit(owners({2, 0}), 2, 2), "");
}

}  // namespace
}  // namespace heddle
