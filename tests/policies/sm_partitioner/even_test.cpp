#include "policies/sm_partitioner/even.h"

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// ---- the paper's table

class WarpedSlicerTables : public testing::Test {
 protected:
  WarpedSlicerTables() {
    const YAML::Node sm = paper_["sm"];
    limits_.threads = limits_.threads_per_block = sm["threads"].as<std::uint32_t>();
    limits_.warps = sm["warps"].as<std::uint32_t>();
    limits_.registers = limits_.registers_per_thread = sm["registers"].as<std::uint32_t>();
    limits_.shared_bytes = sm["shared_bytes"].as<std::uint32_t>();
    limits_.block_slots = sm["block_slots"].as<std::uint32_t>();
  }
  BlockShape shape(const std::string& kernel) const {
    const YAML::Node needs = paper_["kernels"][kernel];
    return {needs["threads"].as<std::uint32_t>(), needs["registers"].as<std::uint32_t>(),
            needs["shared_bytes"].as<std::uint32_t>()};
  }

  const YAML::Node paper_ =
      YAML::LoadFile(heddle::test::source_directory() + "/tests/data/papers/warped_slicer.yaml");
  SmLimits limits_;
};

TEST_F(WarpedSlicerTables, TheKernelsFillAnSmAlone) {
  ASSERT_EQ(paper_["kernels"].size(), 10);
  for (const auto& kernel : paper_["kernels"]) {
    const std::string name = kernel.first.as<std::string>();
    EXPECT_EQ(residency_of(shape(name), limits_).blocks, kernel.second["resident"].as<std::uint32_t>())
        << name;
  }
}

TEST_F(WarpedSlicerTables, EveryEvenEntryFollowsFromTheResources) {
  ASSERT_EQ(paper_["even"].size(), 30);
  const auto policy = make_policy<SmPartitioner>("even");
  for (const auto& entry : paper_["even"]) {
    const std::string pair = entry.first.as<std::string>();
    TestMachine machine(1, {{}, {}});
    machine.view().limits = limits_;
    for (const std::string& name : {pair.substr(0, pair.find('_')), pair.substr(pair.find('_') + 1)}) {
      const int kernel = machine.kernel(0, 999);
      machine.view().kernels[static_cast<std::size_t>(kernel)].block = resources_of(shape(name), limits_);
    }
    const auto blocks = entry.second.as<std::vector<std::uint32_t>>();
    EXPECT_THAT(machine.slices(*policy), ElementsAre(fmt::format("0:{} 1:{}", blocks[0], blocks[1]))) << pair;
  }
}

// ---- shares

std::vector<std::string> decide(const TestMachine& machine) {
  return machine.slices(*make_policy<SmPartitioner>("even"));
}

TEST(Even, AShareIsRoundedDownInEveryResource) {
  const SmLimits limits{100, 50, 32, 1000, 1, 700, 1, 0, 8, 0, 0};
  EXPECT_EQ(Even::quota({1, 1, 1, 1, 1}, limits, 3), 2);    // 8 slots for 3 kernels
  EXPECT_EQ(Even::quota({17, 1, 1, 1, 1}, limits, 3), 1);   // 33 threads for each kernel
  EXPECT_EQ(Even::quota({1, 9, 1, 1, 1}, limits, 3), 1);    // 16 warps for each kernel
  EXPECT_EQ(Even::quota({1, 1, 334, 1, 1}, limits, 3), 0);  // 333 registers for each kernel
  EXPECT_EQ(Even::quota({1, 1, 333, 1, 1}, limits, 3), 1);
  EXPECT_EQ(Even::quota({1, 1, 1, 234, 1}, limits, 3), 0);  // 233 bytes for each kernel
  EXPECT_EQ(Even::quota({1, 1, 1, 0, 1}, limits, 1), 8);
}

TEST(Even, KernelsShareEverySmWhateverTheirContext) {
  TestMachine machine(2, {{}, {}});
  machine.kernel(0, 9, 8);
  machine.kernel(1, 9, 4);
  machine.kernel(1, 9, 3);
  EXPECT_THAT(decide(machine), ElementsAre("0:2 1:1 2:1", "0:2 1:1 2:1"));
}

TEST(Even, AKernelWhoseShareWouldHoldNoBlockWaitsAndSoDoThoseBehindIt) {
  TestMachine machine(1, {{}});
  machine.kernel(0, 9, 8);
  machine.kernel(0, 9, 1);
  machine.kernel(0, 9, 8);
  EXPECT_THAT(decide(machine), ElementsAre("0:8"));
}

TEST(Even, AKernelWaitsThatWouldLeaveAnotherWithoutABlock) {
  TestMachine machine(1, {{}});
  machine.kernel(0, 9, 2);
  machine.kernel(0, 9, 8);
  machine.kernel(0, 9, 8);
  EXPECT_THAT(decide(machine), ElementsAre("0:1 1:4"));
}

TEST(Even, AnSmThatAKernelHasLeftIsForTheOthers) {
  TestMachine machine(2, {{}, {}});
  const int first = machine.kernel(0, 0, 8);  // every block issued
  const int second = machine.kernel(1, 9, 8);
  machine.runs(0, first, 1).runs(0, second, 4).runs(1, second, 4);
  EXPECT_THAT(decide(machine), ElementsAre("0:4 1:4", "1:8"));
}

TEST(Even, ANewKernelJoinsThoseThatRun) {
  TestMachine machine(1, {{}, {}});
  const int running = machine.kernel(1, 9, 8);
  machine.kernel(0, 9, 8);
  machine.runs(0, running, 8);
  EXPECT_THAT(decide(machine), ElementsAre("0:4 1:4"));
}

using EvenTest = SmDriverTest;

TEST_F(EvenTest, ABlockIsFollowedByOneOfItsKernelUntilThatHasNoneLeft) {
  const auto even = make_policy<SmPartitioner>("even");
  Log log(gpu(test_spec(), 4, 1, *even));
  gpu_->share_sms();
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 20));
  gpu_->launch(Cycle{0}, test_kernel(1, 5, 50));
  gpu_->run();
  // k0 leaves at 49, and k1 then has the whole SM.
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "7 sm0 k1 b0", "8 sm0 k1 b1",
                                      "27 sm0 k0 b2", "49 sm0 k1 b2", "50 sm0 k1 b3", "59 sm0 k1 b4"));
  EXPECT_EQ(counter("drains"), 0);
  expect_rest();
}

// An observer that expects after every decision that the quotas on an SM fit together.
class QuotasFit final : public EngineObserver {
 public:
  QuotasFit(FakeGpu& gpu, const SmLimits& limits) : gpu_(gpu), limits_(limits) {
    gpu.driver().observe(*this);
  }
  std::uint64_t shared = 0;  // SMs with several slices, over all decisions

  void scheduled(Cycle now) override {
    const MachineView& machine = gpu_.driver().view();
    for (const SmView& sm : machine.sms) {
      BlockResources all;
      for (const SliceView& slice : sm.slices) {
        if (slice.state == SliceState::kLeaving) continue;  // its kernel ended during the set-up
        ASSERT_GT(slice.slice.quota, 0);
        for (std::uint32_t block = 0; block < slice.slice.quota; ++block)
          all += machine.kernel(slice.slice.kernel).block;
      }
      ASSERT_TRUE(fits({}, all, limits_)) << "cycle " << now.value;
      if (sm.slices.size() > 1) ++shared;
    }
  }

 private:
  FakeGpu& gpu_;
  const SmLimits limits_;
};

TEST(EvenProperty, SharesFitTheSmTogetherAndNothingIsDrained) {
  const auto policy = make_policy<SmPartitioner>("even");
  const auto drain = make_policy<Preemption>("drain");
  std::uint64_t shared = 0;
  for (std::uint64_t seed = 0; seed < cases(300) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *drain);
    gpu.share_sms();
    QuotasFit quotas(gpu, schedule.limits);
    schedule.feed(gpu);
    gpu.run();
    EXPECT_EQ(gpu.driver().stats().find("driver.drains")->value(), 0);
    shared += quotas.shared;
  }
  EXPECT_GT(shared, 1000);
}

}  // namespace
}  // namespace heddle
