// The kernels that come with Heddle are preempted at random times on cycle SMs. Afterwards device memory has
// the same bytes as after a run without preemption, under `switch` and under `flush`. Some of the kernels use
// shared memory, barriers and atomics. Under `flush`, blocks that may not start over are drained.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "models/core/base/random.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/kernel_images.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kCyclePs = 1'000'000'000'000 / 700'000'000;  // of the GTX 480's core clock
constexpr std::uint64_t kSlack = 30'000;  // core cycles: a run ends at a multiple of 20 us

struct Outcome {
  std::string image;
  std::uint64_t core_cycles = 0;
  std::uint64_t active_cycles = 0;
  std::uint64_t saved = 0;
  std::uint64_t flushed = 0;
};

// A process that launches short kernels of higher priority, which take both SMs, at random times from a time
// before the kernel's first block until after its last one in an undisturbed run.
HostProcessSpec interruptions(const Outcome& undisturbed, Random& random) {
  ApiProgram program = synthetic("[{loop: 20, body: [{op: int_add, count: 8}]}]", {3, 96, 16, 512});
  program.name = "short";
  ApiCall launch;
  launch.kind = ApiCall::Kind::kLaunch;
  ApiCall gap;
  gap.kind = ApiCall::Kind::kCpu;
  ApiCall wait;
  wait.kind = ApiCall::Kind::kSynchronise;
  wait.stream = ApiCall::kAllStreams;
  program.calls.clear();
  const std::uint64_t window = undisturbed.active_cycles + kSlack;
  const std::uint64_t most = undisturbed.active_cycles / 2;
  for (std::uint64_t at = 0; at < window; at += gap.time_ps / kCyclePs) {
    gap.time_ps = (1 + random.below(most)) * kCyclePs;
    program.calls.insert(program.calls.end(), {gap, launch, wait});
  }
  HostProcessSpec process = process_of(std::move(program), 1, 1);
  process.start_ps = (undisturbed.core_cycles - std::min(undisturbed.core_cycles, window)) * kCyclePs;
  return process;
}

// Runs the kernel beside the process, if there is one.
Outcome outcome(const std::string& name, const std::string& preemption, const std::string& manager,
                const std::optional<HostProcessSpec>& beside = {}) {
  const Watched kernel = watched(name);
  std::vector<HostProcessSpec> processes{process_of(kernel.program, 0, 1)};
  if (beside) processes.push_back(*beside);
  const GpuSpec gpu = shared_gtx480(
      "ppq", {"sm.count=2", "policies.preemption=" + preemption, "policies.resource_manager=" + manager});
  const CycleRun result =
      run(gpu, std::move(processes), Build::kPlain, [&](Gpu&) { return kernel.images->seen.at(0); });
  EXPECT_EQ(result.failure, "") << preemption << " " << manager;
  const auto count = [&result](const char* what) {
    return result.at(fmt::format("gpu.engine.driver.{}", what));
  };
  return {result.note, result.core_cycles, result.cycles(), count("blocks_saved"),
          preemption == "flush" ? count("blocks_flushed") : 0};
}

class PreemptedKernels : public testing::TestWithParam<std::string> {};

TEST_P(PreemptedKernels, LeaveTheMemoryOfAnUndisturbedRun) {
  const std::string expected = functional_image(GetParam());
  const Outcome undisturbed = outcome(GetParam(), "drain", "static");
  EXPECT_EQ(undisturbed.image, expected);
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= cases(1); ++seed)
    for (const char* preemption : {"switch", "flush"}) {
      SCOPED_TRACE(fmt::format("{}, seed {}", preemption, seed));
      Random random(seed);
      const char* const managers[] = {"static", "wlm", "zorua"};
      const Outcome disturbed =
          outcome(GetParam(), preemption, managers[random.below(3)], interruptions(undisturbed, random));
      EXPECT_EQ(disturbed.image, expected);
      saved += disturbed.saved;
      RecordProperty(fmt::format("{}_{}", preemption, seed),
                     fmt::format("{} {}", disturbed.saved, disturbed.flushed));
    }
  EXPECT_GT(saved, 0u) << "no preemption met a running block";
}

INSTANTIATE_TEST_SUITE_P(Launches, PreemptedKernels, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace heddle::test
