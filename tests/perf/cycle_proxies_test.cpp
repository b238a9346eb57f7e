// The cost of simulating cycle SMs, in numbers that are the same on every machine: calls by the SystemC
// kernel, ticks of blocks and allocations, relative to the simulated cycles and the work done.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "models/machine/machine.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

// Returns a kernel of independent multiply-adds, in which each scheduler can issue as often as its pipelines
// accept.
ApiProgram compute(std::uint64_t blocks, int rounds) {
  return synthetic(
      "[{loop: " + std::to_string(rounds) + ", body: [{op: float_fma, count: 30, distance: 6}]}]",
      {blocks, 256});
}
// Returns a kernel that streams through global memory and uses no line twice.
ApiProgram memory(std::uint64_t blocks, int rounds) {
  return synthetic("[{loop: " + std::to_string(rounds) +
                       ", body: [{load: global, pattern: stream, region: 64MiB}, {op: float_fma}]}]",
                   {blocks, 256});
}
// Returns a kernel whose blocks have one warp each, with one load in flight.
ApiProgram latency(std::uint64_t blocks, int rounds) {
  return synthetic(
      "[{loop: " + std::to_string(rounds) +
          ", body: [{load: global, pattern: random, region: 64MiB, lines: 1, dependent: true}]}]",
      {blocks, 32});
}

double sm_cycles(const CycleRun& run, std::uint32_t sms) {
  return static_cast<double>(run.cycles()) * sms;
}
double core_ticks(const CycleRun& run) {
  return static_cast<double>(run.at("gpu.core.ticks"));
}
std::uint64_t transactions(const CycleRun& run) {
  return run.sum("gpu.sm*.loads") + run.sum("gpu.sm*.stores");
}
// Returns the calls by the SystemC kernel for all clocks of the GPU.
double calls(const CycleRun& run) {
  return static_cast<double>(run.at("gpu.core.calls"));
}

void print(const char* name, const CycleRun& run, std::uint32_t sms) {
  if (std::getenv("HEDDLE_PRINT_TABLE") == nullptr) return;
  std::printf("%-8s %8llu cycles, %.4f core ticks per SM cycle, %.4f core wakes and %.4f calls per cycle",
              name, static_cast<unsigned long long>(run.cycles()), core_ticks(run) / sm_cycles(run, sms),
              static_cast<double>(run.at("gpu.core.wakes")) / static_cast<double>(run.cycles()),
              calls(run) / static_cast<double>(run.cycles()));
  if (const auto all = static_cast<double>(transactions(run)); all > 0)
    std::printf("; per transaction %.2f core, %.2f icnt, %.2f l2, %.2f dram ticks", core_ticks(run) / all,
                static_cast<double>(run.at("gpu.icnt.ticks")) / all,
                static_cast<double>(run.at("gpu.l2.ticks")) / all,
                static_cast<double>(run.at("gpu.dram.ticks")) / all);
  std::printf("\n");
}

double per_transaction(const CycleRun& run, const char* path) {
  return static_cast<double>(run.at(path)) / static_cast<double>(transactions(run));
}

// The ratio is less than 1, because some SMs have no block towards the end. The memory path sleeps during
// this test.
TEST(CycleProxies, ABusySmIsTickedOnceACycle) {
  const CycleRun busy = run(gtx480(), compute(90, 32));
  print("compute", busy, 15);
  EXPECT_LE(core_ticks(busy) / sm_cycles(busy, 15), 1.0);
  EXPECT_GE(core_ticks(busy) / sm_cycles(busy, 15), 0.9);
  EXPECT_LE(calls(busy) / static_cast<double>(busy.cycles()), 1.0);
}

// Each SM has one warp, so that only the one load of each SM causes ticks.
TEST(CycleProxies, AWaitingSmIsNotTicked) {
  const CycleRun waiting = run(gtx480(), latency(15, 64));
  print("latency", waiting, 15);
  ASSERT_EQ(transactions(waiting), 15u * 64);
  EXPECT_LE(core_ticks(waiting) / sm_cycles(waiting, 15), 0.06);
  EXPECT_LE(per_transaction(waiting, "gpu.core.ticks"), 17.5);
  EXPECT_LE(per_transaction(waiting, "gpu.icnt.ticks"), 7.5);
  EXPECT_LE(per_transaction(waiting, "gpu.l2.ticks"), 6.2);
  EXPECT_LE(per_transaction(waiting, "gpu.dram.ticks"), 9.5);
  EXPECT_LE(calls(waiting) / static_cast<double>(waiting.cycles()), 1.1);
}

// Transactions of a stream share the ticks of SMs and crossbars.
TEST(CycleProxies, TicksPerTransactionOfAStream) {
  const CycleRun streaming = run(gtx480(), memory(90, 16));
  print("memory", streaming, 15);
  ASSERT_EQ(transactions(streaming), 90u * 8 * 16);
  EXPECT_LE(core_ticks(streaming) / sm_cycles(streaming, 15), 0.75);
  EXPECT_LE(per_transaction(streaming, "gpu.core.ticks"), 7.5);
  EXPECT_LE(per_transaction(streaming, "gpu.icnt.ticks"), 0.65);
  EXPECT_LE(per_transaction(streaming, "gpu.l2.ticks"), 5.2);
  EXPECT_LE(per_transaction(streaming, "gpu.dram.ticks"), 4.4);
  EXPECT_LE(calls(streaming) / static_cast<double>(streaming.cycles()), 2.3);
}

// With the same work per SM, eight SMs need twice as many ticks as four.
TEST(CycleProxies, TicksAreLinearInSms) {
  const CycleRun four = run(gtx480({"sm.count=4"}), compute(24, 16));
  const CycleRun eight = run(gtx480({"sm.count=8"}), compute(48, 16));
  EXPECT_NEAR(core_ticks(eight) / core_ticks(four), 2.0, 0.05);
  EXPECT_LE(calls(eight) / calls(four), 1.05);
}

TEST(CycleProxies, TicksAreLinearInWork) {
  const CycleRun once = run(gtx480(), compute(90, 16));
  const CycleRun twice = run(gtx480(), compute(90, 32));
  EXPECT_NEAR(core_ticks(twice) / core_ticks(once), 2.0, 0.05);
  // The run is long enough that the lower load of the first microseconds does not matter.
  const CycleRun streaming = run(gtx480(), memory(90, 32));
  const CycleRun streaming_twice = run(gtx480(), memory(90, 64));
  EXPECT_NEAR(core_ticks(streaming_twice) / core_ticks(streaming), 2.0, 0.2);
}

// Returns the number of allocations from `warm_us` to `end_us` of simulated time. The application must still
// be running at the end.
std::uint64_t allocations(const ApiProgram& program, std::uint64_t warm_us, std::uint64_t end_us,
                          const GpuSpec& gpu = gtx480()) {
  const std::string text = in_child([&] {
    MachineSpec spec;
    spec.gpu = gpu;
    spec.processes.push_back(process_of(program));
    spec.starvation_limit_ps = 1'000'000'000'000;
    Machine machine("machine", spec);
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(warm_us), sc_core::SC_US));
    const std::uint64_t issued = machine.kernel_log().blocks_issued(0);
    arm_allocation_counter();
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(end_us - warm_us), sc_core::SC_US));
    const std::uint64_t counted = disarm_allocation_counter();
    EXPECT_GT(machine.kernel_log().blocks_issued(0), issued) << "no block began meanwhile";
    EXPECT_FALSE(machine.done()) << "the work ended too early to say anything";
    return std::to_string(counted);
  });
  return text.empty() ? 0 : std::stoull(text);
}

TEST(CycleProxies, NothingIsAllocatedWhileSmsCompute) {
  EXPECT_EQ(allocations(compute(1500, 4), 20, 60), 0u);
}
// A partitioner that decides as fcfs-m does and asks for a sample every 100 cycles.
class Sampled final : public SmPartitioner {
 public:
  explicit Sampled(const PolicyParameters&) {}
  std::uint64_t sample_period() const override { return 100; }
  void partition(const MachineView& machine, Partition& partition) override {
    fcfs_->partition(machine, partition);
  }

 private:
  std::unique_ptr<SmPartitioner> fcfs_ = PolicyRegistry<SmPartitioner>::make({"fcfs-m", {}});
};
HEDDLE_POLICY(SmPartitioner, Sampled, "test-sampled", "fcfs-m, sampled", "this test", {});

TEST(CycleProxies, NothingIsAllocatedWhileSamplesAreTaken) {
  GpuSpec gpu = gtx480();
  gpu.policies["sm_partitioner"] = {"test-sampled", {}};
  EXPECT_EQ(allocations(memory(9000, 4), 20, 60, gpu), 0u);
}
TEST(CycleProxies, NothingIsAllocatedWhileSmsStream) {
  EXPECT_EQ(allocations(memory(9000, 4), 20, 60), 0u);
}
TEST(CycleProxies, NothingIsAllocatedWhileSmsWait) {
  EXPECT_EQ(allocations(latency(6000, 8), 20, 60), 0u);
}

}  // namespace
}  // namespace heddle::test
