// The states of blocks that move one after another at a rate.

#include "models/sm/timed/state_transfers.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint64_t kByte = kFullRate;  // a byte per cycle, as a rate

StateTransfers::Transfer store(std::uint64_t number, std::uint32_t ksr = 0) {
  return {KsrId{ksr}, BlockId{number}, number, nullptr, false};
}

TEST(StateTransfers, NothingMovesWithoutARate) {
  StateTransfers transfers(4);
  transfers.add(store(0), 1000, Cycle{5});
  EXPECT_EQ(transfers.next_end(), Cycle::never());
  transfers.set_rate(100 * kByte, Cycle{50});
  EXPECT_EQ(transfers.next_end(), Cycle{60});
}

// The third of three transfers of 1000 bytes ends when 3000 bytes have moved.
TEST(StateTransfers, TheyMoveOneAfterAnotherWithoutAGap) {
  StateTransfers transfers(4);
  transfers.set_rate(300 * kByte, Cycle{0});
  for (std::uint64_t i = 0; i < 3; ++i) transfers.add(store(i), 1000, Cycle{0});
  for (const std::uint64_t end : {4u, 7u, 10u}) {
    ASSERT_EQ(transfers.next_end(), Cycle{end});
    transfers.take_ended(Cycle{end});
  }
  EXPECT_TRUE(transfers.empty());
}

TEST(StateTransfers, SeveralMayEndInOneCycle) {
  StateTransfers transfers(4);
  transfers.set_rate(1000 * kByte, Cycle{0});
  for (std::uint64_t i = 0; i < 3; ++i) transfers.add(store(i), 400, Cycle{7});
  EXPECT_EQ(transfers.next_end(), Cycle{8});
  EXPECT_EQ(transfers.take_ended(Cycle{8}).number, 0u);
  EXPECT_EQ(transfers.next_end(), Cycle{8});
  EXPECT_EQ(transfers.take_ended(Cycle{8}).number, 1u);
  EXPECT_EQ(transfers.next_end(), Cycle{9});
  EXPECT_EQ(transfers.take_ended(Cycle{9}).number, 2u);
}

TEST(StateTransfers, AChangeOfRateCountsFromItsCycleOn) {
  StateTransfers transfers(4);
  transfers.set_rate(100 * kByte, Cycle{0});
  transfers.add(store(0), 1000, Cycle{0});
  transfers.set_rate(50 * kByte, Cycle{4});  // 600 are left
  EXPECT_EQ(transfers.next_end(), Cycle{16});
  transfers.set_rate(kByte / 2, Cycle{15});  // 50 are left
  EXPECT_EQ(transfers.next_end(), Cycle{115});
}

TEST(StateTransfers, OnlyALoadIsGivenUpAndTheNextOneGoesOn) {
  StateTransfers transfers(4);
  transfers.set_rate(100 * kByte, Cycle{0});
  transfers.add({KsrId{1}, BlockId{7}, 3, std::make_shared<SavedBlock>(), true}, 1000, Cycle{0});
  transfers.add(store(8, 1), 500, Cycle{0});
  EXPECT_FALSE(transfers.give_up(KsrId{1}, BlockId{8}, Cycle{4}));
  EXPECT_FALSE(transfers.give_up(KsrId{0}, BlockId{7}, Cycle{4}));
  const auto given_up = transfers.give_up(KsrId{1}, BlockId{7}, Cycle{4});
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->number, 3u);
  EXPECT_EQ(transfers.next_end(), Cycle{9});
}

TEST(StateTransfers, ThoseOfAKernelAreTakenAwayTogether) {
  StateTransfers transfers(4);
  transfers.set_rate(100 * kByte, Cycle{0});
  for (std::uint32_t i = 0; i < 4; ++i) transfers.add(store(i, i % 2), 1000, Cycle{0});
  std::vector<StateTransfers::Transfer> gone;
  transfers.remove_all(KsrId{0}, gone, Cycle{5});
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[1].number, 2u);
  EXPECT_EQ(transfers.next_end(), Cycle{15});
  transfers.reset();
  EXPECT_TRUE(transfers.empty());
}

}  // namespace
}  // namespace heddle
