// A periodic task of higher priority runs beside an endless job on a timed SM. The tests state in exact
// cycles how long each request of the task waits until the job has left the SM, when the job's blocks are
// drained, switched or flushed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/machine/machine.h"
#include "tests/support/k20.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kPs = 1416;  // a core cycle, 706 MHz in whole picoseconds
constexpr std::uint64_t kIssue = 10;
constexpr std::uint64_t kBlock = 100'000;   // core cycles of a block of the job
constexpr std::uint64_t kPeriod = 161'803;  // of the task: its arrivals fall on all ages of the blocks
constexpr std::uint64_t kRequests = 80;     // of the task
constexpr std::uint64_t kDram = 256;        // bytes in a core cycle
constexpr BlockShape kEight{256, 32, 0};    // 8 blocks on an SM
constexpr std::uint64_t kState =
    8 * 8 * (32 + 1) * 128;  // bytes of 8 blocks of 8 warps: registers and a line

HostProcessSpec process(std::uint32_t number, std::uint64_t blocks, std::uint64_t cycles) {
  HostProcessSpec process;
  process.number = number;
  process.priority = static_cast<std::int32_t>(number);
  process.program.name = number == 0 ? "job" : "task";
  process.program.streams = {"s"};
  ApiKernel kernel;
  kernel.name = "k";
  kernel.blocks = blocks;
  kernel.shape = kEight;
  kernel.block_cycles = cycles;
  kernel.restartable = true;
  process.program.kernels = {kernel};
  process.program.calls.resize(2);
  process.program.calls[0].kind = ApiCall::Kind::kLaunch;
  process.program.calls[1].kind = ApiCall::Kind::kSynchronise;
  return process;
}

// The job replays beside the task, whose requests all fill the SM.
MachineSpec job_and_task(const std::string& preemption) {
  MachineSpec spec;
  spec.gpu = k20_spec();
  spec.gpu.sm.count = 1;
  spec.gpu.policies["sm_partitioner"].name = "ppq";
  spec.gpu.policies["preemption"].name = preemption;
  spec.gpu.bandwidth.dram_bytes_per_second = kDram * 1e12 / kPs;
  spec.starvation_limit_ps = 1'000'000'000'000;
  spec.processes = {process(0, 800, kBlock), process(1, 8, 1000)};
  spec.processes[0].replay = true;
  RequestSpec& requests = spec.processes[1].requests.emplace();
  requests.arrivals.kind = ArrivalSpec::Kind::kPeriodic;
  requests.arrivals.least_ps = kPeriod * kPs;
  requests.arrivals.offset_ps = kBlock * kPs;
  requests.most_requests = kRequests;
  return spec;
}

// This observer records two durations for each time that the job leaves the SM: how long it took to leave,
// and how long its longest remaining block would still have run.
class Handovers final : public EngineObserver {
 public:
  std::vector<std::uint64_t> cycles, residual;
  std::uint64_t lost = 0;

  void block_issued(Cycle now, SmId, KsrId ksr, BlockId block) override { issued_[{ksr, block}] = now; }
  void block_resumed(Cycle now, SmId, KsrId ksr, BlockId block) override { issued_[{ksr, block}] = now; }
  void block_done(Cycle, SmId, KsrId ksr, BlockId block, const SmWork&) override {
    issued_.erase({ksr, block});
  }
  void block_flushed(Cycle, SmId, KsrId, BlockId, const SmWork&, std::uint64_t of) override { lost += of; }
  void slice_event(Cycle now, SliceEvent event, SmId, KsrId ksr) override {
    if (event != SliceEvent::kLeaving) return;
    Cycle youngest;
    for (const auto& [block, issued] : issued_)
      if (block.first == ksr) youngest = std::max(youngest, issued);
    residual.push_back(youngest + kIssue + kBlock - now);
  }
  void handed_over(Cycle, SmId, KsrId, HandoverWay, std::uint64_t took) override { cycles.push_back(took); }

 private:
  std::map<std::pair<KsrId, BlockId>, Cycle> issued_;  // of the blocks on the SM
};

struct Outcome {
  Handovers handovers;
};

Outcome outcome(const std::string& preemption) {
  Machine machine("machine", job_and_task(preemption));
  Outcome result;
  machine.gpu().observe(result.handovers);
  machine.run();
  EXPECT_EQ(machine.failure(), "");
  EXPECT_EQ(result.handovers.cycles.size(), kRequests) << "each request takes the SM once";
  EXPECT_EQ(result.handovers.residual.size(), kRequests);
  return result;
}

std::uint64_t most(const std::vector<std::uint64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

TEST(PeriodicPreemption, UnderDrainEachHandOverTakesTheLongestResidualBlock) {
  const Outcome result = outcome("drain");
  EXPECT_EQ(result.handovers.cycles, result.handovers.residual);
  // The worst is a block that has just been issued, and no request waits longer.
  EXPECT_GT(most(result.handovers.cycles), kBlock * 95 / 100);
  EXPECT_LE(most(result.handovers.cycles), kBlock + kIssue);
  EXPECT_LT(*std::min_element(result.handovers.cycles.begin(), result.handovers.cycles.end()), kBlock / 10);
}

// The message that tells the SM to save its blocks arrives one cycle before the issue latency has passed. The
// answer of the SM arrives one cycle after the last byte has been stored.
TEST(PeriodicPreemption, UnderSwitchEachHandOverTakesTheSavedBytesOverTheBandwidth) {
  const Outcome result = outcome("switch");
  const std::uint64_t save = kIssue + (kState + kDram - 1) / kDram;
  for (const std::uint64_t cycles : result.handovers.cycles)
    EXPECT_NEAR(static_cast<double>(cycles), static_cast<double>(save), 1);
  EXPECT_GT(most(result.handovers.residual), kBlock * 9 / 10) << "whatever the blocks have left";
}

TEST(PeriodicPreemption, UnderFlushEachHandOverTakesNothingButTheMessageToTheSmAndItsAnswer) {
  const Outcome result = outcome("flush");
  for (const std::uint64_t cycles : result.handovers.cycles) EXPECT_EQ(cycles, kIssue);
  EXPECT_GT(result.handovers.lost, 0u);
}

// A block that fills the SM has 32 warps of 64 registers. Its state comes back in 1040 cycles, or 1.5 us. A
// slice begins when the block has its state back, so that each slice gets on by its microsecond.
TEST(PeriodicPreemption, SlicesThatAreShorterThanARestoreLetBothJobsEnd) {
  MachineSpec spec = job_and_task("switch");
  spec.gpu.policies["sm_partitioner"].name = "time-slice";
  spec.gpu.policies["sm_partitioner"].parameters = {{"quantum", 1.0}, {"switch_cost", 0.0}};
  spec.processes = {process(0, 1, kBlock), process(1, 1, kBlock)};
  for (HostProcessSpec& job : spec.processes) job.program.kernels[0].shape = {1024, 64, 0};
  spec.starvation_limit_ps = 10'000'000'000;
  Machine machine("machine", spec);
  machine.run();
  EXPECT_EQ(machine.failure(), "");
}

}  // namespace
}  // namespace heddle::test
