// The word of a barrier object in shared memory: arrivals, bytes, phases and their ranges.

#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "stimuli/ptx/lanes/phase_word.h"

namespace heddle::ptx {
namespace {

TEST(PtxPhaseWord, APhaseEndsWithTheLastArrivalAndTheNextOneHasAsMany) {
  PhaseWord word = PhaseWord::of(3);
  EXPECT_TRUE(word.arrive(2));
  EXPECT_EQ(word.parity(), 0U);
  EXPECT_EQ(word.pending(), 1U);
  EXPECT_TRUE(word.arrive(1));
  EXPECT_EQ(word.parity(), 1U);
  EXPECT_EQ(word.pending(), 3U);
}

TEST(PtxPhaseWord, APhaseWaitsForItsBytesToo) {
  PhaseWord word = PhaseWord::of(1);
  EXPECT_TRUE(word.expect(4096));
  EXPECT_TRUE(word.arrive(1));
  EXPECT_EQ(word.parity(), 0U);
  EXPECT_TRUE(word.receive(4000));
  EXPECT_EQ(word.bytes(), 96);
  EXPECT_TRUE(word.receive(96));
  EXPECT_EQ(word.parity(), 1U);
}

TEST(PtxPhaseWord, BytesMayArriveBeforeTheyAreExpected) {
  PhaseWord word = PhaseWord::of(1);
  EXPECT_TRUE(word.receive(64));
  EXPECT_EQ(word.bytes(), -64);
  EXPECT_TRUE(word.expect(64));
  EXPECT_TRUE(word.arrive(1));
  EXPECT_EQ(word.parity(), 1U);
}

TEST(PtxPhaseWord, AThreadThatDropsOutIsMissedFromTheNextPhaseOn) {
  PhaseWord word = PhaseWord::of(2);
  EXPECT_TRUE(word.drop(1) && word.arrive(1) && word.arrive(1));
  EXPECT_EQ(word.parity(), 1U);
  EXPECT_EQ(word.pending(), 1U);
}

TEST(PtxPhaseWord, NumbersOutOfTheirRangeChangeNothing) {
  PhaseWord word = PhaseWord::of(2);
  const std::uint64_t before = word.bits();
  EXPECT_FALSE(word.arrive(0));
  EXPECT_FALSE(word.arrive(3));
  EXPECT_FALSE(word.drop(3));
  EXPECT_FALSE(word.expect(1U << 20U));
  EXPECT_FALSE(word.receive(1U << 20U));
  EXPECT_EQ(word.bits(), before);
  EXPECT_TRUE(word.is_valid());
  EXPECT_FALSE(PhaseWord(0).is_valid());
}

// Against counters of their own.
TEST(PtxPhaseWord, RandomArrivalsAndBytesKeepTheirSums) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const auto arrivals = static_cast<std::uint32_t>(1 + random.below(100));
    PhaseWord word = PhaseWord::of(arrivals);
    std::uint32_t pending = arrivals;
    std::int64_t bytes = 0;
    std::uint32_t parity = 0;
    for (int step = 0; step < 200; ++step) {
      const auto number = static_cast<std::uint32_t>(1 + random.below(64));
      if (random.below(3) == 0) {
        ASSERT_TRUE(word.expect(number));
        bytes += number;
      } else if (random.below(2) == 0) {
        ASSERT_TRUE(word.receive(number));
        bytes -= number;
      } else {
        ASSERT_EQ(word.arrive(number), number <= pending);
        if (number <= pending) pending -= number;
      }
      if (pending == 0 && bytes == 0) {
        parity ^= 1U;
        pending = arrivals;
      }
      ASSERT_EQ(word.pending(), pending);
      ASSERT_EQ(word.bytes(), bytes);
      ASSERT_EQ(word.parity(), parity);
    }
  }
}

}  // namespace
}  // namespace heddle::ptx
