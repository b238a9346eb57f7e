// The estimate of concurrent kernels compared with every figure that Cruz et al. print of their own estimate.

#include "tests/support/concurrent_pairs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using test::as_printed;
using test::cruz;
using test::cruz_kernel;
using test::cruz_pair;
using test::k40;

struct Printed {
  std::string first, second, estimated;
  double actual = 0, error = 0;
};

std::vector<Printed> printed() {
  std::vector<Printed> pairs;
  for (const YAML::Node& row : cruz()["pairs"])
    pairs.push_back({row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>(),
                     row[3].as<double>(), row[4].as<double>()});
  return pairs;
}

Printed printed(const std::string& second) {
  for (const Printed& pair : printed())
    if (pair.second == second) return pair;
  throw std::invalid_argument(second);
}

bool is_exception(const Printed& pair) {
  return pair.second == "S10" || pair.second == "HS3";
}

// Registers and shared memory are allocated without granularity, as in the literal reading of Algorithm 2.
ConcurrentGpu without_granularity() {
  ConcurrentGpu gpu = k40();
  gpu.limits.register_granularity = 1;
  gpu.limits.shared_granularity = 1;
  return gpu;
}

TEST(ConcurrentTables, TheK40PlatformIsTheGpuOfTable1) {
  const GpuSpec spec = load_platform("k40");
  const SmLimits& sm = spec.sm.limits;
  const YAML::Node table = cruz()["table_1"];
  const auto stated = [&](const char* key) { return table[key].as<std::uint64_t>(); };
  EXPECT_EQ(spec.compute_capability, stated("compute_capability"));
  EXPECT_EQ(spec.sm.count, stated("sms"));
  EXPECT_EQ(sm.shared_bytes, stated("shared_bytes"));
  EXPECT_EQ(sm.registers, stated("registers"));
  EXPECT_EQ(sm.threads, stated("threads"));
  EXPECT_EQ(sm.block_slots, stated("block_slots"));
  EXPECT_EQ(sm.registers_per_thread, stated("registers_per_thread"));
  EXPECT_EQ(sm.threads_per_block, stated("threads_per_block"));
  EXPECT_EQ(spec.device_bytes >> 30, stated("device_gibibytes"));
  ASSERT_TRUE(spec.memory);
  EXPECT_EQ(std::floor(spec.memory->peak_bytes_per_second() / 1e9), stated("gigabytes_per_second"));
}

TEST(ConcurrentTables, EveryEstimateButTwoIsReproducedToThePrintedDigit) {
  std::size_t reproduced = 0;
  for (const ConcurrentGpu& gpu : {k40(), without_granularity()})
    for (const Printed& pair : printed()) {
      const PairEstimate estimate = cruz_pair(pair.first, pair.second, gpu);
      EXPECT_EQ(estimate.concurrency, Concurrency::kFromTheStart) << pair.second;
      EXPECT_EQ(estimate.contention, 1) << pair.second;
      if (is_exception(pair)) continue;
      EXPECT_EQ(as_printed(estimate.slowdown, pair.estimated), pair.estimated) << pair.second;
      ++reproduced;
    }
  EXPECT_EQ(reproduced, 2u * 11);
}

TEST(ConcurrentTables, TheSecondKernelsSlotsFollowFromThePlacement) {
  struct Slots {
    const char* first;
    const char* second;
    std::uint64_t slots;
    const char* why;
  };
  const Slots rows[] = {{"S1", "S2", 10, "13 full SMs; one of 6 blocks leaves 2; one free"},
                        {"S3", "S4", 20, "12 full; one of 4 leaves 4; two free"},
                        {"S5", "S6", 72, "10 full; one of 2 leaves 8; four free, 16 each"},
                        {"S7", "S8", 15, "11 full; one of 2 leaves 3; three free, 4 each"},
                        {"S9", "S10", 42, "4 full; one of 3 leaves 2; ten free, 4 each"},
                        {"S11", "S12", 85, "4 full; one of 3 leaves 5; ten free"},
                        {"PFL", "kNN", 96, "2 full; one of 15 leaves 128 threads, no block; twelve free"},
                        {"PFL", "LUD", 193, "twelve free, 16 each; one of 15 leaves a slot"}};
  for (const Slots& row : rows)
    EXPECT_EQ(cruz_pair(row.first, row.second).second_slots, row.slots) << row.first << ": " << row.why;
}

// Equation 2 gives a ratio of 4 rounds to 3. The error that the paper states fits 1.30 against 1.333 and not
// 4/3, so the ratio was rounded to one decimal before it was printed with two.
TEST(ConcurrentTables, S10Takes4RoundsOver3WhichThePaperRoundedTo1_3) {
  const Printed row = printed("S10");
  const PairEstimate pair = cruz_pair("S9", "S10");
  EXPECT_EQ(pair.second_limited_rounds, 4u);
  EXPECT_EQ(pair.second_rounds, 3u);
  EXPECT_EQ(fmt::format("{:.2f}", pair.slowdown), "1.33");
  EXPECT_EQ(fmt::format("{:.1f}0", pair.slowdown), row.estimated);
  EXPECT_NEAR(100 * std::abs(1.30 - row.actual) / row.actual, row.error, 0.02);
  EXPECT_LT(100 * std::abs(pair.slowdown - row.actual) / row.actual, 0.1);
}

// The printed value 1.29 = 18 / 14 requires five blocks of HS3 on an SM. The 36 registers of Table 4 allow
// six blocks with the allocation of the K40, and seven without granularity. Of all register counts, 41 to 48
// give the printed value. The paper does not state whether the estimated kernel had so many registers.
TEST(ConcurrentTables, Hs3AsPrintedNeedsFiveBlocksWhereItsRegistersAllowSixOrSeven) {
  const PairEstimate six = cruz_pair("PFL", "HS3");
  EXPECT_EQ(six.second.blocks, 6u);
  EXPECT_EQ(six.second.bound, Resource::kRegisters);
  EXPECT_DOUBLE_EQ(six.slowdown, 15.0 / 12);
  const PairEstimate seven = cruz_pair("PFL", "HS3", without_granularity());
  EXPECT_EQ(seven.second.blocks, 7u);
  EXPECT_DOUBLE_EQ(seven.slowdown, 13.0 / 10);

  std::vector<std::uint32_t> fitting;
  ConcurrentKernel hs3 = cruz_kernel("HS3");
  for (hs3.shape.registers_per_thread = 1; hs3.shape.registers_per_thread <= 255;
       ++hs3.shape.registers_per_thread) {
    if (residency_of(hs3.shape, k40().limits).blocks == 0) continue;
    const PairEstimate pair = estimate_pair(cruz_kernel("PFL"), hs3, k40());
    if (pair.second_limited_rounds == 18 && pair.second_rounds == 14)
      fitting.push_back(hs3.shape.registers_per_thread);
    EXPECT_EQ(as_printed(pair.slowdown, "1.290") == "1.290", pair.second.blocks == 5);
  }
  EXPECT_EQ(fitting, (std::vector<std::uint32_t>{41, 42, 43, 44, 45, 46, 47, 48}));
}

// The printed figures do not result from placing one block on each SM in turn.
TEST(ConcurrentTables, BlocksPlacedInTurnGiveOtherFiguresThanPrinted) {
  ConcurrentGpu gpu = k40();
  gpu.placement = BlockPlacement::kBreadth;
  const PairEstimate pair = cruz_pair("PFL", "kNN", gpu);
  ASSERT_EQ(pair.last_round.size(), 2u);
  EXPECT_EQ(pair.last_round[0].sms, 2u);
  EXPECT_EQ(pair.last_round[0].first_blocks, 4u);
  EXPECT_EQ(pair.second_slots, 15u * 6);
  EXPECT_DOUBLE_EQ(pair.slowdown, 43.0 / 32);
}

// If both kernels moved bytes at the rate of the DRAM, HS3 with its 60 % would be slowed down by 1.85, where
// 2.409 was measured. Contention for bandwidth explains a part of the difference.
TEST(ConcurrentTables, ContentionForBandwidthBringsHs3PartOfTheWayToWhatWasMeasured) {
  ConcurrentGpu gpu = k40();
  gpu.bytes_per_second = 288e9;
  ConcurrentKernel first = cruz_kernel("PFL");
  ConcurrentKernel second = cruz_kernel("HS3");
  first.bytes_per_second = 288e9;
  second.bytes_per_second = 0.6 * 288e9;  // Section 6.4.1
  const PairEstimate pair = estimate_pair(first, second, gpu);
  EXPECT_DOUBLE_EQ(pair.slowdown, 1.25);
  EXPECT_NEAR(pair.contention, 1 + 0.6 / 1.25, 1e-12);
  EXPECT_NEAR(pair.slowdown * pair.contention, 1.85, 1e-12);
  EXPECT_LT(pair.slowdown * pair.contention, printed("HS3").actual);
}

}  // namespace
}  // namespace heddle
