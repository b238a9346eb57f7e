// Pairs of Cruz et al.'s synthetic kernels on the K40, run: what the second loses to the first is what a real
// K40 showed.

#include <gtest/gtest.h>

#include <cmath>

#include "platforms/platform_loader.h"
#include "tests/support/concurrent_pairs.h"
#include "tests/support/cycle_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kStartPs = 10'000'000;  // of the second: all blocks of the first are there

struct SyntheticPair {
  int first;                 // S1; the second is S2
  std::uint64_t loops;       // of a block of the second
  std::uint64_t rounds;      // of the second beside the first: equation 3
  std::uint64_t full_loops;  // as shipped
};

ApiProgram synthetic_kernel(int number, std::uint64_t loops) {
  return shipped("cruz-s" + std::to_string(number),
                 {"kernels.arithmetic.code[0].loop=" + std::to_string(loops)});
}

// Core cycles from its launch to its last block's end.
std::uint64_t cycles_of(const CycleRun& result, int number) {
  return result.at("applications.S" + std::to_string(number) + ".arithmetic.cycles");
}

class CruzPairs : public testing::TestWithParam<SyntheticPair> {};

TEST_P(CruzPairs, SlowTheSecondDownAsOnTheK40) {
  GpuSpec gpu = load_platform("k40");
  gpu.policies["sm_partitioner"] = {"left-over", {}};
  const SyntheticPair pair = GetParam();
  const int second = pair.first + 1;
  const std::uint64_t loops = full_size() ? pair.full_loops : pair.loops;
  const CycleRun alone = run(gpu, synthetic_kernel(second, loops));
  ASSERT_EQ(alone.failure, "");
  std::vector<HostProcessSpec> processes{
      process_of(synthetic_kernel(pair.first, pair.rounds * loops * 11 / 10)),
      process_of(synthetic_kernel(second, loops))};
  processes[1].start_ps = kStartPs;
  const CycleRun both = run(gpu, processes);
  ASSERT_EQ(both.failure, "");
  EXPECT_GT(cycles_of(both, pair.first), cycles_of(both, second));
  const double slowdown =
      static_cast<double>(cycles_of(both, second)) / static_cast<double>(cycles_of(alone, second));
  const double measured = cruz()["pairs"][pair.first / 2][3].as<double>();
  EXPECT_NEAR(slowdown / measured, 1, 0.05) << slowdown << " for " << measured;
}

INSTANTIATE_TEST_SUITE_P(Table3, CruzPairs,
                         testing::Values(SyntheticPair{1, 10, 45, 50}, SyntheticPair{3, 50, 3, 250},
                                         SyntheticPair{5, 50, 2, 250}, SyntheticPair{7, 6, 32, 30},
                                         SyntheticPair{9, 15, 4, 75}, SyntheticPair{11, 25, 3, 125}),
                         [](const auto& pair) { return "S" + std::to_string(pair.param.first); });

}  // namespace
}  // namespace heddle::test
