// Lines of L2 that copies leave there, and copies of lines in the other half of L2.

#include "tests/support/machine/l2_cache_rig.h"

namespace heddle::test {
namespace {

TEST(L2CacheCopies, ALineWithACopyInTheOtherHalfCountsAsTwo) {
  L2Spec spec = small_l2(32);
  spec.ways = 3;
  spec.far_latency = 1;
  L2CacheRig l2(spec);
  const auto reads = [&l2](Address line, bool is_far) {
    L2Cache::Access access = l2.request(L2Cache::Kind::kRead, line * 4 * 128, 32);
    access.is_far = is_far;
    EXPECT_EQ(l2.cache.access(access, 6, l2.outcome), L2Cache::Stall::kNone);
    l2.fill_all();
    return l2.outcome.crosses;
  };
  EXPECT_TRUE(reads(0, true));    // line 0 and its copy
  EXPECT_FALSE(reads(0, true));   // finds the copy
  EXPECT_FALSE(reads(1, false));  // is of this half
  EXPECT_FALSE(reads(0, true));   // lines 0 and 1 and the copy are three
  EXPECT_TRUE(reads(1, true));    // the copy of line 0 gives way
  EXPECT_TRUE(reads(0, true));    // and that of line 1
  EXPECT_FALSE(reads(2, false));  // the third line takes the way of the copy
  EXPECT_TRUE(reads(0, true));
  EXPECT_TRUE(reads(0, true)) << "a set full of lines has no room for a copy";
  EXPECT_EQ(l2.counter("line_misses"), 3u) << "no line gives way to a copy";
}

// Returns whether the data of a second launch's first read of a line cross, which the first launch has
// copied.
bool crosses_after_a_launch(bool copies_end) {
  L2Spec spec = small_l2(32);
  spec.far_latency = 1;
  spec.copies_end = copies_end;
  L2CacheRig l2(spec);
  L2Cache::Access access = l2.request(L2Cache::Kind::kRead, 0, 32);
  access.is_far = true;
  const auto read = [&] {
    EXPECT_EQ(l2.cache.access(access, 6, l2.outcome), L2Cache::Stall::kNone);
    l2.fill_all();
    return l2.outcome.crosses;
  };
  EXPECT_TRUE(read());
  EXPECT_FALSE(read());
  l2.cache.close({});
  const bool crosses = read();
  EXPECT_FALSE(read()) << "the copy was not made again";
  EXPECT_EQ(l2.counter("line_misses"), 1u);
  return crosses;
}

TEST(L2CacheCopies, CopiesInTheOtherHalfMayEndWithALaunch) {
  EXPECT_FALSE(crosses_after_a_launch(false));
  EXPECT_TRUE(crosses_after_a_launch(true));
}

TEST(L2CacheCopies, ACopyThatIsPlacedEvicts) {
  L2Spec spec = small_l2();
  spec.copies_stay = true;
  L2CacheRig l2(spec);
  ASSERT_EQ(l2.access(L2Cache::Kind::kWrite, 0, 32), L2Cache::Stall::kNone);
  for (Address i = 1; i < 4; ++i) l2.cache.place(i * 4 * 128, i * 4 * 128);  // in a set of two ways
  EXPECT_EQ(l2.counter("copied_lines"), 3u);
  EXPECT_EQ(l2.counter("copy_evictions"), 1u) << "line 0 was dirty, and copies are not";
  ASSERT_EQ(l2.access(L2Cache::Kind::kRead, 3 * 4 * 128, 128), L2Cache::Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 0u);
  ASSERT_EQ(l2.access(L2Cache::Kind::kRead, 0, 32), L2Cache::Stall::kNone);
  EXPECT_EQ(l2.outcome.fills, 1u);
  EXPECT_EQ(l2.counter("write_backs"), 0u);
}

TEST(L2CacheCopies, ACopyIsNotPlacedWhereEveryWayWaitsForAFill) {
  L2Spec spec = small_l2();
  spec.copies_stay = true;
  L2CacheRig l2(spec);
  for (Address i = 0; i < 2; ++i)
    ASSERT_EQ(l2.access(L2Cache::Kind::kRead, i * 4 * 128, 32), L2Cache::Stall::kNone);
  l2.cache.place(2 * 4 * 128, 2 * 4 * 128);
  EXPECT_EQ(l2.counter("copied_lines"), 0u);
}

}  // namespace
}  // namespace heddle::test
