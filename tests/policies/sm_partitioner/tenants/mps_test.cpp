#include <gmock/gmock.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

PolicyChoice mps(std::vector<std::int64_t> percents, const std::string& acts_on, double granularity = 1,
                 const std::string& sets = "apart") {
  return {"mps",
          {{"active_threads", IntegerLists{std::move(percents)}},
           {"acts_on", acts_on},
           {"granularity", granularity},
           {"sets", sets}}};
}

std::string misfit(const PolicyChoice& choice, std::size_t applications) {
  GpuDescription gpu;
  gpu.sms = 13;
  gpu.applications = applications;
  return PolicyCatalogue::instance().misfit("sm_partitioner", choice, gpu);
}

// Returns the SMs of each of two clients on a GPU of ten, as "0..2 3..7".
std::string sms_of_clients(const PolicyChoice& choice) {
  TestMachine machine(10, {{}, {}});
  machine.kernel(0, 99);
  machine.kernel(1, 99);
  std::vector<std::string> sets(2);
  const auto slices = machine.slices(*PolicyRegistry<SmPartitioner>::make(choice));
  for (std::size_t sm = 0; sm < slices.size(); ++sm)
    for (std::size_t client = 0; client < 2; ++client)
      if (slices[sm].find(fmt::format("{}:", client)) != std::string::npos)
        sets[client] += fmt::format("{}", sm);
  return fmt::format("{} {}", sets[0], sets[1]);
}

TEST(Mps, APercentageOfSmsIsRoundedUpAndSetsOverlapOnlyBeyondTheWholeGpu) {
  EXPECT_EQ(sms_of_clients(mps({30, 50}, "sms")), "012 34567");
  EXPECT_EQ(sms_of_clients(mps({25, 50}, "sms")), "012 34567");
  EXPECT_EQ(sms_of_clients(mps({25, 50}, "sms", 2)), "0123 456789");
  EXPECT_EQ(sms_of_clients(mps({70, 50}, "sms")), "0123456 01789");
  EXPECT_EQ(sms_of_clients(mps({70, 50}, "sms", 1, "same")), "0123456 01234");
  EXPECT_EQ(sms_of_clients(mps({PolicyValue::kAll, 20}, "sms")), "0123456789 01");
}

TEST(Mps, APercentageOfThreadsLimitsTheBlocksOnEverySm) {
  TestMachine machine(2, {{}, {}, {}});
  machine.kernel(0, 9, 8);  // a block has an eighth of the threads
  machine.kernel(1, 9, 2);
  machine.kernel(2, 9, 2);
  const auto policy = PolicyRegistry<SmPartitioner>::make(mps({60, 30}, "threads"));
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:4 1:1 2:*", "0:4 1:1 2:*"));
}

TEST(Mps, KernelsOfOneClientShareItsThreadsInOrderOfArrival) {
  TestMachine machine(1, {{}, {}});
  machine.kernel(0, 0, 8);
  machine.kernel(0, 9, 8);
  machine.kernel(0, 9, 8);
  machine.runs(0, 0, 3);
  const auto policy = PolicyRegistry<SmPartitioner>::make(mps({50}, "threads"));
  EXPECT_THAT(machine.slices(*policy), ElementsAre("0:4 1:1"));
}

TEST(Mps, NothingIsReservedForAClientWithoutWork) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(mps({50, 100}, "threads"));
  const auto drain = make_policy<Preemption>("drain");
  FakeGpu gpu(test_spec(), test_limits(4), 1, *policy, *drain);
  gpu.share_sms();
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(1, 4, 40, 256));
  gpu.launch(Cycle{0}, test_kernel(0, 3, 20, 256));
  gpu.run();
  // Client 1 has the whole SM until its first block ends. Client 0 is at its limit with two blocks.
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k0 b2", "8 sm0 k0 b3",
                                      "47 sm0 k1 b0", "48 sm0 k1 b1", "69 sm0 k1 b2"));
}

TEST(Mps, AClientAtItsLimitLeavesTheRestToAYoungerOne) {
  const auto policy = PolicyRegistry<SmPartitioner>::make(mps({50}, "threads"));
  const auto drain = make_policy<Preemption>("drain");
  FakeGpu gpu(test_spec(), test_limits(4), 1, *policy, *drain);
  gpu.share_sms();
  const Log log(gpu);
  gpu.launch(Cycle{0}, test_kernel(0, 3, 40, 256));
  gpu.launch(Cycle{0}, test_kernel(1, 2, 60, 256));
  gpu.run();
  EXPECT_THAT(log.issues,
              ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k1 b0", "8 sm0 k1 b1", "47 sm0 k0 b2"));
}

TEST(Mps, PercentagesThatCannotBeAreOneMessage) {
  EXPECT_EQ(misfit(mps({50, 60}, "sms"), 2), "");
  EXPECT_EQ(misfit(mps({50, 0}, "sms"), 2), "mps: active_threads gives application 1 nothing");
  EXPECT_EQ(misfit(mps({50, 60}, "sms"), 1),
            "mps: active_threads names 2 applications, of which there are 1");
  EXPECT_EQ(misfit({"mps", {{"active_threads", IntegerLists{{1}, {2}}}}}, 2),
            "mps: active_threads is one list of percentages by application, and 2 are given");
  EXPECT_THROW(PolicyRegistry<SmPartitioner>::make(mps({101}, "sms")), PolicyError);
}

// Checks at every issue that the blocks of each client stay within its share of the SM's threads.
class WithinShares final : public EngineObserver {
 public:
  WithinShares(FakeGpu& gpu, std::vector<std::uint32_t> most) : most_(std::move(most)), gpu_(gpu) {
    gpu.driver().observe(*this);
  }
  std::uint64_t full = 0;  // issues after which a client has no room for another such block

  void block_issued(Cycle now, SmId sm, KsrId ksr, BlockId) override {
    const KsrFile& ksrs = gpu_.driver().ksrs();
    const std::uint32_t client = ksrs[ksr].launch.context.value;
    std::uint32_t threads = 0;
    std::uint32_t blocks = 0;
    for (const SliceEntry& entry : gpu_.driver().smsrs()[sm.value].slices)
      if (ksrs[entry.slice.kernel].launch.context.value == client) {
        threads += entry.running * ksrs[entry.slice.kernel].need.threads;
        blocks += entry.running;
      }
    ASSERT_TRUE(blocks == 1 || threads <= most_[client])
        << "cycle " << now.value << ": client " << client << " has " << threads << " of " << most_[client];
    full += threads + ksrs[ksr].need.threads > most_[client] ? 1 : 0;
  }

 private:
  const std::vector<std::uint32_t> most_;
  FakeGpu& gpu_;
};

TEST(MpsProperty, NoClientHasMoreThreadsOnAnSmThanItsShare) {
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t full = 0;
  for (std::uint64_t seed = 0; seed < cases(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Random random(seed);
    std::vector<std::int64_t> percents;
    std::vector<std::uint32_t> most;
    for (std::size_t i = 0; i < schedule.contexts.size(); ++i) {
      percents.push_back(static_cast<std::int64_t>(1 + random.below(100)));
      most.push_back(static_cast<std::uint32_t>(percents.back()) * schedule.limits.threads / 100);
    }
    const auto policy = PolicyRegistry<SmPartitioner>::make(mps(percents, "threads"));
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    gpu.share_sms();
    const WithinShares check(gpu, most);
    schedule.feed(gpu);
    gpu.run();
    full += check.full;
  }
  EXPECT_GT(full, 300);
}

}  // namespace
}  // namespace heddle
