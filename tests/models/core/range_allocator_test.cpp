#include "models/core/base/range_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

TEST(RangeAllocator, TakesTheLowestRangeThatFits) {
  RangeAllocator ranges(16, 8);
  EXPECT_EQ(ranges.take(4), 0u);
  EXPECT_EQ(ranges.take(2), 4u);
  EXPECT_EQ(ranges.take(4), 6u);
  ranges.give_back(0, 4);
  EXPECT_EQ(ranges.take(5), 10u);  // the hole of four is too small
  EXPECT_EQ(ranges.take(3), 0u);
  EXPECT_EQ(ranges.free(), 2u);
  EXPECT_EQ(ranges.largest(), 1u);
  EXPECT_FALSE(ranges.fits(2));
}

TEST(RangeAllocator, JoinsWhatIsGivenBackWithItsNeighbours) {
  RangeAllocator ranges(12, 4);
  for (int i = 0; i < 4; ++i) ranges.take(3);
  EXPECT_EQ(ranges.free(), 0u);
  ranges.give_back(0, 3);
  ranges.give_back(6, 3);
  EXPECT_EQ(ranges.largest(), 3u);
  ranges.give_back(3, 3);  // the range between both holes
  EXPECT_EQ(ranges.largest(), 9u);
  ranges.give_back(9, 3);
  EXPECT_EQ(ranges.largest(), 12u);
  EXPECT_EQ(ranges.take(12), 0u);
}

TEST(RangeAllocator, NothingAtAllAlwaysFitsAndTakesNothing) {
  RangeAllocator ranges(4, 2);
  EXPECT_EQ(ranges.take(4), 0u);
  EXPECT_TRUE(ranges.fits(0));
  EXPECT_EQ(ranges.take(0), 0u);
  ranges.give_back(0, 0);
  EXPECT_EQ(ranges.free(), 0u);
  RangeAllocator none(0, 1);
  EXPECT_TRUE(none.fits(0));
  EXPECT_FALSE(none.fits(1));
}

TEST(RangeAllocator, RefusesWhatDoesNotFitAndWhatWasNotTaken) {
  RangeAllocator ranges(8, 4);
  ranges.take(4);
  EXPECT_THROW(ranges.take(5), std::logic_error);
  EXPECT_THROW(ranges.give_back(4, 1), std::logic_error);
  EXPECT_THROW(ranges.give_back(3, 2), std::logic_error);
  EXPECT_THROW(ranges.give_back(8, 1), std::logic_error);
  EXPECT_THROW(ranges.give_back(2, 0xffffffff), std::logic_error);
  ranges.give_back(0, 2);
  EXPECT_THROW(ranges.give_back(1, 2), std::logic_error);
  EXPECT_EQ(ranges.free(), 6u);
}

// The example of Warped-Slicer, Figure 2a: blocks of A and B alternate, and a block of B is twice the size of
// a block of A.
TEST(RangeAllocator, HolesOfOneKernelDoNotHoldABlockTwiceTheSize) {
  RangeAllocator shared(12, 8);
  for (std::uint32_t pair = 0; pair < 4; ++pair) {
    EXPECT_EQ(shared.take(1), 3 * pair);
    EXPECT_EQ(shared.take(2), 3 * pair + 1);
  }
  for (std::uint32_t pair = 0; pair < 4; ++pair) shared.give_back(3 * pair, 1);
  EXPECT_EQ(shared.free(), 4u);
  EXPECT_FALSE(shared.fits(2));
  // A block of B ends, and its range joins the holes on both sides.
  shared.give_back(4, 2);
  EXPECT_EQ(shared.largest(), 4u);
}

// For ranges of one size only their total size decides, in whatever order they are taken and returned.
TEST(RangeAllocator, RangesOfOneSizeNeverFragment) {
  Random random(5);
  for (std::uint32_t size = 1; size <= 7; ++size) {
    RangeAllocator ranges(40, 40);
    std::vector<std::uint32_t> taken;
    for (std::uint64_t step = 0; step < cases(2000); ++step) {
      ASSERT_EQ(ranges.fits(size), ranges.free() >= size);
      if (ranges.fits(size) && random.below(3) != 0) {
        taken.push_back(ranges.take(size));
      } else if (!taken.empty()) {
        std::swap(taken[random.below(taken.size())], taken.back());
        ranges.give_back(taken.back(), size);
        taken.pop_back();
      }
    }
  }
}

// A reference allocator with a flag for every unit, searched unit by unit.
class Bitmap {
 public:
  explicit Bitmap(std::uint32_t size) : taken_(size) {}
  // Returns the start of the lowest run of `size` free units, or the number of units if there is none.
  std::uint32_t find(std::uint32_t size) const {
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < taken_.size(); ++i) {
      run = taken_[i] ? 0 : run + 1;
      if (run == size) return i + 1 - size;
    }
    return static_cast<std::uint32_t>(taken_.size());
  }
  void mark(std::uint32_t start, std::uint32_t size, bool taken) {
    for (std::uint32_t i = start; i < start + size; ++i) taken_.at(i) = taken;
  }
  std::uint32_t free() const {
    return static_cast<std::uint32_t>(std::count(taken_.begin(), taken_.end(), false));
  }

 private:
  std::vector<bool> taken_;
};

TEST(RangeAllocator, AgreesWithAMapOfEveryUnit) {
  std::uint64_t fragmented = 0;
  for (std::uint64_t seed = 0; seed < cases(400); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto units = static_cast<std::uint32_t>(1 + random.below(96));
    RangeAllocator ranges(units, units);
    Bitmap map(units);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> taken;
    for (int step = 0; step < 300; ++step) {
      const auto size = static_cast<std::uint32_t>(1 + random.below(1 + units / 4));
      const std::uint32_t start = map.find(size);
      ASSERT_EQ(ranges.fits(size), start < units);
      if (start == units && map.free() >= size) ++fragmented;
      if (start < units && random.below(2) == 0) {
        ASSERT_EQ(ranges.take(size), start);
        map.mark(start, size, true);
        taken.emplace_back(start, size);
      } else if (!taken.empty()) {
        std::swap(taken[random.below(taken.size())], taken.back());
        ranges.give_back(taken.back().first, taken.back().second);
        map.mark(taken.back().first, taken.back().second, false);
        taken.pop_back();
      }
      ASSERT_EQ(ranges.free(), map.free());
    }
    for (const auto& [start, size] : taken) ranges.give_back(start, size);
    ASSERT_EQ(ranges.largest(), units);
  }
  EXPECT_GT(fragmented, 100u);
}

}  // namespace
}  // namespace heddle
