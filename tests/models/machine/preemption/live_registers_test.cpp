// Preemption by switch that saves live registers alone, in the whole machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stimuli/launch/launch_application.h"
#include "tests/support/launch_rig.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

GpuSpec preempting(const std::string& registers) {
  return shared_gtx480("ppq",
                       {"sm.count=2", "policies.preemption={name: switch, registers: " + registers + "}"});
}

// A kernel of higher priority comes while the first one is on all SMs.
std::vector<HostProcessSpec> interrupted(ApiProgram program, std::uint64_t at_ps) {
  ApiProgram urgent = synthetic("[{loop: 10, body: [{op: int_add, count: 8}]}]", {2, 64, 16, 0});
  urgent.name = "urgent";
  std::vector<HostProcessSpec> processes{process_of(std::move(program), 0), process_of(std::move(urgent), 1)};
  processes[1].start_ps = at_ps;
  return processes;
}

std::vector<HostProcessSpec> interrupted_ptx() {
  return interrupted(load_launch_application(kLaunches + "matrix_multiply_register_blocked.yaml", {"k=96"})
                         .application.program,
                     60'000'000);
}

TEST(LiveRegisters, WhatIsSavedAndWhatIsDeadAreWhatAWholeSaveStores) {
  const CycleRun all = run(preempting("all"), interrupted_ptx());
  const CycleRun live = run(preempting("live"), interrupted_ptx());
  expect_closed(all);
  expect_closed(live);
  const std::string driver = "gpu.engine.driver.";
  ASSERT_EQ(live.at(driver + "blocks_saved"), all.at(driver + "blocks_saved"));
  ASSERT_GT(live.at(driver + "blocks_saved"), 0u);
  const std::uint64_t saved = live.at(driver + "saved_bytes");
  const std::uint64_t dead = live.at(driver + "dead_bytes");
  EXPECT_GT(dead, 0u);
  EXPECT_EQ(live.at(driver + "whole_warps"), 0u);
  // All lanes of a warp are on one path, and 8256 bytes of shared memory fill 65 lines but for 64 bytes.
  const std::uint64_t rest = 64 * live.at(driver + "blocks_saved");
  EXPECT_EQ(saved + rest, 128 * live.sum("gpu.sm*.swap_stores"));
  EXPECT_EQ(saved + rest, 128 * live.sum("gpu.sm*.swap_loads"));
  EXPECT_EQ(saved + dead + rest, 128 * all.sum("gpu.sm*.swap_stores"));
  EXPECT_LT(live.at(driver + "handover.switch.longest"), all.at(driver + "handover.switch.longest"));
  EXPECT_EQ(all.counters.count(driver + "saved_bytes"), 0u);
  for (const char* what : {"warp_instructions", "thread_instructions", "blocks_done"})
    EXPECT_EQ(live.sum(fmt::format("applications.matrix_multiply_register_blocked.*.{}", what)),
              all.sum(fmt::format("applications.matrix_multiply_register_blocked.*.{}", what)))
        << what;
}

TEST(LiveRegisters, NothingDependsOnTheOrderOfConstruction) {
  const CycleRun live = run(preempting("live"), interrupted_ptx());
  expect_same(live, run(preempting("live"), interrupted_ptx(), Build::kReversed), true);
  expect_same(live, run(preempting("live"), interrupted_ptx(), Build::kSleepless), false);
}

TEST(LiveRegisters, ASyntheticKernelSavesAllItsRegisters) {
  const auto processes = [] {
    return interrupted(synthetic("[{loop: 20000, body: [{op: int_add, count: 8}]}]", {2, 256, 20, 6000}),
                       20'000'000);
  };
  const CycleRun all = run(preempting("all"), processes());
  const CycleRun live = run(preempting("live"), processes());
  EXPECT_EQ(live.sum("gpu.sm*.swap_stores"), all.sum("gpu.sm*.swap_stores"));
  EXPECT_EQ(live.at("gpu.engine.driver.whole_warps"), 2u * 8);
  EXPECT_EQ(live.at("gpu.engine.driver.dead_bytes"), 0u);
  EXPECT_EQ(live.core_cycles, all.core_cycles);
}

}  // namespace
}  // namespace heddle::test
