// Simulations of pairs of Cruz et al.'s synthetic kernels on the K40. The second kernel must lose as much to
// the first as it did on a real K40.

#include <gtest/gtest.h>

#include "platforms/load/platform_loader.h"
#include "tests/support/concurrent_pairs.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

// The start of the second kernel. All blocks of the first kernel are resident by then.
constexpr std::uint64_t kStartPs = 10'000'000;

struct SyntheticPair {
  int first;            // S1; the second is S2
  std::uint64_t loops;  // of a block of the second kernel
  // Rounds of the second kernel beside the first, by equation 3.
  std::uint64_t rounds;
  std::uint64_t full_loops;  // loops of the shipped kernel
};

ApiProgram synthetic_kernel(int number, std::uint64_t loops) {
  return shipped("cruz-s" + std::to_string(number),
                 {"kernels.arithmetic.code[0].loop=" + std::to_string(loops)});
}

GpuSpec left_over_k40() {
  GpuSpec gpu = load_platform("k40");
  gpu.policies["sm_partitioner"] = {"left-over", {}};
  return gpu;
}

// Returns the core cycles from the launch of a kernel to the end of its last block.
std::uint64_t cycles_of(const CycleRun& result, const ApiProgram& program) {
  return result.at("applications." + program.name + "." + program.kernels[0].name + ".cycles");
}

// Returns the cycles of the second kernel beside the first, which runs longer, divided by its cycles alone.
double slowdown(const GpuSpec& gpu, const ApiProgram& first, const ApiProgram& second) {
  std::vector<HostProcessSpec> processes{process_of(first), process_of(second)};
  processes[1].start_ps = kStartPs;
  const CycleRun alone = run(gpu, second);
  const CycleRun both = run(gpu, processes);
  EXPECT_EQ(alone.failure + both.failure, "");
  EXPECT_GT(cycles_of(both, first), cycles_of(both, second));
  return static_cast<double>(cycles_of(both, second)) / static_cast<double>(cycles_of(alone, second));
}

class CruzPairs : public testing::TestWithParam<SyntheticPair> {};

TEST_P(CruzPairs, SlowTheSecondDownAsOnTheK40) {
  const SyntheticPair pair = GetParam();
  const std::uint64_t loops = full_size() ? pair.full_loops : pair.loops;
  const double simulated =
      slowdown(left_over_k40(), synthetic_kernel(pair.first, pair.rounds * loops * 11 / 10),
               synthetic_kernel(pair.first + 1, loops));
  const double measured = cruz()["pairs"][pair.first / 2][3].as<double>();
  EXPECT_NEAR(simulated / measured, 1, 0.05) << simulated << " for " << measured;
}

INSTANTIATE_TEST_SUITE_P(Table3, CruzPairs,
                         testing::Values(SyntheticPair{1, 10, 45, 50}, SyntheticPair{3, 50, 3, 250},
                                         SyntheticPair{5, 50, 2, 250}, SyntheticPair{7, 6, 32, 30},
                                         SyntheticPair{9, 15, 4, 75}, SyntheticPair{11, 25, 3, 125}),
                         [](const auto& pair) { return "S" + std::to_string(pair.param.first); });

// HS3 alone takes four rounds of blocks, and five rounds beside PFL. Any further slowdown is caused by
// memory.
TEST(CruzContention, SlowsHs3DownTheMoreTrafficPflHas) {
  GpuSpec gpu = left_over_k40();
  gpu.engine.block_placement = BlockPlacement::kPacked;
  const ApiProgram hs3 = shipped("cruz-hs3", {"kernels.hotspotOpt1.blocks=360"});
  const auto beside = [&](const std::string& pfl) {
    return slowdown(gpu, shipped(pfl, {"kernels.KernelFindIndex.code[0].loop=400"}), hs3);
  };
  const double none = beside("cruz-pfl-cached");
  const double some = beside("cruz-pfl");
  const double more = beside("cruz-pfl-scattered");
  EXPECT_LT(none, 1.3);
  EXPECT_GT(some, 1.25 * 1.2);
  EXPECT_GT(more, some * 1.2);
}

}  // namespace
}  // namespace heddle::test
