// Preemption by switch in the whole machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/gpu/gpu.h"
#include "models/machine/machine.h"
#include "policies/preemption/i_preemption.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/policy_names.h"
#include "tests/support/zorua_applications.h"

namespace heddle::test {
namespace {

ApiProgram named(const std::string& name, ApiProgram program) {
  program.name = name;
  return program;
}

// A kernel of one long block for each of two SMs, and a short kernel of higher priority that comes later.
constexpr KernelSize kLong{2, 256, 20, 6000};
std::vector<HostProcessSpec> long_and_short() {
  std::vector<HostProcessSpec> processes{
      process_of(named("long", synthetic("[{loop: 20000, body: [{op: int_add, count: 8}]}]", kLong)), 0),
      process_of(named("short", synthetic("[{loop: 10, body: [{op: int_add, count: 8}]}]", {2, 64, 16, 0})),
                 1)};
  processes[1].start_ps = 20'000'000;
  return processes;
}

GpuSpec preempting(const std::string& preemption, std::vector<std::string> settings = {"sm.count=2"}) {
  settings.push_back("policies.preemption=" + preemption);
  return shared_gtx480("ppq", settings);
}

TEST(SwitchPreemption, TheKernelThatPreemptsStartsAfterTheStoresAndNotAfterTheBlocks) {
  const CycleRun drained = run(preempting("drain"), long_and_short());
  const CycleRun switched = run(preempting("switch"), long_and_short());
  expect_closed(drained);
  expect_closed(switched);
  const std::uint64_t drain = drained.at("applications.short.k.wait_cycles");
  const std::uint64_t wait = switched.at("applications.short.k.wait_cycles");
  EXPECT_GT(drain, 100'000u);
  EXPECT_LT(wait, 1500u);
  // Each block has 8 warps of 20 registers and a line of state, and 6000 bytes of shared memory.
  constexpr std::uint64_t kLines = 8 * (20 + 1) + 47;
  EXPECT_GT(wait, kLines);
  EXPECT_EQ(switched.sum("gpu.sm*.swap_stores"), 2 * kLines);
  EXPECT_EQ(switched.sum("gpu.sm*.swap_loads"), 2 * kLines);
  EXPECT_EQ(switched.at("gpu.engine.driver.switches"), 2u);
  EXPECT_EQ(switched.at("gpu.engine.driver.blocks_saved"), 2u);
  EXPECT_EQ(switched.sum("gpu.sm*.blocks_saved"), 2u);
  EXPECT_EQ(switched.sum("gpu.sm*.blocks_started"), 2u + 2 + 2);
  EXPECT_EQ(drained.at("gpu.engine.driver.switches"), 0u);
  EXPECT_EQ(drained.sum("gpu.sm*.swap_stores"), 0u);
  for (const char* what : {"warp_instructions", "thread_instructions", "blocks_done"})
    EXPECT_EQ(switched.sum(fmt::format("applications.long.*.{}", what)),
              drained.sum(fmt::format("applications.long.*.{}", what)))
        << what;
}

// The SM stores a line in as many cycles as the packet of a line has flits. Beyond that pass the message to
// the SM and its answer, what is in flight, and the way of the last line to DRAM and back.
TEST(SwitchPreemption, AHandOverTakesTheTrafficOfTheStateAndAFewHundredCycles) {
  for (const KernelSize& size : std::vector<KernelSize>{{1, 64, 16, 0},
                                                        {1, 256, 20, 6000},
                                                        {1, 512, 32, 16384},
                                                        {2, 512, 30, 24576},
                                                        {4, 384, 20, 12288}}) {
    SCOPED_TRACE(fmt::format("{} blocks of {} threads", size.blocks, size.threads));
    std::vector<HostProcessSpec> processes{
        process_of(named("long", synthetic("[{loop: 1000, body: [{op: int_add, count: 8}]}]", size)), 0),
        process_of(named("short", synthetic("[{loop: 10, body: [{op: int_add, count: 8}]}]", {1, 64, 16, 0})),
                   1)};
    processes[1].start_ps = 20'000'000;
    const GpuSpec gpu = preempting("switch", {"sm.count=1"});
    const CycleRun result = run(gpu, processes);
    expect_closed(result);
    const std::uint64_t lines =
        size.blocks * (size.threads / 32 * (size.registers + 1) + (size.shared_bytes + 127) / 128);
    EXPECT_EQ(result.sum("gpu.sm*.swap_stores"), lines);
    EXPECT_EQ(result.at("gpu.engine.driver.handover.switch.slices"), 1u);
    const std::uint64_t traffic = lines * gpu.memory->noc.flits(128);
    EXPECT_GE(result.at("gpu.engine.driver.handover.switch.longest"), traffic);
    EXPECT_LE(result.at("gpu.engine.driver.handover.switch.longest"), traffic + 300);
    RecordProperty(fmt::format("lines_{}", lines),
                   std::to_string(result.at("gpu.engine.driver.handover.switch.longest")));
  }
}

// Several short kernels of higher priority come one after another.
std::vector<HostProcessSpec> interrupted(ApiProgram program, std::uint64_t from_ps, std::uint64_t every_ps) {
  std::vector<HostProcessSpec> processes{process_of(std::move(program), 0, 1)};
  for (std::uint64_t i = 0; i < 6; ++i) {
    processes.push_back(
        process_of(named(fmt::format("short{}", i),
                         synthetic("[{loop: 20, body: [{op: int_add, count: 8}]}]", {3, 96, 16, 512})),
                   1, 1));
    processes.back().start_ps = from_ps + i * every_ps;
  }
  return processes;
}

std::vector<HostProcessSpec> interrupted_barriers() {
  return interrupted(shipped("barrier-heavy", {"kernels.steps.blocks=40", "kernels.steps.code[0].loop=20"}),
                     10'000'000, 9'000'000);
}

TEST(SwitchPreemption, CountersCloseAndNothingDependsOnTheOrderOfConstructionUnderEveryResourceManager) {
  for (const char* manager : {"static", "wlm", "zorua"}) {
    SCOPED_TRACE(manager);
    const GpuSpec gpu =
        preempting("switch", {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
    const CycleRun result = run(gpu, interrupted_barriers());
    expect_closed(result);
    EXPECT_EQ(result.at("applications.barrier-heavy.steps.blocks_done"), 40u);
    EXPECT_GT(result.at("gpu.engine.driver.blocks_saved"), 10u);
    EXPECT_EQ(result.sum("gpu.sm*.blocks_started"),
              result.sum("gpu.sm*.blocks_done") + result.sum("gpu.sm*.blocks_saved"));
    if (std::string(manager) != "zorua") {
      EXPECT_EQ(result.sum("gpu.sm*.swap_stores"), result.sum("gpu.sm*.swap_loads"));
    }
    const GpuSpec drain =
        preempting("drain", {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
    EXPECT_EQ(run(drain, interrupted_barriers()).sum("applications.barrier-heavy.*.thread_instructions"),
              result.sum("applications.barrier-heavy.*.thread_instructions"));
    expect_same(result, run(gpu, interrupted_barriers(), Build::kReversed), true);
    expect_same(result, run(gpu, interrupted_barriers(), Build::kSleepless), false);
  }
}

TEST(SwitchPreemption, EveryPartitionerEndsEveryKernel) {
  std::uint64_t saved = 0;
  for (const std::string& partitioner : PolicyCatalogue::instance().names(SmPartitioner::kDecision)) {
    SCOPED_TRACE(partitioner);
    const CycleRun result =
        run(shared_gtx480(partitioner, {"sm.count=3", "policies.preemption=switch"}), interrupted_barriers());
    expect_closed(result);
    EXPECT_EQ(result.sum("applications.*.*.ended"), 7u);
    saved += result.at("gpu.engine.driver.blocks_saved");
  }
  EXPECT_GT(saved, 20u);
}

TEST(SwitchPreemption, KernelsWithBlocksInSwapSpaceEndAtAHalt) {
  std::uint64_t dropped = 0;
  for (std::uint64_t window = 15'000; window < 30'000; window += 700) {
    const std::string result = in_child([window] {
      MachineSpec spec;
      spec.gpu = preempting("switch");
      spec.starvation_limit_ps = 1'000'000'000'000;
      spec.window_cycles = window;
      spec.processes = interrupted_barriers();
      for (std::uint32_t i = 0; i < spec.processes.size(); ++i) {
        spec.processes[i].number = i;
        spec.processes[i].is_halted = true;
      }
      Machine machine("machine", spec);
      machine.run();
      sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
      machine.check_conservation();
      if (!machine.failure().empty()) return machine.failure();
      if (!machine.gpu().idle()) return std::string("not idle");
      return std::to_string(machine.stats().find("gpu.engine.driver.blocks_dropped")->value());
    });
    EXPECT_TRUE(!result.empty() && result.find_first_not_of("0123456789") == std::string::npos) << result;
    dropped += std::strtoull(result.c_str(), nullptr, 10);
  }
  EXPECT_GT(dropped, 0u);
}

class SwitchedMemory : public testing::TestWithParam<Application> {};

// Returns the contents of the buffers at the end, and the blocks that were saved.
std::pair<std::string, std::uint64_t> outputs(const Application& application, const std::string& preemption,
                                              const char* manager) {
  ApiProgram program =
      load(application, {application.threads[1], application.most_registers}).application.program;
  WatchedScript::Contents contents;
  watch(program, application.outputs, contents);
  const GpuSpec gpu =
      preempting(preemption, {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
  const CycleRun result = run(gpu, interrupted(program, 20'000'000, 15'000'000), Build::kPlain, [&](Gpu&) {
    std::string bytes;
    for (const auto& [buffer, content] : contents)
      for (const std::byte byte : content) bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return bytes;
  });
  EXPECT_EQ(result.failure, "") << preemption << " " << manager;
  return {result.note, result.at("gpu.engine.driver.blocks_saved")};
}

TEST_P(SwitchedMemory, IsByteForByteWhatItIsWhenSmsAreDrained) {
  const std::string expected = outputs(GetParam(), "drain", "static").first;
  EXPECT_FALSE(expected.empty());
  for (const char* manager : {"static", "wlm", "zorua"}) {
    const auto [bytes, saved] = outputs(GetParam(), "switch", manager);
    EXPECT_TRUE(bytes == expected) << manager;
    EXPECT_GT(saved, 0u) << manager;
  }
}

INSTANTIATE_TEST_SUITE_P(, SwitchedMemory, testing::ValuesIn(kApplications),
                         [](const auto& tested) { return tested.param.launch.substr(3); });

}  // namespace
}  // namespace heddle::test
