// Random draws affect the results of simulations, so that these tests fix them bit by bit.

#include "models/core/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace heddle {
namespace {

TEST(Random, IsSplitMix64) {
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(zero.next(), 0x06c45d188009454fu);
  EXPECT_EQ(zero.next(), 0xf88bb8a8724c81ecu);
  Random other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317u);
  EXPECT_EQ(other.next(), 3203168211198807973u);
  EXPECT_EQ(other.next(), 9817491932198370423u);
}

TEST(Random, BelowIsPinnedAndBounded) {
  Random random(42);
  for (const std::uint64_t expected : {3, 1, 8, 4, 0, 2, 5, 8, 5, 4}) EXPECT_EQ(random.below(10), expected);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;  // nearly half of all draws are rejected
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(bound), bound);
}

TEST(Random, BelowIsUniform) {
  Random random(9);
  std::array<int, 6> count{};
  for (int i = 0; i < 60'000; ++i) ++count[static_cast<std::size_t>(random.below(6))];
  // 400 is more than four standard deviations, which are 91 each.
  for (const int hits : count) EXPECT_NEAR(hits, 10'000, 400);
}

TEST(Random, UnitAndNormalArePinned) {
  Random unit(42);
  EXPECT_EQ(unit.unit(), 0x1.7bae644c5fd6dp-1);
  EXPECT_EQ(unit.unit(), 0x1.477f199d93378p-3);
  Random normal(42);
  EXPECT_EQ(normal.normal(), -0x1.c9cbdbd18d0cap-1);
}

TEST(Random, NormalHasMeanZeroAndDeviationOne) {
  Random random(11);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = random.normal();
    sum += draw;
    squares += draw * draw;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.02);
}

TEST(Random, AForkIsItsOwnAndMovesNothing) {
  Random parent(42);
  EXPECT_EQ(parent.fork("dram").next(), 0xd90c5e3817a8d2edu);
  EXPECT_EQ(parent.fork("noc").next(), 0xe347a5b52585aab3u);
  EXPECT_EQ(parent.next(), Random(42).next());
}

TEST(Random, ShuffleIsPinned) {
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  Random(7).shuffle(items);
  EXPECT_EQ(items, (std::vector<int>{1, 4, 5, 2, 6, 0, 3, 7}));
  std::vector<int> none;
  Random(7).shuffle(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace heddle
