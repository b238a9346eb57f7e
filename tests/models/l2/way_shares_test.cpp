// Ways of L2 by context: where new lines may lie, what is found, and what the counters say of it.

#include "models/l2/way_shares.h"

#include <gtest/gtest.h>

#include <set>

#include "models/core/base/random.h"
#include "tests/support/machine/l2_cache_rig.h"

namespace heddle::test {
namespace {

using Kind = L2Cache::Kind;
using Stall = L2Cache::Stall;

L2Spec shared_l2(std::uint32_t ways, std::vector<std::uint32_t> ways_of) {
  L2Spec spec = small_l2(32);
  spec.sets = 1;
  spec.ways = ways;
  spec.ways_of = std::move(ways_of);
  return spec;
}

// Reads the line of this number for the context, and returns whether it was there.
bool finds(L2CacheRig& l2, std::uint32_t context, Address line) {
  l2.context = ContextId{context};
  EXPECT_EQ(l2.access(Kind::kRead, line * 128, 32), Stall::kNone);
  const bool found = l2.outcome.fills == 0;
  l2.fill_all();
  return found;
}

TEST(WayShares, LinesOfAContextGiveWayToThatContextAlone) {
  L2CacheRig l2(shared_l2(4, {2, 2}));
  EXPECT_FALSE(finds(l2, 0, 1));
  EXPECT_FALSE(finds(l2, 0, 2));
  for (Address line = 10; line < 30; ++line) EXPECT_FALSE(finds(l2, 1, line));
  EXPECT_TRUE(finds(l2, 0, 1));
  EXPECT_TRUE(finds(l2, 0, 2));
  EXPECT_TRUE(finds(l2, 1, 29));
  EXPECT_TRUE(finds(l2, 1, 28));
  EXPECT_FALSE(finds(l2, 1, 27));
  EXPECT_EQ(l2.counter("ways.context0.installed"), 2U);
  EXPECT_EQ(l2.counter("ways.context1.installed"), 21U);
  EXPECT_EQ(l2.counter("ways.context1.withheld"), 19U)
      << "line 1 was the oldest of the set for all but the first two";
}

TEST(WayShares, AContextFindsTheLinesOfOthers) {
  L2CacheRig l2(shared_l2(4, {2, 2}));
  EXPECT_FALSE(finds(l2, 0, 1));
  EXPECT_TRUE(finds(l2, 1, 1));
}

TEST(WayShares, ContextsBeyondTheListShareTheRestOrTakeAnyWay) {
  L2CacheRig rest(shared_l2(4, {2}));
  EXPECT_FALSE(finds(rest, 0, 1));
  for (Address line = 10; line < 20; ++line) finds(rest, 2 + line % 2, line);
  EXPECT_TRUE(finds(rest, 0, 1));
  EXPECT_TRUE(finds(rest, 7, 19));
  L2CacheRig none(shared_l2(4, {2, 2}));
  EXPECT_FALSE(finds(none, 0, 1));
  for (Address line = 10; line < 20; ++line) finds(none, 5, line);
  EXPECT_FALSE(finds(none, 0, 1));
}

TEST(WayShares, AContextWithAllWaysIsAsIfAlone) {
  L2CacheRig shares(shared_l2(4, {4}));
  L2CacheRig alone(shared_l2(4, {}));
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Address line = random.below(9);
    EXPECT_EQ(finds(shares, 0, line), finds(alone, 0, line));
  }
  EXPECT_EQ(shares.counter("hits"), alone.counter("hits"));
}

}  // namespace
}  // namespace heddle::test
