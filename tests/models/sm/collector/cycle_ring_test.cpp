// Which cycles a CycleRing knows as time goes on.

#include "models/sm/collector/cycle_ring.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Counts = CycleRing<std::uint8_t>;
constexpr std::uint64_t kAhead = Counts::kAhead;

// Goes on to `now` as the owner of a ring does.
void go_on(Counts& ring, Cycle now) {
  if (ring.must_advance(now)) ring.advance(now);
}

TEST(CycleRing, KnowsAtLeastItsCyclesAheadAndAtMostTwiceAsMany) {
  Counts ring;
  for (Cycle now{0}; now.value < 5 * kAhead; now = now + 1) {
    go_on(ring, now);
    EXPECT_GT(ring.end() - now, kAhead);
    EXPECT_LE(ring.end() - now, 2 * kAhead);
  }
}

TEST(CycleRing, KeepsWhatIsAheadAndHasEmptyCyclesBehindIt) {
  Counts ring;
  for (Cycle now{0}; now.value < 5 * kAhead; now = now + 1) {
    go_on(ring, now);
    ++ring.at(now + kAhead);
    for (Cycle cycle = now; cycle < ring.end(); cycle = cycle + 1)
      EXPECT_EQ(ring.at(cycle), cycle >= Cycle{kAhead} && cycle <= now + kAhead ? 1 : 0)
          << cycle.value << " seen in " << now.value;
  }
}

TEST(CycleRing, IsEmptyAfterALongTime) {
  for (const std::uint64_t later : {2 * kAhead, 3 * kAhead + 5, 1000 * kAhead}) {
    Counts ring;
    for (std::uint64_t cycle = 0; cycle < 2 * kAhead; ++cycle) ring.at(Cycle{cycle}) = 1;
    ASSERT_TRUE(ring.must_advance(Cycle{later}));
    ring.advance(Cycle{later});
    for (Cycle cycle{later}; cycle < ring.end(); cycle = cycle + 1) EXPECT_EQ(ring.at(cycle), 0);
  }
}

}  // namespace
}  // namespace heddle
