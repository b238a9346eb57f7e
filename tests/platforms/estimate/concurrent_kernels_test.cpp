// The estimate of concurrent kernels, compared with calculations by hand: its cases, the binding resource,
// contention and turnaround.

#include "platforms/estimate/concurrent_kernels.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>
#include <stdexcept>

namespace heddle {
namespace {

using testing::HasSubstr;

// Returns a GPU of two SMs, each with 8 blocks, 1024 threads, 32768 registers and 32 KiB of shared memory.
ConcurrentGpu small_gpu() {
  ConcurrentGpu gpu;
  gpu.limits.threads = 1024;
  gpu.limits.warps = 32;
  gpu.limits.registers = 32768;
  gpu.limits.shared_bytes = 32768;
  gpu.limits.block_slots = 8;
  gpu.limits.threads_per_block = 1024;
  gpu.limits.registers_per_thread = 255;
  gpu.sms = 2;
  return gpu;
}

ConcurrentKernel kernel(std::uint64_t blocks, BlockShape shape) {
  ConcurrentKernel made;
  made.shape = shape;
  made.blocks = blocks;
  return made;
}

ConcurrentKernel timed(ConcurrentKernel made, std::uint64_t time_ps) {
  made.time_alone_ps = time_ps;
  return made;
}

const BlockShape kQuarter{256, 0, 0};  // four blocks fit on an SM

TEST(ConcurrentKernels, RoundsAreThoseOfThePapersExample) {
  const PairEstimate pair = estimate_pair(kernel(128, {128, 0, 0}), kernel(1, {128, 0, 0}), small_gpu());
  EXPECT_EQ(pair.first.blocks, 8u);
  EXPECT_EQ(pair.first_rounds, 8u);
}

TEST(ConcurrentKernels, CaseAIsAFirstKernelThatLeavesRoom) {
  const PairEstimate pair = estimate_pair(kernel(7, kQuarter), kernel(8, kQuarter), small_gpu());
  EXPECT_EQ(pair.concurrency, Concurrency::kFromTheStart);
  EXPECT_STREQ(name_of(pair.concurrency), "A");
  ASSERT_EQ(pair.last_round.size(), 2u);
  EXPECT_EQ(pair.last_round[0].second.blocks, 0u);
  EXPECT_EQ(pair.last_round[1].first_blocks, 3u);
  EXPECT_EQ(pair.last_round[1].second.blocks, 1u);
  EXPECT_EQ(pair.second_limited_rounds, 8u);
  EXPECT_DOUBLE_EQ(pair.slowdown, 8);
}

TEST(ConcurrentKernels, CaseBIsALastRoundThatLeavesRoom) {
  const PairEstimate pair = estimate_pair(kernel(8 * 3 + 6, kQuarter), kernel(8, kQuarter), small_gpu());
  EXPECT_EQ(pair.concurrency, Concurrency::kLastRound);
  EXPECT_STREQ(name_of(pair.concurrency), "B");
  EXPECT_EQ(pair.first_rounds, 4u);
  EXPECT_EQ(pair.second_slots, 2u);
  EXPECT_DOUBLE_EQ(pair.slowdown, 4);
}

TEST(ConcurrentKernels, CaseCIsAFirstKernelThatFillsEverySmToTheEnd) {
  for (const std::uint64_t blocks : {8, 24}) {
    const PairEstimate pair = estimate_pair(kernel(blocks, kQuarter), kernel(80, kQuarter), small_gpu());
    EXPECT_EQ(pair.concurrency, Concurrency::kNone) << blocks;
    EXPECT_STREQ(name_of(pair.concurrency), "C");
    EXPECT_EQ(pair.second_slots, 0u);
    EXPECT_EQ(pair.second_limited_rounds, pair.second_rounds);
    EXPECT_DOUBLE_EQ(pair.slowdown, 1);
  }
}

TEST(ConcurrentKernels, CaseCIsALastRoundInWhichTheSecondFindsNoRoom) {
  for (const std::uint64_t blocks : {7, 15}) {
    const ConcurrentKernel large = kernel(4, {512, 0, 0});
    const PairEstimate pair = estimate_pair(kernel(blocks, kQuarter), large, small_gpu());
    EXPECT_EQ(pair.concurrency, Concurrency::kNone) << blocks;
    EXPECT_EQ(pair.last_round[1].second.bound, Resource::kThreads);
  }
}

TEST(ConcurrentKernels, CaseCIsAFirstKernelThatFillsTheSmsForItselfAlone) {
  const ConcurrentKernel first = kernel(2, {256, 100, 0});  // one block on each SM leaves 768 threads
  const PairEstimate pair = estimate_pair(first, kernel(4, {256, 8, 0}), small_gpu());
  EXPECT_EQ(pair.second_slots, 6u);
  EXPECT_EQ(pair.concurrency, Concurrency::kNone);
  EXPECT_DOUBLE_EQ(pair.slowdown, 1);
}

TEST(ConcurrentKernels, CaseCIsAFirstKernelNoLongerThanTheLaunchOverhead) {
  ConcurrentGpu gpu = small_gpu();
  gpu.launch_overhead_ps = 5000;
  const ConcurrentKernel first = kernel(7, kQuarter);
  const ConcurrentKernel second = timed(kernel(8, kQuarter), 100);
  EXPECT_EQ(estimate_pair(timed(first, 5001), second, gpu).concurrency, Concurrency::kFromTheStart);
  EXPECT_EQ(estimate_pair(first, second, gpu).concurrency, Concurrency::kFromTheStart) << "not known";
  const PairEstimate pair = estimate_pair(timed(first, 5000), second, gpu);
  EXPECT_EQ(pair.concurrency, Concurrency::kNone);
  EXPECT_DOUBLE_EQ(pair.second_turnaround_ps.value(), 100);
}

TEST(ConcurrentKernels, EveryResourceCanBeTheOneThatRunsOut) {
  struct Row {
    BlockShape first, second;
    std::uint32_t blocks;
    Resource bound;
  };
  const Row rows[] = {
      {{512, 0, 0}, {256, 0, 0}, 2, Resource::kThreads},
      {{33, 0, 0}, {480, 0, 0}, 2, Resource::kThreads},
      {{33, 0, 0}, {161, 0, 0}, 5, Resource::kWarps},  // 30 left, 6 each; 991 / 161 = 6
      {{128, 64, 0}, {128, 64, 0}, 3, Resource::kRegisters},
      {{128, 0, 8192}, {128, 0, 9000}, 2, Resource::kSharedMemory},
      {{32, 0, 0}, {32, 0, 0}, 7, Resource::kBlockSlots},
      {{128, 0, 32768}, {128, 0, 1}, 0, Resource::kSharedMemory},
  };
  ConcurrentGpu gpu = small_gpu();
  for (const Row& row : rows) {
    const PairEstimate pair = estimate_pair(kernel(1, row.first), kernel(1, row.second), gpu);
    EXPECT_EQ(pair.last_round[0].second.blocks, row.blocks) << row.second.threads;
    EXPECT_EQ(pair.last_round[0].second.bound, row.bound) << name_of(pair.last_round[0].second.bound);
    EXPECT_EQ(pair.last_round[1].second.blocks, pair.second.blocks);
    EXPECT_EQ(pair.last_round[1].second.bound, pair.second.bound);
  }
}

TEST(ConcurrentKernels, PlacementInTurnSpreadsTheFirstOverAllSms) {
  ConcurrentGpu gpu = small_gpu();
  const auto slots = [&] {
    return estimate_pair(kernel(3, kQuarter), kernel(8, {512, 0, 0}), gpu).second_slots;
  };
  EXPECT_EQ(slots(), 2u);  // on the free SM
  gpu.placement = BlockPlacement::kBreadth;
  EXPECT_EQ(slots(), 2u);  // 2 and 1 of four quarters: a half on each
  gpu.sms = 3;
  EXPECT_EQ(slots(), 3u);
  gpu.placement = BlockPlacement::kPacked;
  EXPECT_EQ(slots(), 4u);
}

TEST(ConcurrentKernels, ContentionIsWhatBothAskForOverWhatThereIs) {
  ConcurrentGpu gpu = small_gpu();
  ConcurrentKernel first = kernel(4, kQuarter);
  ConcurrentKernel second = kernel(8, kQuarter);  // slowed down by 2
  first.bytes_per_second = 60e9;
  second.bytes_per_second = 80e9;
  EXPECT_DOUBLE_EQ(estimate_pair(first, second, gpu).contention, 1) << "the GPU has no figure";
  gpu.bytes_per_second = 100e9;
  EXPECT_DOUBLE_EQ(estimate_pair(first, second, gpu).contention, 1) << "60 + 80 / 2";
  gpu.bytes_per_second = 80e9;
  const PairEstimate pair = estimate_pair(first, second, gpu);
  EXPECT_DOUBLE_EQ(pair.contention, 1.25);
  EXPECT_DOUBLE_EQ(pair.slowdown, 2) << "without contention";
  first.blocks = 8;
  EXPECT_DOUBLE_EQ(estimate_pair(first, second, gpu).contention, 1) << "one after the other";
}

// The first kernel holds one of two SMs. The second kernel takes twice as long beside it.
TEST(ConcurrentKernels, TheSecondKernelGetsTheGpuWhenTheFirstEnds) {
  const auto turnaround = [](std::uint64_t first_blocks, std::uint64_t first_ps, double bandwidth) {
    ConcurrentGpu gpu = small_gpu();
    gpu.bytes_per_second = 100e9;
    ConcurrentKernel first = timed(kernel(first_blocks, kQuarter), first_ps);
    ConcurrentKernel second = timed(kernel(8, kQuarter), 1000);
    first.bytes_per_second = second.bytes_per_second = bandwidth;
    return estimate_pair(first, second, gpu).second_turnaround_ps.value();
  };
  EXPECT_DOUBLE_EQ(turnaround(4, 5000, 0), 2000) << "the first outlasts it";
  EXPECT_DOUBLE_EQ(turnaround(4, 600, 0), 600 + 700) << "300 of 1000 were done by then";
  EXPECT_DOUBLE_EQ(turnaround(8, 600, 0), 600 + 1000) << "one after the other";
  EXPECT_DOUBLE_EQ(turnaround(12, 600, 0), 300 + 300 + 850) << "from the second of two rounds on";
  EXPECT_DOUBLE_EQ(turnaround(4, 5000, 80e9), 2000 * 1.2) << "120 of 100 GB/s";
  EXPECT_DOUBLE_EQ(turnaround(4, 600, 80e9), 600 * 1.2 + 700);
}

TEST(ConcurrentKernels, ThereIsNoTurnaroundWithoutTimes) {
  const ConcurrentKernel any = kernel(4, kQuarter);
  EXPECT_FALSE(estimate_pair(any, timed(any, 1), small_gpu()).second_turnaround_ps);
  EXPECT_FALSE(estimate_pair(timed(any, 1), any, small_gpu()).second_turnaround_ps);
  EXPECT_TRUE(estimate_pair(kernel(0, kQuarter), timed(any, 1), small_gpu()).second_turnaround_ps);
}

TEST(ConcurrentKernels, WhatCannotBeEstimatedIsRefused) {
  using Change = std::function<void(ConcurrentKernel&, ConcurrentKernel&, ConcurrentGpu&)>;
  const auto refusal = [](const Change& change) -> std::string {
    ConcurrentKernel first = kernel(4, kQuarter);
    ConcurrentKernel second = first;
    ConcurrentGpu gpu = small_gpu();
    gpu.bytes_per_second = 1e9;
    change(first, second, gpu);
    try {
      estimate_pair(first, second, gpu);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal([](auto&, auto&, auto&) {}), "none");
  EXPECT_THAT(refusal([](auto&, auto&, auto& gpu) { gpu.sms = 0; }), HasSubstr("without SMs"));
  EXPECT_THAT(refusal([](auto& first, auto&, auto&) { first.shape.threads = 1025; }),
              HasSubstr("first kernel fits no SM"));
  EXPECT_THAT(refusal([](auto&, auto& second, auto&) { second.shape.shared_bytes = 32769; }),
              HasSubstr("second kernel fits no SM"));
  EXPECT_THAT(refusal([](auto&, auto& second, auto&) { second.blocks = 0; }), HasSubstr("no blocks"));
  EXPECT_THAT(refusal([](auto& first, auto&, auto&) { first.bytes_per_second = -1; }),
              HasSubstr("no number"));
  EXPECT_THAT(refusal([](auto&, auto&, auto& gpu) {
                gpu.bytes_per_second = std::numeric_limits<double>::quiet_NaN();
              }),
              HasSubstr("no number"));
  EXPECT_THAT(refusal([](auto&, auto& second, auto&) { second.bytes_per_second = 1.1e9; }),
              HasSubstr("above the GPU's"));
}

}  // namespace
}  // namespace heddle
