// The use of the units, registers and shared memory of the GPU, and the misses of its caches, compared with
// closed forms.

#include <gtest/gtest.h>

#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/statistics.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kSms = 15;
constexpr std::uint64_t kBlocks = 45;
constexpr std::uint64_t kWarps = kBlocks * 4;
constexpr KernelSize kSize{kBlocks, 128, 20, 4096};

double formula(const CycleRun& result, const std::string& path) {
  return statistics_in(result.stats).at(path).value.value();
}

TEST(Utilisation, APipelineIsBusyForTheIntervalOfEachInstruction) {
  const CycleRun result =
      run(gtx480(), synthetic("[{op: float_fma, count: 40}, {op: int_mul, count: 20, distance: 4},"
                              " {op: sfu, count: 10, distance: 2}]",
                              kSize));
  const std::uint64_t sp = kWarps * (40 + 2 * 20 + 1);  // the last one is the exit
  const std::uint64_t sfu = kWarps * 8 * 10;
  EXPECT_EQ(result.sum("gpu.sm*.unit_busy.sp"), sp);
  EXPECT_EQ(result.sum("gpu.sm*.unit_busy.sfu"), sfu);
  EXPECT_EQ(result.sum("gpu.sm*.unit_busy.memory"), 0u);
  const auto sm_cycles = static_cast<double>(kSms * result.cycles());
  EXPECT_DOUBLE_EQ(formula(result, "gpu.sp_utilisation"), static_cast<double>(sp) / (2 * sm_cycles));
  EXPECT_DOUBLE_EQ(formula(result, "gpu.sfu_utilisation"), static_cast<double>(sfu) / sm_cycles);
}

TEST(Utilisation, TheMemoryUnitIsBusyForEachPassAndEachLine) {
  const CycleRun result =
      run(gtx480(), synthetic("[{load: shared, conflicts: 4, count: 3},"
                              " {load: global, pattern: strided, stride: 32B, region: 1MiB}]",
                              {kSms, 32, 20, 4096}));
  EXPECT_EQ(result.sum("gpu.sm*.unit_busy.memory"), kSms * (3 * 4 + 8));  // there are enough MSHRs
}

TEST(Utilisation, RegistersAndSharedMemoryAreHeldAsLongAsBlocksAreResident) {
  const CycleRun result = run(gtx480(), synthetic("[{op: float_fma, count: 400}]", kSize));
  const std::uint64_t blocks = result.sum("gpu.sm*.block_cycles");
  EXPECT_EQ(result.sum("gpu.sm*.register_cycles"), blocks * 4 * 640);  // 20 x 32 registers in units of 64
  EXPECT_EQ(result.sum("gpu.sm*.shared_cycles"), blocks * 4096);
  const auto sm_cycles = static_cast<double>(kSms * result.cycles());
  EXPECT_DOUBLE_EQ(formula(result, "gpu.registers_utilisation"),
                   static_cast<double>(blocks * 4 * 640) / (sm_cycles * 32768));
  EXPECT_DOUBLE_EQ(formula(result, "gpu.shared_memory_utilisation"),
                   static_cast<double>(blocks * 4096) / (sm_cycles * 49152));
}

TEST(Utilisation, SchedulableWarpsAreThoseOfAnSmInTheMean) {
  const CycleRun result = run(gtx480(), synthetic("[{op: float_fma, count: 400}]", kSize));
  const auto sm_cycles = static_cast<double>(kSms * result.cycles());
  const auto schedulable = static_cast<double>(result.sum("gpu.sm*.schedulable_warps"));
  EXPECT_DOUBLE_EQ(formula(result, "gpu.schedulable_warps"), schedulable / sm_cycles);
  EXPECT_LE(formula(result, "gpu.schedulable_warps"), 12);  // three blocks of four warps on an SM
  EXPECT_GT(formula(result, "gpu.schedulable_warps"), 10);  // an SM is empty at the start and the end alone
}

// Blocks hold more registers than an SM has, so that some are in swap space.
TEST(Utilisation, HitRatesAreOfAllSmsWhereTheManagerMaps) {
  const ApiProgram program =
      synthetic("[{op: float_fma, count: 400, distance: 4}]", {kBlocks, 768, 32, 4096});
  const CycleRun result = run(gtx480({"policies.resource_manager=zorua"}), program);
  ASSERT_EQ(result.failure, "");
  const std::string registers = "gpu.sm*.resources.registers.";
  EXPECT_GT(result.sum(registers + "accesses"), result.sum(registers + "on_chip"));
  EXPECT_DOUBLE_EQ(formula(result, "gpu.registers_hit_rate"),
                   static_cast<double>(result.sum(registers + "on_chip")) /
                       static_cast<double>(result.sum(registers + "accesses")));
  EXPECT_EQ(statistics_in(run(gtx480(), program).stats).count("gpu.registers_hit_rate"), 0u);
}

TEST(Misses, AStreamMissesEachOfItsLinesOnce) {
  const CycleRun result =
      run(gtx480(), synthetic("[{load: global, pattern: stream, region: 90KiB, count: 4, to: x},"
                              " {store: global, pattern: stream, region: 90KiB, count: 4, from: x}]",
                              kSize));
  constexpr std::uint64_t kLines = kWarps * 4;  // 90 KiB; as many lines are written
  const std::uint64_t missed = result.sum("gpu.l2_*.lines_missed");
  EXPECT_EQ(missed, 2 * kLines + 1);  // the last one holds the ten instructions
  EXPECT_EQ(result.sum("applications.*.*.l2.lines_missed"), missed);
  EXPECT_EQ(result.sum("gpu.sm*.l2_misses"), missed) << "each answer told its SM";
  const std::uint64_t instructions = kWarps * 9;
  EXPECT_DOUBLE_EQ(formula(result, "gpu.l2_mpki"), 1000.0 * static_cast<double>(missed) / instructions);
  EXPECT_DOUBLE_EQ(formula(result, "gpu.l2_miss_rate"),
                   static_cast<double>(missed) / static_cast<double>(result.sum("gpu.l2_*.requests")));
  EXPECT_DOUBLE_EQ(formula(result, "gpu.l1_miss_rate"), 1);
}

}  // namespace
}  // namespace heddle::test
