// The state machine of Perf-Sat over scripted stalled cycles: of each sample, what was counted, and the
// number of blocks from then on.

#include "policies/block_throttle/perf_sat_states.h"

#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using Counts = std::vector<std::uint32_t>;

// Gives the machine these stalled cycles and returns its number of blocks before the first and after each.
Counts blocks_of(PerfSatStates& states, const std::vector<std::uint64_t>& stalled) {
  Counts counts{states.blocks()};
  for (const std::uint64_t cycles : stalled) {
    states.sampled(cycles);
    counts.push_back(states.blocks());
  }
  return counts;
}

// Samples with the stalled cycles of a curve over the number of blocks, until the machine is done.
std::uint32_t settled_on(std::uint32_t most, const std::function<std::uint64_t(std::uint32_t)>& stalled) {
  PerfSatStates states(most);
  for (int samples = 0; !states.done(); ++samples) {
    EXPECT_LT(samples, 200);
    if (samples == 200) break;
    states.sampled(stalled(states.blocks()));
  }
  return states.blocks();
}

TEST(PerfSatStates, ThePapersExampleRisesFromEightOfFifteenAndFindsTwelve) {
  PerfSatStates states(15);
  const Counts counts = blocks_of(states, {100, 90, 89, 80, 70, 60, 65, 66});
  EXPECT_THAT(counts, ElementsAre(8, 9, 9, 10, 11, 12, 13, 13, 12));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, StalledCyclesThatFallToTheLastBlockLeadToTheMost) {
  PerfSatStates states(8);
  EXPECT_THAT(blocks_of(states, {100, 90, 89, 80, 70, 60}), ElementsAre(4, 5, 5, 6, 7, 8, 8));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, StalledCyclesThatRiseWithEachBlockLeadToOne) {
  PerfSatStates states(8);
  EXPECT_THAT(blocks_of(states, {100, 110, 99, 90, 80, 70}), ElementsAre(4, 5, 4, 3, 2, 1, 1));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, AMinimumBelowHalfIsFoundFromAbove) {
  PerfSatStates states(8);
  EXPECT_THAT(blocks_of(states, {100, 110, 99, 90, 95, 96}), ElementsAre(4, 5, 4, 3, 2, 2, 3));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, OneContrarySampleInAStrongStateIsForgiven) {
  PerfSatStates states(15);
  EXPECT_THAT(blocks_of(states, {100, 90, 89, 80, 85, 70, 75, 76}),
              ElementsAre(8, 9, 9, 10, 11, 11, 12, 12, 11));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, NoiseAroundTheMiddleEndsWithTheFourthToggle) {
  PerfSatStates states(8);
  // Each sample is worse than the one before it.
  EXPECT_THAT(blocks_of(states, {100, 101, 102, 103, 104}), ElementsAre(4, 5, 4, 5, 4, 5));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, NoiseAtTheEdgeOfAStrongStateEndsWithTheFourthToggle) {
  PerfSatStates states(30);
  // 15, 16 twice; 17 is worse and then better, and so is each count after it, until the fourth.
  std::vector<std::uint64_t> stalled{1000, 900, 890};
  for (std::uint64_t base = 800; base > 400; base -= 100) {
    stalled.push_back(base + 200);
    stalled.push_back(base);
  }
  EXPECT_THAT(blocks_of(states, stalled), ElementsAre(15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 19));
  EXPECT_TRUE(states.done());
}

TEST(PerfSatStates, AContrarySecondSampleResetsTheHistory) {
  PerfSatStates states(8);
  EXPECT_THAT(blocks_of(states, {100, 90, 110, 90, 89}), ElementsAre(4, 5, 5, 5, 5, 6));
  EXPECT_EQ(states.state(), PerfSatStates::State::kStrongIncrease);
}

TEST(PerfSatStates, InTheOtherReadingAContrarySecondSampleTurnsAtOnce) {
  PerfSatStates states(8, PerfSatStates::Contradiction::kTurns);
  EXPECT_THAT(blocks_of(states, {100, 90, 110, 90}), ElementsAre(4, 5, 5, 4, 3));
  EXPECT_EQ(states.state(), PerfSatStates::State::kStrongDecrease);
}

TEST(PerfSatStates, EqualSamplesSpeakAgainstTheDirection) {
  PerfSatStates weak(8);
  EXPECT_THAT(blocks_of(weak, {100, 100, 100, 100, 100}), ElementsAre(4, 5, 4, 5, 4, 5));
  EXPECT_TRUE(weak.done());
  PerfSatStates strong(8);
  EXPECT_THAT(blocks_of(strong, {100, 90, 80, 80, 80}), ElementsAre(4, 5, 5, 6, 6, 5));
  EXPECT_TRUE(strong.done());
}

TEST(PerfSatStates, OneBlockAtMostIsSettledAtOnce) {
  const PerfSatStates states(1);
  EXPECT_TRUE(states.done());
  EXPECT_EQ(states.blocks(), 1);
}

TEST(PerfSatStates, WithTwoBlocksAtMostBothEndsAreReached) {
  PerfSatStates up(2);
  EXPECT_THAT(blocks_of(up, {100, 90, 80}), ElementsAre(1, 2, 2, 2));
  EXPECT_TRUE(up.done());
  PerfSatStates down(2);
  EXPECT_THAT(blocks_of(down, {100, 110, 90}), ElementsAre(1, 2, 1, 1));
  EXPECT_TRUE(down.done());
}

TEST(PerfSatStates, WithThreeBlocksAtMostAllCountsAreReached) {
  const auto parabola = [](std::uint32_t best) {
    return [best](std::uint32_t blocks) {
      const std::int64_t off = std::int64_t{blocks} - best;
      return static_cast<std::uint64_t>(100 + off * off);
    };
  };
  EXPECT_EQ(settled_on(3, parabola(1)), 1);
  EXPECT_EQ(settled_on(3, parabola(3)), 3);
  EXPECT_EQ(settled_on(3, parabola(2)), 2);
}

// Without noise, a curve with one minimum is followed to it.
TEST(PerfSatStates, TheMinimumOfACurveIsFound) {
  for (std::uint32_t most = 1; most <= 64; ++most)
    for (std::uint32_t best = 1; best <= most; ++best) {
      const auto stalled = [best](std::uint32_t blocks) {
        return 1000 + 10 * std::uint64_t{blocks > best ? blocks - best : best - blocks};
      };
      const std::uint32_t found = settled_on(most, stalled);
      const std::uint32_t half = (most + 1) / 2;
      // At the minimum ceil(most / 2), the samples of it and of one more contradict each other four times, or
      // they lead down to one less and back; the paper takes the higher count of its first two.
      if (best == half || best + 1 == half)
        EXPECT_LE(found > best ? found - best : best - found, 2) << most << " " << best;
      else
        EXPECT_EQ(found, best) << most;
    }
}

TEST(PerfSatStates, AnySequenceStaysWithinItsBoundsAndStandsWhenDone) {
  Random random(5);
  for (std::uint64_t i = 0; i < cases(3000); ++i) {
    const auto most = static_cast<std::uint32_t>(1 + random.below(64));
    PerfSatStates states(most, random.below(2) == 0 ? PerfSatStates::Contradiction::kResets
                                                    : PerfSatStates::Contradiction::kTurns);
    for (int sample = 0; sample < 100; ++sample) {
      const Counts before{states.blocks()};
      const bool was_done = states.done();
      states.sampled(random.below(1000));
      ASSERT_GE(states.blocks(), 1);
      ASSERT_LE(states.blocks(), most);
      ASSERT_TRUE(!was_done || states.blocks() == before[0]);
    }
  }
}

}  // namespace
}  // namespace heddle
