// Machines with cycle SMs give the same statistics on every number of threads of the host.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

MachineSpec machine_of(const GpuSpec& gpu, const std::vector<ApiProgram>& programs) {
  MachineSpec spec;
  spec.gpu = gpu;
  spec.starvation_limit_ps = 1'000'000'000'000;
  for (const ApiProgram& program : programs) {
    spec.processes.push_back(process_of(program));
    spec.processes.back().number = static_cast<std::uint32_t>(spec.processes.size() - 1);
  }
  return spec;
}

void expect_same(const MachineSpec& spec, const std::vector<unsigned>& threads) {
  const std::string one = statistics(spec, 1);
  EXPECT_GT(one.size(), 1000u);
  for (const unsigned more : threads) EXPECT_TRUE(statistics(spec, more) == one) << more << " threads";
}

TEST(Threads, ChangeNothingWhereMemoryIsBusy) {
  expect_same(machine_of(gtx480(), {shipped("bandwidth-bound",
                                            {"kernels.triad.code[0].loop=1", "kernels.triad.blocks=32"})}),
              {2, 3, 7});
}

TEST(Threads, ChangeNothingWithMoreThreadsThanSms) {
  expect_same(machine_of(gtx480({"sm.count=3"}), {shipped("shared-bound", {"kernels.transpose.blocks=12"})}),
              {5});
}

// A context is halted in the cycle in which its last instruction issues, whichever SM issues it.
TEST(Threads, ChangeNothingWhereAContextReachesItsTarget) {
  MachineSpec spec =
      machine_of(shared_gtx480("spatial"), {shipped("compute-heavy"), shipped("latency-bound")});
  spec.processes[0].target_instructions = 5000;
  spec.processes[0].is_halted = true;
  spec.processes[1].target_instructions = 700;
  spec.processes[1].is_halted = true;
  expect_same(spec, {2, 7});
}

// Three kernels overlap under a random partitioner, preemption and resource manager; 12 machines, or 1,040.
class RandomThreads : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomThreads, ChangeNothing) {
  const std::uint64_t machines = full_size() ? 260 : 3;
  const std::vector<unsigned> all{2, 3, 7};
  for (std::uint64_t i = 0; i < machines; ++i) {
    const std::uint64_t seed = GetParam() * machines + i;
    MachineSpec spec = random_cycle_mix(4242 + seed);
    spec.gpu.sm.count = 3 + static_cast<std::uint32_t>(seed * 7 % 11);
    SCOPED_TRACE(fmt::format("machine {}", seed));
    expect_same(spec, {all[seed % 3]});
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, RandomThreads, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace heddle::test
