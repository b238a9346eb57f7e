// Properties of the estimate that hold for any two kernels.

#include "tests/support/concurrent_pairs.h"

#include <gtest/gtest.h>

#include <functional>

#include "models/core/base/random.h"

namespace heddle {
namespace {

constexpr int kPairs = 2000;

struct Drawn {
  ConcurrentKernel first, second;
  ConcurrentGpu gpu;
};

ConcurrentKernel draw_kernel(Random& random, const ConcurrentGpu& gpu) {
  ConcurrentKernel kernel;
  do {
    kernel.shape.threads = static_cast<std::uint32_t>(1 + random.below(640));
    kernel.shape.registers_per_thread = static_cast<std::uint32_t>(random.below(96));
    kernel.shape.shared_bytes = static_cast<std::uint32_t>(random.below(3) * random.below(12000));
  } while (residency_of(kernel.shape, gpu.limits).blocks == 0);
  const std::uint64_t capacity = std::uint64_t{residency_of(kernel.shape, gpu.limits).blocks} * gpu.sms;
  kernel.blocks = 1 + random.below(random.below(2) == 0 ? capacity : 10 * capacity);
  kernel.time_alone_ps = 1 + random.below(1000000);
  kernel.bytes_per_second = static_cast<double>(random.below(289)) * 1e9;
  return kernel;
}

void for_pairs(const std::function<void(const Drawn&, Random&)>& look) {
  Random random(7);
  for (int i = 0; i < kPairs && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    Drawn drawn;
    drawn.gpu = test::k40();
    drawn.gpu.sms = static_cast<std::uint32_t>(1 + random.below(20));
    if (random.below(2) == 0) drawn.gpu.placement = BlockPlacement::kBreadth;
    drawn.first = draw_kernel(random, drawn.gpu);
    drawn.second = draw_kernel(random, drawn.gpu);
    look(drawn, random);
  }
}

PairEstimate estimate(const Drawn& drawn) {
  return estimate_pair(drawn.first, drawn.second, drawn.gpu);
}

// Returns the number of blocks that fit, by adding one block after another until the next does not fit.
std::uint32_t fill(const BlockShape& shape, const BlockResources& beside, const SmLimits& limits) {
  const BlockResources need = resources_of(shape, limits);
  BlockResources used = beside;
  std::uint32_t blocks = 0;
  for (; fits(used, need, limits); ++blocks) used += need;
  return blocks;
}

TEST(ConcurrentProperties, EverySmIsFilledToTheLastBlockThatFits) {
  for_pairs([](const Drawn& drawn, Random&) {
    const PairEstimate pair = estimate(drawn);
    std::uint64_t sms = 0;
    std::uint64_t first_blocks = 0;
    std::uint64_t slots = 0;
    for (const SmGroup& group : pair.last_round) {
      BlockResources used;
      for (std::uint32_t i = 0; i < group.first_blocks; ++i) {
        ASSERT_TRUE(fits(used, resources_of(drawn.first.shape, drawn.gpu.limits), drawn.gpu.limits));
        used += resources_of(drawn.first.shape, drawn.gpu.limits);
      }
      ASSERT_EQ(group.second.blocks, fill(drawn.second.shape, used, drawn.gpu.limits));
      sms += group.sms;
      first_blocks += std::uint64_t{group.sms} * group.first_blocks;
      slots += std::uint64_t{group.sms} * group.second.blocks;
    }
    EXPECT_EQ(sms, drawn.gpu.sms);
    EXPECT_EQ(slots, pair.second_slots);
    const std::uint64_t capacity = std::uint64_t{pair.first.blocks} * drawn.gpu.sms;
    EXPECT_EQ(first_blocks + (pair.first_rounds - 1) * capacity, drawn.first.blocks);
  });
}

TEST(ConcurrentProperties, AKernelAloneIsNotSlowedDown) {
  for_pairs([](const Drawn& drawn, Random&) {
    Drawn alone = drawn;
    alone.first.blocks = 0;
    alone.gpu.bytes_per_second = 288e9;
    const PairEstimate pair = estimate(alone);
    EXPECT_EQ(pair.concurrency, Concurrency::kFromTheStart);
    EXPECT_EQ(pair.slowdown, 1);
    EXPECT_EQ(pair.contention, 1);
    EXPECT_EQ(pair.second_turnaround_ps.value(), static_cast<double>(*alone.second.time_alone_ps));
  });
}

TEST(ConcurrentProperties, SharingIsNoFasterThanAloneAndNoSlowerThanOneAfterTheOther) {
  std::uint64_t seen[3] = {};
  for_pairs([&](const Drawn& drawn, Random&) {
    const PairEstimate pair = estimate(drawn);
    ++seen[static_cast<std::size_t>(pair.concurrency)];
    EXPECT_GE(pair.slowdown, 1);
    EXPECT_GE(pair.second_limited_rounds, pair.second_rounds);
    const double alone = static_cast<double>(*drawn.second.time_alone_ps);
    const double serial = alone + static_cast<double>(*drawn.first.time_alone_ps);
    EXPECT_GE(pair.second_turnaround_ps.value(), alone * (1 - 1e-12));
    EXPECT_LE(pair.second_turnaround_ps.value(), serial * (1 + 1e-12));
  });
  for (const std::uint64_t pairs : seen) EXPECT_GT(pairs, 50u) << "every case is drawn";
}

TEST(ConcurrentProperties, MoreSmsNeverTakeMoreRounds) {
  for_pairs([](const Drawn& drawn, Random&) {
    Drawn more = drawn;
    ++more.gpu.sms;
    const PairEstimate before = estimate(drawn);
    const PairEstimate after = estimate(more);
    EXPECT_LE(after.first_rounds, before.first_rounds);
    EXPECT_LE(after.second_rounds, before.second_rounds);
    if (before.concurrency != Concurrency::kFromTheStart) return;
    EXPECT_EQ(after.concurrency, Concurrency::kFromTheStart);
    EXPECT_GE(after.second_slots, before.second_slots);
    EXPECT_LE(after.second_limited_rounds, before.second_limited_rounds);
  });
}

TEST(ConcurrentProperties, MoreBlocksOfTheFirstLeaveNoMoreRoom) {
  for_pairs([](const Drawn& drawn, Random&) {
    Drawn more = drawn;
    ++more.first.blocks;
    const PairEstimate before = estimate(drawn);
    const PairEstimate after = estimate(more);
    if (after.first_rounds != before.first_rounds) return;
    EXPECT_LE(after.second_slots, before.second_slots);
  });
}

TEST(ConcurrentProperties, MoreBlocksOfTheSecondNeverTakeFewerRounds) {
  for_pairs([](const Drawn& drawn, Random& random) {
    Drawn more = drawn;
    more.second.blocks += 1 + random.below(100);
    const PairEstimate before = estimate(drawn);
    const PairEstimate after = estimate(more);
    EXPECT_EQ(after.second_slots, before.second_slots);
    EXPECT_EQ(after.concurrency, before.concurrency);
    EXPECT_GE(after.second_limited_rounds, before.second_limited_rounds);
  });
}

TEST(ConcurrentProperties, MoreTrafficNeverHelpsAndLeavesThePapersSlowdownAlone) {
  bool contended = false;
  for_pairs([&](const Drawn& drawn, Random&) {
    Drawn with = drawn;
    with.gpu.bytes_per_second = 290e9;
    Drawn more = with;
    more.first.bytes_per_second += 1e9;
    more.second.bytes_per_second += 1e9;
    const PairEstimate none = estimate(drawn);
    const PairEstimate some = estimate(with);
    const PairEstimate most = estimate(more);
    EXPECT_EQ(none.contention, 1);
    EXPECT_EQ(some.slowdown, none.slowdown);
    EXPECT_EQ(most.slowdown, none.slowdown);
    EXPECT_GE(some.contention, 1);
    EXPECT_LE(some.contention, 2) << "each reaches what there is, at most";
    EXPECT_GE(most.contention, some.contention);
    EXPECT_GE(some.second_turnaround_ps.value(), none.second_turnaround_ps.value());
    EXPECT_GE(most.second_turnaround_ps.value(), some.second_turnaround_ps.value() * (1 - 1e-12));
    contended = contended || some.contention > 1;
  });
  EXPECT_TRUE(contended);
}

}  // namespace
}  // namespace heddle
