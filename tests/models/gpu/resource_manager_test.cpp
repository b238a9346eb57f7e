// What a kernel gains where warps, and not blocks, hold registers and slots, and where these may be in swap
// space.

#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

const std::string kWlm = "policies.resource_manager=wlm";

GpuSpec with_zorua(GpuSpec gpu, const std::map<std::string, PolicyValue>& parameters) {
  gpu.policies[ResourceManager::kDecision] = PolicyChoice{"zorua", parameters};
  return gpu;
}

// Chains of loads, so that time goes down with warps.
ApiProgram chases(const std::string& end, const KernelSize& size) {
  return synthetic(
      "[{loop: 20, body: [{load: global, pattern: random, region: 64KiB, lines: 1}, " + end + "]}]", size);
}

double ratio(const ApiProgram& program, const std::string& setting) {
  const CycleRun by_block = run(gtx480({"sm.count=2"}), program);
  const CycleRun by_warp = run(gtx480({"sm.count=2", setting}), program);
  EXPECT_EQ(by_block.failure + by_warp.failure, "");
  return static_cast<double>(by_block.cycles()) / static_cast<double>(by_warp.cycles());
}

void expect_equal(const CycleRun& first, const CycleRun& second) {
  EXPECT_EQ(first.cycles(), second.cycles());
  for (const char* counters : {"gpu.sm*.cycles.*", "gpu.sm*.shared_cycles", "gpu.sm*.schedulable_warps",
                               "gpu.sm*.load_latency", "gpu.dram*.reads"})
    EXPECT_EQ(first.sum(counters), second.sum(counters)) << counters;
}

// A block has 24 warps of 32 registers, of which 32 warps fit.
TEST(ResourceManager, WarpsOfAFurtherBlockUseRegistersThatAreTooFewForAllOfIt) {
  const KernelSize size{40, 768, 32, 0};
  EXPECT_GT(ratio(chases("{op: float_fma}", size), kWlm), 1.2);
}

TEST(ResourceManager, ABarrierMakesThemWaitForTheRestOfTheirBlock) {
  const KernelSize size{40, 768, 32, 0};
  const double without = ratio(chases("{op: float_fma}", size), kWlm);
  const double with = ratio(chases("{barrier: 0}", size), kWlm);
  EXPECT_LT(with, without);
}

TEST(ResourceManager, AllGiveTheSameCountersWhereAllBlocksFitAtOnce) {
  const ApiProgram program = chases("{op: float_fma}", {8, 256, 16, 1024});
  const std::vector<std::string> roomy{"sm.count=2", "sm.warps=64", "sm.threads=2048", "sm.registers=65536"};
  const CycleRun first = run(gtx480(roomy), program);
  std::vector<std::string> with_wlm = roomy;
  with_wlm.push_back(kWlm);
  for (const GpuSpec& by_warp : {gtx480(with_wlm), with_zorua(gtx480(roomy), {{"mapping_cycles", 0}})}) {
    const CycleRun second = run(by_warp, program);
    EXPECT_EQ(first.failure + second.failure, "");
    expect_equal(first, second);
  }
}

// A block has two warps of 60 registers, of which 17 warps fit, so that warps wait. There are more slots than
// logical warps in the 16 logical blocks, so that both ask for the same blocks: wlm also asks for a block of
// which some warps have no slot yet.
TEST(ResourceManager, ZoruaThatNeverOversubscribesIsWlmWithLongerPipelines) {
  const ApiProgram program = chases("{op: float_fma}", {80, 64, 60, 0});
  const CycleRun first = run(gtx480({"sm.count=2", kWlm, "pipeline.dispatch_latency=4cycles",
                                     "load_store.latency=4cycles", "shared_memory.latency=28cycles"}),
                             program);
  const CycleRun second = run(
      with_zorua(gtx480({"sm.count=2"}), {{"threshold", 0}, {"threshold_step", 0}, {"floor", 0}}), program);
  EXPECT_EQ(first.failure + second.failure, "");
  expect_equal(first, second);
  EXPECT_EQ(second.sum("gpu.sm*.swap_loads"), 0u);
}

// The kernel needs registers, shared memory and slots for twice the warps that an SM holds.
TEST(ResourceManager, TheTrafficOfSwapSpaceClosesFromTheSpilledSetsToDram) {
  const ApiProgram program = synthetic(
      "[{loop: 6, body: [{store: shared}, {barrier: 0}, {load: shared}, "
      "{load: global, pattern: random, region: 4MiB, lines: 1}, {op: float_fma, count: 8}]}]",
      {24, 512, 60, 20 * 1024});
  const CycleRun zorua_run = run(
      with_zorua(gtx480({"sm.count=2", "caches.l1.size=16KiB", "l2.sets=8"}), {{"threshold", 0.5}}), program);
  ASSERT_EQ(zorua_run.failure, "");
  const auto sum = [&](const std::string& path) { return zorua_run.sum("gpu." + path); };
  const auto off_chip = [&](const std::string& resource) {
    return sum("sm*.resources." + resource + ".accesses") - sum("sm*.resources." + resource + ".on_chip");
  };
  EXPECT_GT(sum("sm*.resources.registers.stored"), 0u);
  EXPECT_GT(sum("sm*.resources.shared_memory.stored"), 0u);
  EXPECT_GT(off_chip("registers"), 0u);
  EXPECT_GT(off_chip("shared_memory"), 0u);
  // A set of registers has four lines and one of shared memory eight. An access to a register in swap space
  // is one line. An access to shared memory there is at most a line for each lane.
  const std::uint64_t of_sets = 4 * (sum("sm*.resources.registers.stored")) +
                                8 * sum("sm*.resources.shared_memory.stored") +
                                sum("sm*.resources.slots.stored") + sum("sm*.resources.slots.loaded");
  const std::uint64_t lines = sum("sm*.swap_loads") + sum("sm*.swap_stores");
  EXPECT_GE(lines, of_sets + off_chip("registers") + off_chip("shared_memory"));
  EXPECT_LE(lines, of_sets + off_chip("registers") + 32 * off_chip("shared_memory"));
  EXPECT_EQ(sum("sm*.swap_requests"), sum("l2_*.swap_requests"));
  EXPECT_GT(sum("l2_*.swap_fills"), 0u);
  EXPECT_EQ(sum("l2_*.swap_fills"), sum("dram*.swap_reads"));
  EXPECT_EQ(sum("l2_*.swap_write_backs"), sum("dram*.swap_writes"));
}

TEST(ResourceManager, ZoruaMapsNothingToFaultyResources) {
  const ApiProgram program = chases("{op: float_fma}", {8, 768, 32, 0});
  const auto registers_in_use = [&program](double faulty) {
    GpuSpec gpu = with_zorua(gtx480({"sm.count=1"}), {{"threshold", 0}, {"threshold_step", 0}, {"floor", 0}});
    gpu.sm.faults.registers = faulty;
    const CycleRun result = run(gpu, program);
    EXPECT_EQ(result.failure, "");
    return static_cast<double>(result.sum("gpu.sm*.register_cycles")) /
           static_cast<double>(result.sum("gpu.sm*.busy_cycles"));
  };
  EXPECT_GT(registers_in_use(0), 0.75 * 32768);
  const double half = registers_in_use(0.5);
  EXPECT_LE(half, 0.5 * 32768);
  EXPECT_GT(half, 0.4 * 32768);
}

TEST(ResourceManager, StaticAndWlmCannotKeepBlocksFromFaultyResources) {
  for (const std::string manager : {"static", "wlm"}) {
    try {
      gtx480({"sm.faults.warp_slots=0.1", "policies.resource_manager=" + manager});
      ADD_FAILURE() << manager;
    } catch (const config::Error& error) {
      EXPECT_NE(std::string(error.what()).find(manager + " cannot keep blocks from faulty resources"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(ResourceManager, ResultsAreTheSameWhereAllModulesAreTickedInEveryCycle) {
  const ApiProgram program = synthetic(
      "[{loop: 4, body: [{store: shared}, {barrier: 0}, {op: fence}, "
      "{load: global, pattern: random, region: 4MiB, lines: 1}, {op: float_fma, count: 8}]}]",
      {16, 512, 60, 20 * 1024});
  const GpuSpec gpu = with_zorua(gtx480({"sm.count=2"}), {{"threshold", 0.5}});
  const CycleRun plain = run(gpu, program);
  EXPECT_EQ(plain.failure, "");
  for (const Build build : {Build::kSleepless, Build::kReversed}) {
    const CycleRun other = run(gpu, program, build);
    EXPECT_EQ(other.failure, "");
    expect_equal(plain, other);
    for (const char* counters : {"gpu.sm*.resources.*.*", "gpu.sm*.swap_*", "gpu.dram*.swap_*"})
      EXPECT_EQ(plain.sum(counters), other.sum(counters)) << counters;
  }
}

}  // namespace
}  // namespace heddle::test
