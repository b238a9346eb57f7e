#include "models/core/base/free_list.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

TEST(FreeList, GivesNumbersFromZeroOn) {
  FreeList list(3);
  EXPECT_EQ(list.left(), 3u);
  for (std::uint32_t number = 0; number < 3; ++number) {
    EXPECT_EQ(list.next(), number);
    EXPECT_EQ(list.take(), number);
  }
  EXPECT_TRUE(list.empty());
}

TEST(FreeList, GivesWhatCameBackLastBeforeANewNumber) {
  FreeList list(4);
  list.take();
  list.take();
  list.give_back(0);
  EXPECT_EQ(list.take(), 0u);
  EXPECT_EQ(list.take(), 2u);
  EXPECT_EQ(list.used(), 3u);
}

TEST(FreeList, IsAStackOfAllNumbersWithZeroOnTop) {
  constexpr std::uint32_t kCount = 20;
  FreeList list(kCount);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t number = kCount; number-- > 0;) stack.push_back(number);
  std::vector<std::uint32_t> taken;
  Random random(7);
  for (int step = 0; step < 10'000; ++step) {
    ASSERT_EQ(list.left(), stack.size());
    ASSERT_EQ(list.in_use(), taken.size());
    const bool takes = taken.empty() || (!stack.empty() && random.below(2) == 0);
    if (takes) {
      ASSERT_EQ(list.next(), stack.back());
      taken.push_back(list.take());
      ASSERT_EQ(taken.back(), stack.back());
      stack.pop_back();
    } else {
      std::swap(taken[random.below(taken.size())], taken.back());
      list.give_back(taken.back());
      stack.push_back(taken.back());
      taken.pop_back();
    }
  }
}

TEST(FreeList, StartsAgainAfterAReset) {
  FreeList list(5);
  list.take();
  list.take();
  list.give_back(0);
  list.reset();
  EXPECT_EQ(list.in_use(), 0u);
  EXPECT_EQ(list.used(), 0u);
  EXPECT_EQ(list.take(), 0u);
}

}  // namespace
}  // namespace heddle
