// Kernels of several contexts on one GPU with cycle SMs, side by side on an SM and partitioned by the
// policies.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/gpu/gpu.h"
#include "policies/sm_partitioner/demand.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/random_code.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

std::vector<HostProcessSpec> mix() {
  std::vector<HostProcessSpec> processes{
      process_of(shipped("cache-bound", {"kernels.walk.blocks=60", "kernels.walk.code[0].loop=6"}), 0, 5),
      process_of(shipped("barrier-heavy", {"kernels.steps.blocks=60", "kernels.steps.code[0].loop=4"}), 1, 5),
      process_of(shipped("atomic-histogram", {"kernels.count.code[0].loop=1"}), 0, 5)};
  processes[1].start_ps = 3'000'000;
  processes[2].start_ps = 5'000'000;
  return processes;
}

TEST(Contexts, EveryKernelEndsAndCountersCloseUnderEveryPartitioner) {
  for (const std::string& partitioner : PolicyCatalogue::instance().names(SmPartitioner::kDecision)) {
    SCOPED_TRACE(partitioner);
    const GpuSpec gpu = shared_gtx480(partitioner);
    const CycleRun together = run(gpu, mix());
    expect_closed(together);
    EXPECT_EQ(together.sum("applications.*.*.ended"), 3u);
    EXPECT_EQ(together.sum("applications.*.*.blocks_done"), 60u + 60u + 128u);
    EXPECT_EQ(together.sum("applications.*.*.sm.blocks"), 60u + 60u + 128u);
    expect_same(together, run(gpu, mix(), Build::kReversed), true);
    if (HasFailure()) return;
  }
}

TEST(Contexts, AKernelDoesTheSameWorkInCompanyAsAlone) {
  const CycleRun together = run(shared_gtx480("fixed"), mix());
  std::uint64_t cycles_alone = 0;
  for (const HostProcessSpec& process : mix()) {
    const CycleRun alone = run(shared_gtx480("fixed"), process.program);
    for (const char* what : {"warp_instructions", "thread_instructions", "blocks_done"}) {
      const std::string pattern = fmt::format("applications.{}.*.{}", process.program.name, what);
      EXPECT_EQ(together.sum(pattern), alone.sum(pattern)) << pattern;
    }
    cycles_alone += alone.sum("applications.*.*.cycles");
  }
  EXPECT_GT(together.sum("applications.*.*.cycles"), cycles_alone);
}

// A partitioner that shares every SM, and records when a context opens or closes and how many kernels exist
// then.
class Doorman final : public SmPartitioner {
 public:
  explicit Doorman(const PolicyParameters&) {}
  void partition(const MachineView& machine, Partition& partition) override {
    open_.resize(machine.contexts.size());
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (open_[i] != machine.contexts[i].open) {
        open_[i] = machine.contexts[i].open;
        notes += fmt::format("{}{} {}, ", open_[i] ? '+' : '-', i, machine.kernels.size());
      }
    share_every_sm(machine, partition);
  }
  std::string notes;

 private:
  std::vector<bool> open_;
};

HEDDLE_POLICY(SmPartitioner, Doorman, "test-doorman", "shares SMs, and watches contexts", "this test", {});

TEST(Contexts, AContextIsOpenFromItsProcesssStartToItsEnd) {
  std::vector<HostProcessSpec> processes = mix();
  for (int again = 0; again < 2; ++again) {
    const ApiCall launch = processes[1].program.calls.back();
    processes[1].program.calls.push_back(launch);
  }
  const CycleRun seen = run(shared_gtx480("test-doorman"), processes, Build::kPlain,
                            [](Gpu& machine) { return dynamic_cast<Doorman&>(machine.partitioner()).notes; });
  // Each entry ends with the number of kernels at that time.
  EXPECT_EQ(seen.note, "+0 0, +1 1, +2 2, -0 1, -1 0, -2 0, ");
  expect_closed(seen);
}

// Two instances of one program on one SM have equal virtual addresses. The 4 KiB of each fit into L1
// together.
TEST(Contexts, ProgramsWithEqualAddressesNeverHitEachOthersLines) {
  const ApiProgram walk = synthetic(
      "[{loop: 64, body: [{load: global, pattern: working_set, region: 4KiB}, "
      "{load: global, pattern: working_set, region: 4KiB, bypass_l1: true}, {load: constant, region: 2KiB, "
      "pattern: working_set}]}]",
      {4, 64, 16, 0});
  const GpuSpec gpu = shared_gtx480("fixed", {"sm.count=1"});
  const CycleRun alone = run(gpu, walk);
  EXPECT_EQ(alone.sum("applications.*.*.sm.l1_misses"), 32u);
  const CycleRun together = run(gpu, {process_of(walk), process_of(walk)});
  // Blocks of both contexts were resident on the SM at the same time.
  EXPECT_GT(together.at("gpu.sm0.block_cycles"), 6 * together.at("gpu.sm0.busy_cycles"));
  for (const char* what : {"gpu.sm0.l1_accesses", "gpu.sm0.l1_misses", "gpu.sm0.constant_misses",
                           "gpu.sm0.loads", "gpu.sm0.fetch_misses"})
    EXPECT_EQ(together.at(what), 2 * alone.at(what)) << what;
  // The L2 counters are compared by the fills from DRAM and by the sum of all other outcomes.
  EXPECT_EQ(together.sum("gpu.l2_*.accesses"), 2 * alone.sum("gpu.l2_*.accesses"));
  EXPECT_EQ(together.sum("gpu.l2_*.fills"), 2 * alone.sum("gpu.l2_*.fills"));
  EXPECT_EQ(together.sum("gpu.l2_*.hits") + together.sum("gpu.l2_*.pending_hits"),
            2 * (alone.sum("gpu.l2_*.hits") + alone.sum("gpu.l2_*.pending_hits")));
}

// The same program runs as two kernels of one context, one after another. L2 keeps the lines of the first
// kernel, and L1 drops them.
TEST(Contexts, ALaterKernelOfAContextHitsL2AndMissesL1) {
  ApiProgram twice =
      synthetic("[{loop: 32, body: [{load: global, pattern: working_set, region: 4KiB}]}]", {1, 32, 16, 0});
  const GpuSpec gpu = shared_gtx480("fixed", {"sm.count=1"});
  const CycleRun once = run(gpu, twice);
  twice.calls.push_back(twice.calls.back());
  const CycleRun both = run(gpu, twice);
  EXPECT_EQ(both.at("gpu.sm0.l1_misses"), 2 * once.at("gpu.sm0.l1_misses"));
  EXPECT_EQ(both.sum("gpu.dram*.reads"), once.sum("gpu.dram*.reads"));
}

TEST(Contexts, CountersCloseForRandomKernelsOfRandomContextsUnderRandomPolicies) {
  const std::vector<std::string> partitioners = PolicyCatalogue::instance().names(SmPartitioner::kDecision);
  const std::vector<std::string> warps = PolicyCatalogue::instance().names(WarpScheduler::kDecision);
  for (std::uint64_t seed = 1; seed < 1 + cases(10); ++seed) {
    Random random(seed);
    std::vector<HostProcessSpec> processes;
    for (std::uint64_t i = 2 + random.below(3); i > 0; --i) {
      const std::string code = RandomCode(100 * seed + i, RandomCode::Memory::kAll).with_barriers(2);
      const KernelSize size{1 + random.below(20), 32 + 16 * static_cast<std::uint32_t>(random.below(12)), 63,
                            2048};
      processes.push_back(process_of(synthetic(code, size), static_cast<std::int32_t>(random.below(2)), 1));
      processes.back().start_ps = random.below(4'000'000);
    }
    const std::string& partitioner = partitioners[random.below(partitioners.size())];
    const GpuSpec gpu =
        shared_gtx480(partitioner, {fmt::format("sm.count={}", 3 + random.below(4)),
                                    "policies.warp_scheduler=" + warps[random.below(warps.size())],
                                    fmt::format("caches.l1.mshrs={}", 2 + random.below(30)),
                                    fmt::format("caches.l1.sector={}B", 32 << random.below(3)),
                                    fmt::format("caches.l1.miss_queue={}", 1 + random.below(8)),
                                    fmt::format("l2.request_queue={}", 1 + random.below(8)),
                                    fmt::format("crossbar.input_buffer={}", 4 + random.below(8))});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, partitioner));
    const CycleRun plain = run(gpu, processes);
    expect_closed(plain);
    expect_same(plain, run(gpu, processes, Build::kReversed), true);
    expect_same(plain, run(gpu, processes, Build::kSleepless), false);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
