#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

PolicyChoice sizes(std::vector<std::int64_t> sms, double minimum = 2, double multiple = 2,
                   const std::string& remainder = "others") {
  return {"green-context",
          {{"sms", IntegerLists{std::move(sms)}},
           {"minimum", minimum},
           {"multiple", multiple},
           {"remainder", remainder}}};
}

std::vector<std::string> slices(const PolicyChoice& choice, std::size_t sms) {
  TestMachine machine(sms, {{}, {}, {}});
  for (std::uint32_t context = 0; context < 3; ++context) machine.kernel(context, 99);
  return machine.slices(*PolicyRegistry<SmPartitioner>::make(choice));
}

std::string misfit(const PolicyChoice& choice, std::uint32_t sms, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = sms;
  gpu.applications = applications;
  return PolicyCatalogue::instance().misfit("sm_partitioner", choice, gpu);
}

TEST(GreenContext, SizesAreRoundedUpAndTheRestIsForApplicationsWithoutASize) {
  EXPECT_THAT(slices(sizes({1, 3}), 8), ElementsAre("0:*", "0:*", "1:*", "1:*", "1:*", "1:*", "2:*", "2:*"));
  EXPECT_THAT(slices(sizes({PolicyValue::kAll, 2}), 4), ElementsAre("1:*", "1:*", "0:* 2:*", "0:* 2:*"));
}

// The minima and multiples that the driver's manual states.
TEST(GreenContext, GranularitiesOfComputeCapabilities) {
  const auto set_of_five = [](double minimum, double multiple) {
    std::size_t own = 0;
    for (const std::string& sm : slices(sizes({5}, minimum, multiple), 20)) own += sm == "0:*" ? 1 : 0;
    return own;
  };
  EXPECT_EQ(set_of_five(1, 1), 5u);  // 6.x
  EXPECT_EQ(set_of_five(2, 2), 6u);  // 7.x
  EXPECT_EQ(set_of_five(4, 2), 6u);  // 8.x
  EXPECT_EQ(set_of_five(8, 8), 8u);  // 9.0 and later
}

TEST(GreenContext, ASharedRemainderIsForEveryApplicationBesideItsOwnSet) {
  EXPECT_THAT(slices(sizes({2, 2}, 2, 2, "shared"), 5),
              ElementsAre("0:*", "0:*", "1:*", "1:*", "0:* 1:* 2:*"));
}

TEST(GreenContext, SetsThatDoNotFitAreOneMessage) {
  EXPECT_EQ(misfit(sizes({5, 5}), 12, 2), "");
  EXPECT_EQ(misfit(sizes({5, 5}), 11, 2),
            "green-context: sms take 12 SMs after rounding up, and the GPU has 11");
  EXPECT_EQ(misfit(sizes({5, 5}), 12, 3),
            "green-context: sms leave no SM for the applications without a size");
  EXPECT_EQ(misfit(sizes({5, 0}), 12, 2), "green-context: sms gives application 1 no SM");
  EXPECT_EQ(misfit(sizes({5, 5}), 12, 1), "green-context: sms names 2 applications, of which there are 1");
  EXPECT_EQ(misfit({"green-context", {{"sms", IntegerLists{{1}, {2}}}}}, 12, 2),
            "green-context: sms is one list of sizes by application, and 2 are given");
}

// The blocks of context 0 by SM and cycle, beside the other contexts or alone.
class IssuesOfContext0 final : public EngineObserver {
 public:
  explicit IssuesOfContext0(FakeGpu& gpu) : gpu_(gpu) { gpu.driver().observe(*this); }
  std::vector<std::string> issues;
  std::uint64_t others = 0;

  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId block) override {
    const KernelLaunch& launch = gpu_.driver().ksrs()[ksr].launch;
    if (launch.context.value == 0)
      issues.push_back(fmt::format("{} sm{} seed {} b{}", now.value, sm.value, launch.seed, block.value));
    else
      ++others;
  }

 private:
  FakeGpu& gpu_;
};

// On timed SMs nothing but SMs is shared, so that sets of SMs of their own leave no trace of a neighbour.
TEST(GreenContextProperty, AnApplicationRunsInTheSameCyclesWithNeighboursAsAlone) {
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t own = 0;
  std::uint64_t others = 0;
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    schedule.sms += 4;
    schedule.spec.ksrs = 20;  // no launch waits for another one's KSR
    const auto run = [&](bool alone) {
      const auto policy = PolicyRegistry<SmPartitioner>::make(sizes({3}));
      FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
      gpu.share_sms();
      IssuesOfContext0 log(gpu);
      for (std::uint32_t i = 0; i < schedule.contexts.size(); ++i)
        gpu.set_context(Cycle{0}, ContextId{i}, schedule.contexts[i]);
      for (const Schedule::Arrival& arrival : schedule.arrivals)
        if (!alone || arrival.launch.context.value == 0) gpu.launch(arrival.at, arrival.launch);
      gpu.run();
      others += log.others;
      return log.issues;
    };
    const std::vector<std::string> beside = run(false);
    ASSERT_EQ(beside, run(true));
    own += beside.size();
  }
  EXPECT_GT(own, 1000);
  EXPECT_GT(others, 1000);
}

}  // namespace
}  // namespace heddle
