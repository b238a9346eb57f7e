// Preemption by flush and by chimera: blocks are stopped at once, their work is lost, and they start over.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "tests/support/machine/sm_driver_fixture.h"
#include "tests/support/machine/test_machine.h"

namespace heddle {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

KernelLaunch restartable(KernelLaunch launch) {
  launch.restartable = true;
  return launch;
}

class SmDriverFlush : public SmDriverTest {
 protected:
  FakeGpu& preempting(const std::string& preemption, std::uint32_t slots, std::uint32_t sms,
                      SmPartitioner& partitioner, double latency = 0) {
    PolicyChoice choice{preemption, {}};
    if (latency > 0) choice.parameters["latency"] = latency;
    preemption_ = PolicyRegistry<Preemption>::make(choice);
    EngineSpec spec = test_spec(8);
    spec.save_bytes_per_cycle = 32;
    gpu_ = std::make_unique<FakeGpu>(spec, test_limits(slots), sms, partitioner, *preemption_);
    return *gpu_;
  }
  std::unique_ptr<Preemption> preemption_;
};

// A message to the SM takes 2 cycles, a set-up 4.
TEST_F(SmDriverFlush, NothingButTheMessageToTheSmPassesAndBlocksStartOverBeforeNewOnes) {
  Scripted policy(youngest);
  Log log(preempting("flush", 2, 1, policy));
  HandoverLog handovers(*gpu_);
  gpu_->launch(Cycle{0}, restartable(test_kernel(0, 3, 1000)));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_THAT(log.slices,
              ElementsAre("1 sm0 k0 set up", "5 sm0 k0 running", "100 sm0 k0 leaving", "100 sm0 k1 reserved",
                          "102 sm0 k0 freed", "102 sm0 k1 set up", "106 sm0 k1 running", "118 sm0 k1 freed",
                          "118 sm0 k0 set up", "122 sm0 k0 running", "2126 sm0 k0 freed"));
  EXPECT_THAT(handovers.lines, ElementsAre("102 flushed sm0 k0 b0 lost 97", "102 flushed sm0 k0 b1 lost 96",
                                           "122 resumed sm0 k0 b0", "123 resumed sm0 k0 b1"));
  EXPECT_THAT(handovers.handovers, ElementsAre("102 sm0 k0 flush 2"));
  EXPECT_THAT(log.issues, ElementsAre("5 sm0 k0 b0", "6 sm0 k0 b1", "106 sm0 k1 b0", "1124 sm0 k0 b2"));
  EXPECT_EQ(counter("flushes"), 1u);
  EXPECT_EQ(counter("drains"), 0u);
  EXPECT_EQ(counter("blocks_flushed"), 2u);
  EXPECT_EQ(counter("lost_cycles"), 97u + 96);
  EXPECT_EQ(counter("blocks_not_restartable"), 0u);
  EXPECT_EQ(counter("blocks_issued"), 4u);
  EXPECT_EQ(counter("blocks_done"), 4u);
  expect_rest();
}

TEST_F(SmDriverFlush, AKernelThatMayNotBeRestartedIsDrainedAndThatIsCounted) {
  Scripted policy(youngest);
  preempting("flush", 2, 1, policy);
  HandoverLog handovers(*gpu_);
  gpu_->launch(Cycle{0}, test_kernel(0, 3, 1000));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_TRUE(handovers.lines.empty());
  // The later block was issued at 6, and its end is known at 1008.
  EXPECT_THAT(handovers.handovers, ElementsAre("1008 sm0 k0 drain 908"));
  EXPECT_EQ(counter("flushes"), 0u);
  EXPECT_EQ(counter("drains"), 1u);
  EXPECT_EQ(counter("blocks_not_restartable"), 2u);
  EXPECT_EQ(counter("lost_cycles"), 0u);
  expect_rest();
}

TEST_F(SmDriverFlush, LatenciesAreADistributionForEachWay) {
  Scripted policy(youngest);
  preempting("drain", 1, 1, policy);
  gpu_->launch(Cycle{0}, test_kernel(0, 4, 1000));
  for (std::uint64_t i = 0; i < 3; ++i) gpu_->launch(Cycle{99 + 1200 * i}, test_kernel(1, 1, 10));
  gpu_->run();
  const Histogram& drains = gpu_->driver().handovers().latencies(HandoverWay::kDrain);
  EXPECT_EQ(drains.count(), 3u);
  EXPECT_EQ(counter("handover.drain.slices"), 3u);
  EXPECT_EQ(counter("handover.drain.cycles"), drains.sum());
  EXPECT_EQ(counter("handover.drain.longest"), drains.max());
  gpu_->driver().update_stats();
  EXPECT_EQ(counter("handover.drain.p50"), drains.quantile(0.5));
  EXPECT_EQ(drains.max(), 907u);  // the first block was issued at 5 and is done at 1007
  EXPECT_EQ(counter("handover.flush.slices"), ~std::uint64_t{0}) << "the policy never flushes";
}

TEST_F(SmDriverFlush, BlocksThatLeaveAsTheSliceReturnsStartOverThere) {
  Scripted policy([](std::size_t call, const MachineView& machine, Partition& partition) {
    if (!machine.kernels.empty()) partition.give(0, call == 1 ? KsrId{1} : machine.kernels.front().ksr);
  });
  preempting("flush", 2, 1, policy);
  HandoverLog handovers(*gpu_);
  gpu_->launch(Cycle{0}, restartable(test_kernel(0, 5, 1000)));
  gpu_->launch(Cycle{99}, test_kernel(1, 1, 10));
  gpu_->set_context(Cycle{101}, ContextId{3}, {0, 0, true});  // a scheduling point
  gpu_->run();
  EXPECT_THAT(handovers.lines, ElementsAre("102 flushed sm0 k0 b0 lost 97", "102 flushed sm0 k0 b1 lost 96",
                                           "102 resumed sm0 k0 b0", "103 resumed sm0 k0 b1"));
  EXPECT_TRUE(handovers.handovers.empty());
  expect_rest();
}

TEST_F(SmDriverFlush, AHaltedKernelWithFlushedBlocksEnds) {
  for (std::uint64_t at = 98; at < 130; ++at) {
    Scripted policy(youngest);
    preempting("flush", 2, 1, policy);
    gpu_->launch(Cycle{0}, restartable(test_kernel(0, 10, 1000)));
    gpu_->launch(Cycle{99}, test_kernel(1, 1, 500));
    gpu_->halt(Cycle{at}, ContextId{0});
    gpu_->run();
    EXPECT_LE(gpu_->span(KernelId{0}).ended, Cycle{at + 2}) << at;
    EXPECT_EQ(counter("blocks_dropped"), at <= 100 ? 0u : 2u) << at;
    expect_rest();
  }
}

// Chimera drains the old blocks, and flushes the young one. Nothing has ended, and blocks are taken to run as
// long again as they have run.
TEST_F(SmDriverFlush, ChimeraLetsTheBlocksOfASliceGoInDifferentWays) {
  Scripted policy([](std::size_t, const MachineView& machine, Partition& partition) {
    const bool takes = machine.kernels.size() > 1;
    for (const KernelView& kernel : machine.kernels)
      if (kernel.unissued > 0 && (kernel.arrival == 0) != takes) partition.give(0, kernel.ksr);
  });
  preempting("chimera", 2, 1, policy);
  HandoverLog handovers(*gpu_);
  KernelLaunch launch = restartable(test_kernel(0, 20, 1000));
  launch.jitter_permille = 900;
  launch.seed = 5;
  launch.shape.registers_per_thread = 250;
  gpu_->launch(Cycle{0}, launch);
  gpu_->launch(Cycle{4999}, test_kernel(1, 1, 10));
  gpu_->run();
  EXPECT_EQ(handovers.handovers.size(), 1u);
  EXPECT_EQ(counter("mixed_handovers") + counter("flushes") + counter("drains") + counter("switches"), 1u);
  expect_rest();
}

// The log sees what each kernel loses. On the fake GPU every end of a block, at a flush too, reports the same
// number of instructions.
TEST_F(SmDriverFlush, LosesExactlyTheWorkThatItReports) {
  std::uint64_t flushed = 0;
  for (const char* preemption : {"flush", "chimera"})
    for (std::uint64_t seed = 0; seed < cases(60); ++seed) {
      const Schedule schedule = random_schedule(seed);
      const auto policy = make_policy<SmPartitioner>(seed % 2 == 0 ? "ppq" : "token");
      preemption_ = make_policy<Preemption>(preemption);
      FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy, *preemption_);
      gpu.work_of_blocks(100);
      struct Sum final : EngineObserver {
        void block_done(Cycle, SmId, KsrId, BlockId, const SmWork& work) override {
          done += work.warp_instructions;
        }
        void block_flushed(Cycle, SmId, KsrId, BlockId, const SmWork& work, std::uint64_t cycles) override {
          lost += work.warp_instructions;
          lost_cycles += cycles;
        }
        std::uint64_t done = 0, lost = 0, lost_cycles = 0;
      } sum;
      gpu.driver().observe(sum);
      schedule.feed(gpu);
      ASSERT_NO_THROW(gpu.run()) << preemption << seed;
      std::uint64_t blocks = 0;
      for (const Schedule::Arrival& arrival : schedule.arrivals) blocks += arrival.launch.blocks;
      EXPECT_EQ(sum.done, 100 * blocks);
      EXPECT_EQ(sum.lost, 100 * gpu.blocks_flushed());
      EXPECT_EQ(sum.lost_cycles, gpu.lost_cycles());
      EXPECT_EQ(gpu.driver().lost_cycles().value(), gpu.lost_cycles());
      EXPECT_EQ(gpu.driver().blocks_flushed().value(), gpu.blocks_flushed());
      flushed += gpu.blocks_flushed();
    }
  EXPECT_GT(flushed, 100u);
}

// With random schedules under every partitioner, and a context that may be halted in any cycle, every block
// ends once, whatever was saved or flushed.
TEST_F(SmDriverFlush, NoBlockIsLostUnderAnyPartitionerAndAnyPreemption) {
  for (const std::string& preemption : PolicyCatalogue::instance().names(Preemption::kDecision)) {
    std::uint64_t left = 0;
    for (const std::string& name : PolicyCatalogue::instance().names(SmPartitioner::kDecision))
      for (std::uint64_t seed = 0; seed < cases(40); ++seed) {
        Random random(seed);
        const auto policy = make_policy<SmPartitioner>(name);
        preempting(preemption, static_cast<std::uint32_t>(1 + random.below(3)), 3, *policy,
                   preemption == "chimera" ? 20 : 0);
        gpu_->share_sms();
        gpu_->swap_in(1 + random.below(40));
        for (std::uint32_t i = 0; i < 3; ++i)
          gpu_->set_context(Cycle{0}, ContextId{i}, {static_cast<std::int32_t>(random.below(3)), 1, true});
        Cycle at{0};
        std::vector<std::uint32_t> contexts;
        for (int i = 0; i < 7; ++i) {
          contexts.push_back(static_cast<std::uint32_t>(random.below(3)));
          KernelLaunch launch = test_kernel(contexts.back(), 1 + random.below(20), 1 + random.below(150));
          launch.restartable = random.below(4) != 0;
          gpu_->launch(at, launch);
          at = at + random.below(80);
        }
        const bool halts = random.below(2) == 0;
        if (halts) gpu_->halt(Cycle{random.below(500)}, ContextId{0});
        ASSERT_NO_THROW(gpu_->run()) << preemption << ", " << name << ", seed " << seed;
        for (std::size_t i = 0; i < contexts.size(); ++i) {
          const KernelSpan& span = gpu_->span(KernelId{i});
          EXPECT_EQ(span.issued, span.done) << preemption << name << seed;
          if (!halts || contexts[i] != 0) {
            EXPECT_THAT(span.done, Each(1)) << preemption << name << seed;
          }
        }
        left += gpu_->blocks_saved() + gpu_->blocks_flushed();
        expect_rest();
      }
    EXPECT_EQ(left > 100, preemption != "drain") << preemption;
  }
}

}  // namespace
}  // namespace heddle
