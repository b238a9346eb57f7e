// The counters of a machine with cycle SMs add up: cycles, instructions, and requests from the SMs to DRAM
// and back. They do so whether blocks sleep or not, and in any order of construction.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_checks.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/random_code.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

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
    const CycleRun sleeping = run(gtx480(), program);
    const CycleRun sleepless = run(gtx480(), program, Build::kSleepless);
    expect_same(sleeping, sleepless, false);
    EXPECT_EQ(sleepless.at("gpu.core.wakes"), sleepless.core_cycles);
    EXPECT_LT(sleeping.at("gpu.core.ticks"), sleepless.at("gpu.core.ticks") / 2);
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
    expect_same(plain, run(gtx480(), program, Build::kReversed), true);
    expect_same(plain, run(gtx480(), program, Build::kSleepless), false);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
