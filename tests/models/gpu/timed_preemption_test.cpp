// Hand-overs by drain, flush and chimera in a whole GPU with timed SMs, in exact cycles.

#include <gtest/gtest.h>

#include "tests/support/k20.h"
#include "tests/support/machine/gpu_rig.h"
#include "tests/support/rig.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kIssue = 10;
constexpr std::uint64_t kLong = 400'000;
constexpr BlockShape kEight{256, 32, 0};  // 8 blocks on an SM

GpuSpec spec_of(const char* preemption, double latency = 0) {
  GpuSpec spec = k20_spec();
  spec.sm.count = 1;
  spec.policies["sm_partitioner"].name = "ppq";
  spec.policies["preemption"].name = preemption;
  if (latency > 0) spec.policies["preemption"].parameters["latency"] = latency;
  return spec;
}

// A long kernel of 12 blocks, and a short one of higher priority that comes later.
std::vector<ApiProgram> long_and_short(bool restartable) {
  std::vector<ApiProgram> programs{
      ProgramBuilder("long").launch(12, kEight, kLong).synchronise().build(),
      ProgramBuilder("short").cpu(100'000'000).launch(8, kEight, 1000).synchronise().build()};
  for (ApiKernel& kernel : programs[0].kernels) kernel.restartable = restartable;
  return programs;
}

struct Watcher : EngineObserver {
  std::vector<Cycle> issued, flushed, leaving, freed;
  std::vector<std::uint64_t> resumed, lost, handovers;
  std::vector<HandoverWay> ways;
  void block_issued(Cycle now, SmId, KsrId, BlockId) override { issued.push_back(now); }
  void block_flushed(Cycle now, SmId, KsrId, BlockId, const SmWork&, std::uint64_t cycles) override {
    flushed.push_back(now);
    lost.push_back(cycles);
  }
  void block_resumed(Cycle, SmId, KsrId, BlockId block) override { resumed.push_back(block.value); }
  void slice_event(Cycle now, SliceEvent event, SmId, KsrId) override {
    if (event == SliceEvent::kLeaving) leaving.push_back(now);
    if (event == SliceEvent::kFreed) freed.push_back(now);
  }
  void handed_over(Cycle, SmId, KsrId, HandoverWay way, std::uint64_t cycles) override {
    ways.push_back(way);
    handovers.push_back(cycles);
  }
};

// The message to the SM and its answer take the issue latency. Each block loses its time since its issue and
// starts over in order, before the four blocks that have not started.
TEST(TimedPreemption, AFlushTakesTheMessageToTheSmAndLosesWhatHasPassedSinceTheIssue) {
  GpuRig rig("rig", spec_of("flush"), long_and_short(true));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.handovers.size(), 1u);
  EXPECT_EQ(seen.ways[0], HandoverWay::kFlush);
  EXPECT_EQ(seen.handovers[0], kIssue);
  EXPECT_EQ(seen.freed[0] - seen.leaving[0], kIssue);
  ASSERT_EQ(seen.lost.size(), 8u);
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(seen.lost[i], seen.flushed[i] - seen.issued[i]);
    EXPECT_EQ(seen.resumed[i], i);
    lost += seen.lost[i];
  }
  EXPECT_EQ(rig.counter("engine.driver.lost_cycles"), lost);
  EXPECT_EQ(rig.counter("engine.driver.blocks_flushed"), 8u);
  EXPECT_EQ(rig.counter("sm0.blocks_flushed"), 8u);
  EXPECT_EQ(rig.counter("sm0.blocks_started"), 12u + 8 + 8);
  EXPECT_EQ(rig.counter("sm0.blocks_done"), 12u + 8);
  EXPECT_EQ(rig.counter("engine.driver.handover.flush.longest"), kIssue);
}

// Blocks are issued in consecutive cycles, and the last one leaves last.
TEST(TimedPreemption, ADrainTakesTheLongestResidualBlock) {
  GpuRig rig("rig", spec_of("drain"), long_and_short(true));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.handovers.size(), 1u);
  EXPECT_EQ(seen.ways[0], HandoverWay::kDrain);
  EXPECT_EQ(seen.handovers[0], (seen.issued[7] + kIssue + kLong) - seen.leaving[0]);
  EXPECT_EQ(rig.counter("engine.driver.handover.drain.longest"), seen.handovers[0]);
  EXPECT_EQ(rig.counter("engine.driver.handover.drain.slices"), 1u);
}

TEST(TimedPreemption, AKernelThatMayNotRestartIsDrained) {
  GpuRig rig("rig", spec_of("flush"), long_and_short(false));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.handovers.size(), 1u);
  EXPECT_EQ(seen.ways[0], HandoverWay::kDrain);
  EXPECT_EQ(seen.handovers[0], (seen.issued[7] + kIssue + kLong) - seen.leaving[0]);
  EXPECT_EQ(rig.counter("engine.driver.blocks_not_restartable"), 8u);
  EXPECT_EQ(rig.counter("engine.driver.lost_cycles"), 0u);
}

// No block has ended, so blocks are taken to run as long again as they have. A bound below that leaves switch
// and flush; storing costs 8 blocks of 33 KiB at 200 GB/s twice, about 1900 cycles, less than starting over.
TEST(TimedPreemption, ChimeraSavesBlocksThatAreTooOldToBeFlushed) {
  GpuRig rig("rig", spec_of("chimera", 5000), long_and_short(true));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.handovers.size(), 1u);
  EXPECT_EQ(seen.ways[0], HandoverWay::kSwitch);
  EXPECT_LE(seen.handovers[0], 5000u);
  EXPECT_EQ(rig.counter("sm0.blocks_saved"), 8u);
  EXPECT_EQ(rig.counter("engine.driver.lost_cycles"), 0u);
}

// Storing takes about 940 cycles, which is beyond the bound.
TEST(TimedPreemption, ChimeraFlushesWhereNothingElseMeetsTheBound) {
  GpuRig rig("rig", spec_of("chimera", 500), long_and_short(true));
  Watcher seen;
  rig.gpu().observe(seen);
  run_dry();
  rig.expect_complete();
  ASSERT_EQ(seen.handovers.size(), 1u);
  EXPECT_EQ(seen.ways[0], HandoverWay::kFlush);
  EXPECT_EQ(seen.handovers[0], kIssue);
}

}  // namespace
}  // namespace heddle::test
