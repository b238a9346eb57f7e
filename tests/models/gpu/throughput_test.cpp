// Rates of the GTX 480, from the difference of two run lengths on one SM, and the cost of memory instructions
// in closed form.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

// Returns the cycles for each instruction of a warp. A round has 64 of them and three instructions of the
// loop.
double cycles_each(const std::string& operation, std::uint32_t warps, std::uint32_t distance,
                   const std::string& warp_scheduler = "gto") {
  const auto cycles = [&](int rounds) {
    const ApiProgram program =
        synthetic(fmt::format("[{{loop: {}, body: [{{op: {}, count: 64, distance: {}}}]}}]", rounds,
                              operation, distance),
                  {1, 32 * warps, 20, 0});
    return static_cast<double>(run(gtx480({"policies.warp_scheduler=" + warp_scheduler}), program).cycles());
  };
  return (cycles(24) - cycles(8)) / 16 / 64 / warps;
}

// The warps issue in turn, so that some warp always has its operands.
TEST(Gtx480Throughput, UnitsKeepTheirInitiationIntervals) {
  const auto interval = [](const char* operation) { return cycles_each(operation, 32, 8, "lrr"); };
  EXPECT_NEAR(interval("sfu"), 8, 0.1);           // one pipeline
  EXPECT_NEAR(interval("double"), 8, 0.1);        // the same pipeline
  EXPECT_NEAR(interval("double_div"), 130, 0.1);  // the same pipeline
  EXPECT_NEAR(interval("int_mul"), 1, 0.05);      // an interval of 2 on two pipelines
  EXPECT_NEAR(interval("float_div"), 2, 0.05);    // an interval of 4 on two pipelines
}

TEST(Gtx480Throughput, ADependentInstructionFollowsItsLatencyAndSixCyclesLater) {
  EXPECT_NEAR(cycles_each("int_add", 1, 1), 10.2, 0.1);
  EXPECT_NEAR(cycles_each("move", 1, 1), 7.2, 0.1);
  EXPECT_NEAR(cycles_each("float_fma", 1, 1), 11.2, 0.1);
  EXPECT_NEAR(cycles_each("sfu", 1, 1), 14, 0.15);
  EXPECT_NEAR(cycles_each("float_div", 1, 1), 45, 0.1);
  EXPECT_NEAR(cycles_each("double_div", 1, 1), 336, 0.1);
}

// The reference values are cycles of 32 warps for one instruction each, from GPGPU-Sim 4.2 with SM2_GTX480.
TEST(Gtx480Throughput, ThirtyTwoWarpsIssueAsInTheReference) {
  for (const auto& [operation, measured] : {std::pair{"int_add", 21.4},
                                            {"int_mul", 32.2},
                                            {"int_mad", 23.6},
                                            {"float_fma", 24.3},
                                            {"sfu", 255.0}})
    EXPECT_NEAR(32 * cycles_each(operation, 32, 1), measured, 0.12 * measured) << operation;
}

// 3 blocks of 4 warps, with 8 visits per warp.
constexpr std::uint64_t kInstructions = 3 * 4 * 8;

CycleRun run_memory(const std::string& entry) {
  return run(gtx480(), synthetic(fmt::format("[{{loop: 8, body: [{{{}}}]}}]", entry), {3, 128, 16, 8192}));
}

TEST(Gtx480Coalescing, AStridedLoadThroughL1AsksForEachLineItTouches) {
  for (const std::uint64_t stride : {4, 8, 16, 32, 64, 128, 256, 512}) {
    const CycleRun result =
        run_memory(fmt::format("load: global, pattern: strided, stride: {}B, region: 16MiB", stride));
    const std::uint64_t lines = std::min<std::uint64_t>(32, stride * 32 / 128);
    EXPECT_EQ(result.sum("applications.*.*.sm.l1_accesses"), kInstructions * lines) << stride;
    EXPECT_EQ(result.sum("applications.*.*.sm.l1_misses"), kInstructions * lines) << stride;
    EXPECT_EQ(result.sum("applications.*.*.sm.loads"), kInstructions * lines) << stride;
    // Each instruction has four sectors.
    EXPECT_EQ(result.sum("applications.*.*.l2.accesses"),
              4 * kInstructions * lines + 4 * result.sum("gpu.sm*.fetch_misses"))
        << stride;
  }
}

TEST(Gtx480Coalescing, AStridedLoadPastL1AsksForEachRunOfSectorsItTouches) {
  for (const std::uint64_t stride : {4, 8, 16, 32, 64, 128, 256, 512}) {
    const CycleRun result = run_memory(
        fmt::format("load: global, pattern: strided, stride: {}B, region: 16MiB, bypass_l1: true", stride));
    const std::uint64_t requests = stride <= 32 ? stride * 32 / 128 : 32;
    const std::uint64_t sectors = std::min<std::uint64_t>(32, stride * 32 / 32);
    EXPECT_EQ(result.sum("applications.*.*.sm.loads"), kInstructions * requests) << stride;
    EXPECT_EQ(result.sum("applications.*.*.l2.accesses"),
              kInstructions * sectors + 4 * result.sum("gpu.sm*.fetch_misses"))
        << stride;
  }
}

TEST(Gtx480Coalescing, AStridedStoreWritesEachRunOfSectorsOnce) {
  for (const std::uint64_t stride : {4, 8, 32, 64, 256}) {
    const CycleRun result =
        run_memory(fmt::format("store: global, pattern: strided, stride: {}B, region: 16MiB", stride));
    EXPECT_EQ(result.sum("applications.*.*.sm.stores"),
              kInstructions * (stride <= 32 ? stride * 32 / 128 : 32))
        << stride;
  }
}

TEST(Gtx480SharedMemory, AConflictOfNLanesTakesNPasses) {
  for (const std::uint64_t conflicts : {1, 2, 4, 8, 16, 32}) {
    const CycleRun result = run_memory(fmt::format("load: shared, conflicts: {}", conflicts));
    EXPECT_EQ(result.sum("applications.*.*.sm.shared_passes"), kInstructions * conflicts);
    EXPECT_EQ(result.sum("applications.*.*.sm.shared_conflicts"), kInstructions * (conflicts - 1));
  }
}

}  // namespace
}  // namespace heddle::test
