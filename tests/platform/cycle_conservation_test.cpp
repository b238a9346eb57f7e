// What a machine with cycle SMs counts closes: cycles, instructions, requests from the SMs to DRAM and back.
// And it does so whether blocks sleep or not, and whatever the order they were built in.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/cycle_machine.h"
#include "tests/support/random_code.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSms = 15;

std::map<std::string, ApiProgram> reduced() {
  return {
      {"compute-heavy", shipped("compute-heavy", {"kernels.fma.blocks=37", "kernels.fma.code[2].loop=2"})},
      {"cache-bound", shipped("cache-bound", {"kernels.walk.blocks=31", "kernels.walk.code[0].loop=12"})},
      {"bandwidth-bound", shipped("bandwidth-bound", {"kernels.triad.code[0].loop=1"})},
      {"latency-bound", shipped("latency-bound", {"kernels.chase.code[0].loop=8"})},
      {"shared-bound",
       shipped("shared-bound", {"kernels.transpose.blocks=33", "kernels.transpose.code[4].loop=3"})},
      {"divergent", shipped("divergent", {"kernels.tree.blocks=17", "kernels.tree.code[0].loop=1"})},
      {"barrier-heavy",
       shipped("barrier-heavy", {"kernels.steps.blocks=47", "kernels.steps.code[0].loop=4"})},
      {"atomic-histogram", shipped("atomic-histogram", {"kernels.count.code[0].loop=1"})}};
}

void expect_cycles_accounted(const CycleRun& run) {
  for (std::uint32_t sm = 0; sm < kSms; ++sm)
    for (const char* who : {"cycles", "scheduler0", "scheduler1"})
      EXPECT_EQ(run.sum(fmt::format("gpu.sm{}.{}.*", sm, who)), run.core_cycles) << sm << who;
}

void expect_kernels_close(const CycleRun& run) {
  for (const char* what :
       {"blocks", "warp_instructions", "thread_instructions", "shared_passes", "shared_conflicts",
        "l1_accesses", "l1_hits", "l1_merges", "l1_misses", "constant_misses", "loads", "stores", "atomics",
        "load_instructions", "load_latency"})
    EXPECT_EQ(run.sum(fmt::format("gpu.kernels.ksr*.{}", what)), run.sum(fmt::format("gpu.sm*.{}", what)))
        << what;
  EXPECT_EQ(run.sum("gpu.sm*.issued.*"), run.sum("gpu.sm*.warp_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.warp_instructions"), run.sum("gpu.sm*.warp_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.thread_instructions"), run.sum("gpu.sm*.thread_instructions"));
  EXPECT_EQ(run.sum("applications.*.*.blocks_done"), run.sum("gpu.sm*.blocks"));
  EXPECT_EQ(run.sum("gpu.sm*.l1_accesses"),
            run.sum("gpu.sm*.l1_hits") + run.sum("gpu.sm*.l1_merges") + run.sum("gpu.sm*.l1_misses"));
  for (const char* what : {"accesses", "hits", "misses"})
    EXPECT_EQ(run.sum(fmt::format("gpu.l2_*.ksr*.{}", what)), run.sum(fmt::format("gpu.l2_*.{}", what)))
        << what;
  EXPECT_EQ(run.sum("gpu.l2_*.no_kernel.accesses"), 0u);
}

void expect_requests_conserved(const CycleRun& run) {
  const std::uint64_t sent =
      run.sum("gpu.sm*.loads") + run.sum("gpu.sm*.stores") + run.sum("gpu.sm*.fetch_misses");
  EXPECT_EQ(run.at("gpu.crossbar.requests.packets"), sent);
  EXPECT_EQ(run.sum("gpu.l2_*.requests"), sent);
  EXPECT_EQ(run.sum("gpu.l2_*.replies"), sent);
  EXPECT_EQ(run.at("gpu.crossbar.replies.packets"), sent);
  EXPECT_EQ(run.sum("gpu.l2_*.atomics"), run.sum("gpu.sm*.atomics"));
  EXPECT_EQ(run.sum("gpu.l2_*.accesses"), run.sum("gpu.l2_*.hits") + run.sum("gpu.l2_*.misses"));
  EXPECT_EQ(run.sum("gpu.l2_*.fill_bytes"), 64 * run.sum("gpu.l2_*.fills"));
  EXPECT_EQ(run.sum("gpu.dram*.reads"), run.sum("gpu.l2_*.fills"));
  EXPECT_EQ(run.sum("gpu.dram*.writes"), run.sum("gpu.l2_*.write_backs"));
  EXPECT_EQ(run.sum("gpu.dram*.commands.RD") + run.sum("gpu.dram*.commands.RDA"), run.sum("gpu.dram*.reads"));
  EXPECT_EQ(run.sum("gpu.dram*.commands.WR") + run.sum("gpu.dram*.commands.WRA"),
            run.sum("gpu.dram*.writes"));
  EXPECT_EQ(
      run.sum("gpu.dram*.row_hits") + run.sum("gpu.dram*.row_misses") + run.sum("gpu.dram*.row_conflicts"),
      run.sum("gpu.dram*.reads") + run.sum("gpu.dram*.writes"));
}

void expect_closed(const CycleRun& run) {
  ASSERT_EQ(run.failure, "");
  expect_cycles_accounted(run);
  expect_kernels_close(run);
  expect_requests_conserved(run);
}

// All counters but those that say how often somebody was woken.
std::map<std::string, std::uint64_t> behaviour(const CycleRun& run) {
  std::map<std::string, std::uint64_t> counters = run.counters;
  for (const char* domain : {"core", "pcie", "icnt", "l2", "dram"})
    for (const char* what : {"ticks", "wakes"})
      EXPECT_EQ(counters.erase(fmt::format("gpu.{}.{}", domain, what)), 1u);
  return counters;
}

void expect_same(const CycleRun& left, const CycleRun& right) {
  const auto one = behaviour(left);
  const auto other = behaviour(right);
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [path, value] : one) EXPECT_EQ(other.at(path), value) << path;
}

TEST(CycleConservation, CountersCloseForEveryShippedKernel) {
  for (const auto& [name, program] : reduced()) {
    SCOPED_TRACE(name);
    expect_closed(run(gtx480(), program));
  }
}

TEST(CycleConservation, SleepingBlocksChangesNothing) {
  for (const auto& [name, program] : reduced()) {
    if (name == "compute-heavy" || name == "bandwidth-bound") continue;
    SCOPED_TRACE(name);
    expect_same(run(gtx480(), program), run(gtx480(), program, Build::kSleepless));
  }
}

TEST(CycleConservation, CountersCloseForRandomKernelsHoweverTheyAreBuiltAndTicked) {
  const std::uint64_t first = 1;
  for (std::uint64_t seed = first; seed < first + cases(12); ++seed) {
    const std::string code = RandomCode(seed, RandomCode::Memory::kAll).with_barriers(2);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, code));
    const ApiProgram program = synthetic(code, {5, 80, 63, 2048});
    const CycleRun plain = run(gtx480(), program);
    expect_closed(plain);
    EXPECT_EQ(run(gtx480(), program, Build::kReversed).stats, plain.stats);
    expect_same(plain, run(gtx480(), program, Build::kSleepless));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
