// Preemption by flush and by chimera in the whole machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "models/gpu/gpu.h"
#include "policies/preemption/i_preemption.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/policy_names.h"
#include "tests/support/test_size.h"
#include "tests/support/zorua_applications.h"

namespace heddle::test {
namespace {

ApiProgram named(const std::string& name, ApiProgram program) {
  program.name = name;
  return program;
}

ApiProgram restartable(ApiProgram program, bool is_restartable = true) {
  for (ApiKernel& kernel : program.kernels) kernel.restartable = is_restartable;
  return program;
}

GpuSpec preempting(const std::string& preemption, std::vector<std::string> settings = {"sm.count=2"}) {
  settings.push_back("policies.preemption=" + preemption);
  return shared_gtx480("ppq", settings);
}

// A kernel of one long block for each of two SMs, and a short kernel of higher priority that comes later.
constexpr const char* kLongCode = "[{loop: 20000, body: [{op: int_add, count: 8}]}]";
std::vector<HostProcessSpec> long_and_short(bool is_restartable) {
  std::vector<HostProcessSpec> processes{
      process_of(named("long", restartable(synthetic(kLongCode, {2, 256, 20, 6000}), is_restartable)), 0),
      process_of(named("short", synthetic("[{loop: 10, body: [{op: int_add, count: 8}]}]", {2, 64, 16, 0})),
                 1)};
  processes[1].start_ps = 20'000'000;
  return processes;
}

TEST(FlushPreemption, TheKernelThatPreemptsWaitsForNothingAndTheLostWorkIsAllTheDifference) {
  const CycleRun drained = run(preempting("drain"), long_and_short(true));
  const CycleRun flushed = run(preempting("flush"), long_and_short(true));
  expect_closed(drained);
  expect_closed(flushed);
  EXPECT_LT(flushed.at("applications.short.k.wait_cycles") + 100'000,
            drained.at("applications.short.k.wait_cycles"));
  EXPECT_EQ(flushed.at("gpu.engine.driver.flushes"), 2u);
  EXPECT_EQ(flushed.at("gpu.engine.driver.blocks_flushed"), 2u);
  EXPECT_EQ(flushed.sum("gpu.sm*.blocks_flushed"), 2u);
  EXPECT_EQ(flushed.sum("gpu.sm*.blocks_started"), 2u + 2 + 2);
  EXPECT_EQ(flushed.at("gpu.engine.driver.handover.flush.slices"), 2u);
  // A message to the SM, what is in flight, and the answer.
  EXPECT_LT(flushed.at("gpu.engine.driver.handover.flush.longest"), 200u);
  EXPECT_EQ(flushed.at("applications.long.k.blocks_flushed"), 2u);
  EXPECT_GT(flushed.at("applications.long.k.lost_warp_instructions"), 1000u);
  EXPECT_EQ(flushed.at("applications.long.k.lost_cycles"), flushed.at("gpu.engine.driver.lost_cycles"));
  for (const char* what : {"warp_instructions", "thread_instructions"})
    EXPECT_EQ(flushed.at(fmt::format("applications.long.k.{}", what)),
              drained.at(fmt::format("applications.long.k.{}", what)) +
                  flushed.at(fmt::format("applications.long.k.lost_{}", what)))
        << what;
  EXPECT_EQ(flushed.at("applications.long.k.blocks_done"), 2u);
}

TEST(FlushPreemption, AKernelThatMayNotRestartDrains) {
  const CycleRun drained = run(preempting("drain"), long_and_short(false));
  const CycleRun flushed = run(preempting("flush"), long_and_short(false));
  EXPECT_EQ(flushed.cycles(), drained.cycles());
  EXPECT_EQ(flushed.at("gpu.engine.driver.blocks_flushed"), 0u);
  EXPECT_EQ(flushed.at("gpu.engine.driver.blocks_not_restartable"), 2u);
  EXPECT_EQ(flushed.at("gpu.engine.driver.handover.drain.slices"), 2u);
}

// Several short kernels of higher priority come one after another.
std::vector<HostProcessSpec> interrupted(ApiProgram program, std::uint64_t from_ps, std::uint64_t every_ps,
                                         std::uint64_t seed = 0) {
  std::vector<HostProcessSpec> processes{process_of(std::move(program), 0, 1)};
  Random random(seed);
  for (std::uint64_t i = 0; i < 6; ++i) {
    processes.push_back(
        process_of(named(fmt::format("short{}", i),
                         synthetic("[{loop: 20, body: [{op: int_add, count: 8}]}]", {3, 96, 16, 512})),
                   1, 1));
    processes.back().start_ps = from_ps + i * every_ps + (seed > 0 ? random.below(every_ps) : 0);
  }
  return processes;
}

std::vector<HostProcessSpec> interrupted_barriers() {
  return interrupted(
      restartable(shipped("barrier-heavy", {"kernels.steps.blocks=40", "kernels.steps.code[0].loop=20"})),
      10'000'000, 9'000'000);
}

TEST(FlushPreemption, CountersCloseAndNothingDependsOnTheOrderOfConstruction) {
  for (const char* preemption : {"flush", "chimera"})
    for (const char* manager : {"static", "wlm", "zorua"}) {
      SCOPED_TRACE(fmt::format("{} {}", preemption, manager));
      const GpuSpec gpu =
          preempting(preemption, {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
      const CycleRun result = run(gpu, interrupted_barriers());
      expect_closed(result);
      EXPECT_EQ(result.at("applications.barrier-heavy.steps.blocks_done"), 40u);
      if (std::string(preemption) == "flush") {
        EXPECT_GT(result.at("gpu.engine.driver.blocks_flushed"), 5u);
      }
      EXPECT_EQ(result.sum("gpu.sm*.blocks_started"), result.sum("gpu.sm*.blocks_done") +
                                                          result.sum("gpu.sm*.blocks_saved") +
                                                          result.sum("gpu.sm*.blocks_flushed"));
      const GpuSpec drain =
          preempting("drain", {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
      EXPECT_EQ(run(drain, interrupted_barriers()).sum("applications.barrier-heavy.*.thread_instructions") +
                    result.at("applications.barrier-heavy.steps.lost_thread_instructions"),
                result.sum("applications.barrier-heavy.*.thread_instructions"));
      expect_same(result, run(gpu, interrupted_barriers(), Build::kReversed), true);
      expect_same(result, run(gpu, interrupted_barriers(), Build::kSleepless), false);
    }
}

TEST(FlushPreemption, EveryPartitionerEndsEveryKernel) {
  std::uint64_t flushed = 0;
  for (const std::string& partitioner : PolicyCatalogue::instance().names(SmPartitioner::kDecision))
    for (const char* preemption : {"flush", "chimera"}) {
      SCOPED_TRACE(partitioner + preemption);
      const CycleRun result =
          run(shared_gtx480(partitioner, {"sm.count=3", fmt::format("policies.preemption={}", preemption)}),
              interrupted_barriers());
      expect_closed(result);
      EXPECT_EQ(result.sum("applications.*.*.ended"), 7u);
      flushed += result.at("gpu.engine.driver.blocks_flushed");
    }
  EXPECT_GT(flushed, 20u);
}

struct Outcome {
  std::string bytes;  // of the buffers at the end
  std::uint64_t flushed = 0;
  std::uint64_t saved = 0;
};

Outcome outcome(const Application& application, const std::string& preemption, const char* manager,
                std::uint64_t seed) {
  ApiProgram program =
      load(application, {application.threads[1], application.most_registers}).application.program;
  WatchedScript::Contents contents;
  watch(program, application.outputs, contents);
  const GpuSpec gpu =
      preempting(preemption, {"sm.count=2", fmt::format("policies.resource_manager={}", manager)});
  const CycleRun result =
      run(gpu, interrupted(program, 20'000'000, 15'000'000, seed), Build::kPlain, [&](Gpu&) {
        std::string bytes;
        for (const auto& [buffer, content] : contents)
          for (const std::byte byte : content) bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
        return bytes;
      });
  EXPECT_EQ(result.failure, "") << preemption << " " << manager;
  const bool flushes = preemption == "flush" || preemption == "chimera";
  return {result.note, flushes ? result.at("gpu.engine.driver.blocks_flushed") : 0,
          result.at("gpu.engine.driver.blocks_saved")};
}

// Kernels of PTX are preempted at random times. Those whose blocks may not start over drain.
TEST(FlushPreemption, MemoryIsByteForByteThatOfAnUndisturbedRun) {
  std::uint64_t flushed = 0;
  std::uint64_t saved = 0;
  Random random(3);
  for (const Application& application : kApplications) {
    SCOPED_TRACE(application.launch);
    const std::string expected = outcome(application, "drain", "static", 0).bytes;
    EXPECT_FALSE(expected.empty());
    for (std::uint64_t seed = 1; seed <= cases(1); ++seed)
      for (const char* preemption : {"switch", "flush", "chimera"}) {
        const char* const managers[] = {"static", "wlm", "zorua"};
        const char* manager = managers[random.below(3)];
        const Outcome result = outcome(application, preemption, manager, seed);
        EXPECT_TRUE(result.bytes == expected) << preemption << " " << manager << " " << seed;
        flushed += result.flushed;
        saved += result.saved;
      }
  }
  EXPECT_GT(flushed, 10u);
  EXPECT_GT(saved, 10u);
}

}  // namespace
}  // namespace heddle::test
