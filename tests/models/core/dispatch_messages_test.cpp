// The messages of SM dispatch own what they carry, and the memory of what no message holds is used again.

#include "models/core/kernel/dispatch_messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/core/base/recycler.h"

namespace heddle {
namespace {

TEST(DispatchMessages, FitOneLineOfTheHostsCache) {
  EXPECT_LE(sizeof(SmRequest), 56u);
  EXPECT_LE(sizeof(SmReply), 48u);
}

TEST(DispatchMessages, AStateLivesAsLongAsTheMessageThatCarriesIt) {
  auto state = std::make_shared<SavedBlock>();
  state->area = 7;
  const std::weak_ptr<SavedBlock> watched = state;
  SmReply saved = BlockSaved{KsrId{1}, BlockId{2}, std::move(state)};
  SmRequest issue = IssueBlock{KsrId{1}, BlockId{2}, std::get<BlockSaved>(saved).saved, nullptr};
  saved = BlockDone{};
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(std::get<IssueBlock>(issue).saved->area, 7u);
  issue = HaltBlocks{KsrId{1}};
  EXPECT_TRUE(watched.expired());
}

TEST(Recycler, GivesNoValueOutThatIsHeld) {
  Recycler<int> recycler;
  std::vector<std::shared_ptr<int>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(recycler.take());
    *held.back() = i;
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*held[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(recycler.size(), 4u);
  const int* const second = held[1].get();
  held.erase(held.begin() + 1);
  EXPECT_EQ(recycler.take().get(), second);
}

// Two messages are in flight at a time, and a third value is being made.
TEST(Recycler, MakesAsManyValuesAsAreHeldAtOnce) {
  Recycler<std::vector<int>> recycler;
  std::vector<std::shared_ptr<const std::vector<int>>> in_flight;
  for (int i = 0; i < 100; ++i) {
    const auto value = recycler.take();
    value->assign(3, i);
    in_flight.push_back(value);
    if (in_flight.size() > 2) in_flight.erase(in_flight.begin());
    EXPECT_EQ(in_flight.front()->front(), std::max(0, i - 1));
  }
  EXPECT_EQ(recycler.size(), 3u);
}

}  // namespace
}  // namespace heddle
