// Where the logical sets of a resource are, and which of them goes to swap space.

#include "policies/resource_manager/mapping_table.h"

#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

// Takes `count` sets and returns the ones that went to swap space for it, as row * 100 + column.
std::vector<std::uint32_t> take(MappingTable& table, std::uint32_t row, std::uint32_t count) {
  std::vector<std::uint32_t> replaced;
  for (; count > 0; --count)
    if (const auto entry = table.take(row)) replaced.push_back(entry->row * 100 + entry->column);
  return replaced;
}

void access(MappingTable& table, std::uint32_t row, std::uint32_t column, int times) {
  for (; times > 0; --times) EXPECT_TRUE(table.access(row, column));
}

using Rows = std::vector<std::uint32_t>;

TEST(MappingTable, HasTheSizesOfThePaperOnFermi) {
  EXPECT_EQ(MappingTable::bits({64, 16, 256, 0}), 1152u * 8);  // registers: 64 x 16 x 9 bits
  EXPECT_EQ(MappingTable::bits({16, 48, 48, 0}), 672u * 8);    // shared memory: 16 x 48 x 7 bits
  EXPECT_EQ(MappingTable::bits({64, 1, 48, 0}), 56u * 8);      // warp slots: 64 x 7 bits
}

TEST(MappingTable, HasOneBitMoreASetForTheRegistersOfKepler) {
  EXPECT_EQ(MappingTable::bits({64, 16, 512, 0}), 64u * 16 * 10);
  EXPECT_EQ(MappingTable::bits({64, 64, 512, 0}), 64u * 64 * 10);  // with 255 registers a thread
}

TEST(MappingTable, TakesFreeSetsFirst) {
  MappingTable table({4, 4, 8, 0});
  EXPECT_EQ(take(table, 0, 4), Rows{});
  EXPECT_EQ(take(table, 1, 4), Rows{});
  EXPECT_EQ(table.free(), 0u);
  EXPECT_EQ(table.swapped(), 0u);
}

TEST(MappingTable, ReplacesTheSetThatWasAccessedLeast) {
  MappingTable table({4, 4, 4, 0});
  take(table, 0, 2);
  take(table, 1, 2);
  access(table, 0, 0, 3);
  access(table, 0, 1, 2);
  access(table, 1, 0, 1);
  access(table, 1, 1, 2);
  EXPECT_EQ(take(table, 2, 1), Rows{100});
  EXPECT_TRUE(table.is_swapped(1, 0));
  EXPECT_FALSE(table.access(1, 0));
  EXPECT_EQ(table.swapped(), 1u);
}

TEST(MappingTable, ReplacesTheLowestSetOnATie) {
  MappingTable table({4, 4, 4, 0});
  take(table, 0, 2);
  take(table, 1, 2);
  EXPECT_EQ(take(table, 2, 3), (Rows{0, 1, 100}));
}

TEST(MappingTable, RemembersTheAccessesOfTheLastEpochAndNoEarlierOnes) {
  MappingTable table({4, 4, 2, 0});
  take(table, 0, 1);
  take(table, 1, 1);
  access(table, 0, 0, 9);
  table.end_epoch();
  access(table, 1, 0, 5);
  table.end_epoch();
  access(table, 0, 0, 1);  // 1 now, and 0 in the last epoch; the other one has 0 and 5
  EXPECT_EQ(take(table, 2, 1), Rows{0});
}

TEST(MappingTable, ReplacesASetThatCameInThisEpochOnlyIfThereIsNoOther) {
  MappingTable table({4, 4, 3, 0});
  take(table, 0, 2);
  access(table, 0, 0, 5);
  access(table, 0, 1, 6);
  table.end_epoch();
  take(table, 1, 1);  // has no access yet
  EXPECT_EQ(take(table, 2, 3), (Rows{0, 1, 100}));
}

TEST(MappingTable, ExchangesASetForOneThatNobodyAccessedOfLate) {
  MappingTable table({4, 4, 2, 0});
  take(table, 0, 1);
  take(table, 1, 1);
  access(table, 1, 0, 1);
  table.end_epoch();
  take(table, 2, 1);  // in the place of row 0
  ASSERT_TRUE(table.is_swapped(0, 0));
  EXPECT_FALSE(table.exchange(0, 0));  // row 1 was accessed, and row 2 has just come
  table.end_epoch();
  access(table, 2, 0, 1);
  const auto replaced = table.exchange(0, 0);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->row, 1u);
  EXPECT_FALSE(table.is_swapped(0, 0));
  EXPECT_TRUE(table.is_swapped(1, 0));
  EXPECT_EQ(table.swapped(), 1u);
  EXPECT_TRUE(table.closes());
}

TEST(MappingTable, ReplacesASetOfTheSameGroupAsLongAsThereIsOne) {
  MappingTable table({4, 4, 3, 0});
  for (const std::uint32_t row : {1u, 2u, 3u}) table.set_group(row, row == 1 ? 0 : 7);
  take(table, 1, 1);
  take(table, 2, 2);
  table.end_epoch();
  table.end_epoch();
  access(table, 2, 0, 2);
  access(table, 2, 1, 1);  // the set of row 1 was not accessed at all
  EXPECT_EQ(take(table, 3, 1), Rows{201});
  EXPECT_EQ(table.swapped_of_group(7), 1u);
  EXPECT_EQ(table.swapped_of_group(0), 0u);
  EXPECT_EQ(take(table, 0, 2), (Rows{100, 200}));  // then there is none of group 0 but of the row itself
  EXPECT_TRUE(table.closes());
}

TEST(MappingTable, DoesNotReplaceSetsOfTheRowThatTakes) {
  MappingTable table({4, 4, 2, 0});
  access(table, 0, 0, 0);
  take(table, 0, 1);
  take(table, 1, 1);
  access(table, 1, 0, 5);
  EXPECT_EQ(take(table, 0, 1), Rows{100});
  EXPECT_EQ(take(table, 0, 1), Rows{});  // the row has all physical sets, so the new one is swapped
  EXPECT_TRUE(table.is_swapped(0, 2));
  EXPECT_TRUE(table.closes());
}

TEST(MappingTable, LeavesSetsInSwapSpaceUntilTheyAreFetched) {
  MappingTable table({4, 4, 2, 0});
  take(table, 0, 2);
  take(table, 1, 1);
  EXPECT_TRUE(table.is_swapped(0, 0));
  table.give_back(1);
  EXPECT_TRUE(table.is_swapped(0, 0));
  EXPECT_EQ(table.free(), 1u);
  table.fetch(0, 0);
  EXPECT_FALSE(table.is_swapped(0, 0));
  EXPECT_EQ(table.swapped(), 0u);
}

TEST(MappingTable, NeverUsesFaultySets) {
  MappingTable table({4, 4, 8, 5});
  EXPECT_EQ(table.usable(), 3u);
  EXPECT_EQ(take(table, 0, 3), Rows{});
  EXPECT_EQ(take(table, 1, 1), Rows{0});
  EXPECT_TRUE(table.closes());
}

TEST(MappingTable, ClosesAfterEveryStepOfRandomSequences) {
  Random random(1);
  for (int i = 0; i < static_cast<int>(cases(2000)); ++i) {
    const MappingTable::Shape shape{8, 6, static_cast<std::uint32_t>(1 + random.below(40)), 0};
    MappingTable table(shape);
    for (int step = 0; step < 100; ++step) {
      const auto row = static_cast<std::uint32_t>(random.below(shape.rows));
      const std::uint32_t held = table.held(row);
      switch (random.below(5)) {
        case 0:
        case 1:
          if (held < shape.columns) table.take(row);
          break;
        case 2:
          if (held > 0) table.give_back(row);
          break;
        case 3:
          for (std::uint32_t column = 0; column < held; ++column)
            if (!table.access(row, column) && table.free() > 0) table.fetch(row, column);
          break;
        default:
          table.end_epoch();
      }
      ASSERT_TRUE(table.closes()) << "sequence " << i << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace heddle
