#include "models/core/base/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "models/core/base/random.h"

namespace heddle {
namespace {

TEST(Ring, FirstInFirstOutAcrossTheWrap) {
  Ring<int> ring(3);
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.capacity(), 3u);
  for (int i = 0; i < 3; ++i) ring.push(i);
  EXPECT_TRUE(ring.full());
  ring.pop();
  ring.pop();
  ring.push(3);
  ring.push(4);
  EXPECT_EQ(ring.front(), 2);
  EXPECT_EQ(ring.back(), 4);
  EXPECT_EQ(ring[1], 3);
  EXPECT_TRUE(ring.full());
}

TEST(Ring, HoldsWhatCanOnlyBeMoved) {
  Ring<std::unique_ptr<int>> ring(1);
  ring.push(std::make_unique<int>(7));
  EXPECT_EQ(*ring.front(), 7);
}

TEST(Ring, RemoveKeepsTheOrderOfTheOthers) {
  Ring<int> ring(4);
  for (int i = 0; i < 3; ++i) ring.push(i);
  ring.pop();
  ring.push(3);
  ring.push(4);  // 1 2 3 4, wrapped
  ring.remove(1);
  ASSERT_EQ(ring.size(), 3u);
  EXPECT_EQ(ring[0], 1);
  EXPECT_EQ(ring[1], 3);
  EXPECT_EQ(ring[2], 4);
  ring.remove(2);
  EXPECT_EQ(ring.back(), 3);
}

TEST(Ring, AgreesWithADeque) {
  Random random(3);
  Ring<std::uint64_t> ring(7);
  std::deque<std::uint64_t> model;
  for (int step = 0; step < 10'000; ++step) {
    const std::uint64_t action = random.below(4);
    if (action <= 1 && !ring.full()) {
      model.push_back(random.next());
      ring.push(model.back());
    } else if (action == 2 && !ring.empty()) {
      model.pop_front();
      ring.pop();
    } else if (action == 3 && !ring.empty()) {
      const auto i = static_cast<std::size_t>(random.below(ring.size()));
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(i));
      ring.remove(i);
    }
    ASSERT_EQ(ring.size(), model.size());
    for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(ring[i], model[i]);
  }
}

}  // namespace
}  // namespace heddle
