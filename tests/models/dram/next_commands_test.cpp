// The rows and requests of a controller's banks by themselves: what the next command of each bank is, and
// when it is legal. The test plays the controller. A bank is a bit of a mask.

#include "models/dram/next_commands.h"

#include <gtest/gtest.h>

#include "tests/support/dram/gddr5.h"

namespace heddle::test {
namespace {

using Kind = NextCommands::Kind;

class NextCommandsTest : public testing::Test {
 protected:
  // Adds a request. Returns the cycle at which its command is legal, or never.
  Cycle add(std::uint32_t bank, std::uint32_t row, bool write = false) {
    return commands_.add(
        {arrivals_, arrivals_++, Cycle{0}, row, bank, AccountId{}, write, RowOutcome::kHit, ContextId{}},
        bank / 4);
  }
  void activate(std::uint32_t bank, std::uint64_t now) {
    timing_.issue(DramCommand::kActivate, bank, Cycle{now});
    commands_.activated(bank);
  }
  NextCommands::Served read(std::uint32_t bank, std::uint64_t now, bool close = false) {
    const NextCommands::Served served = commands_.serve(bank);
    timing_.issue(close ? DramCommand::kReadAuto : DramCommand::kRead, bank, Cycle{now});
    commands_.served(bank, close);
    commands_.release_kept_rows();
    return served;
  }
  BankMask ready(Kind kind, std::uint64_t now) { return commands_.ready(kind, Cycle{now}, next_); }

  const DramSpec spec_ = gddr5_spec(kGroupAboveBank);  // four groups of four banks
  const LocalMap map_{spec_.map};
  TimingTable timing_{spec_.timing, map_.groups(), map_.banks_per_group()};
  std::unique_ptr<DramScheduler> scheduler_ = PolicyRegistry<DramScheduler>::make({"fr-fcfs", {}});
  NextCommands commands_{spec_, map_, timing_, *scheduler_};
  std::uint64_t arrivals_ = 0;
  Cycle next_ = Cycle::never();
};

TEST_F(NextCommandsTest, ARequestNeedsAnActivateThenAColumnThenItsRowStaysOpen) {
  EXPECT_EQ(add(3, 7), Cycle{0});
  EXPECT_EQ(ready(NextCommands::kActivate, 0), 0b1000u);
  EXPECT_EQ(commands_.to_activate(3).row, 7u);
  activate(3, 0);
  EXPECT_EQ(ready(NextCommands::kColumn, 11), 0u);
  EXPECT_EQ(next_, Cycle{12}) << "tRCDRD";
  EXPECT_EQ(ready(NextCommands::kColumn, 12), 0b1000u);
  const NextCommands::Served served = read(3, 12);
  EXPECT_EQ(served.request.outcome, RowOutcome::kMiss);
  EXPECT_FALSE(served.more_waiting);
  EXPECT_EQ(commands_.waiting(), 0u);
  EXPECT_EQ(commands_.open(), 0b1000u);
}

TEST_F(NextCommandsTest, AnotherRowNeedsAPrechargeAndIsAConflict) {
  add(0, 1);
  activate(0, 0);
  read(0, 12);
  EXPECT_EQ(add(0, 2), Cycle{28}) << "tRAS";
  EXPECT_EQ(ready(NextCommands::kPrecharge, 28), 1u);
  timing_.issue(DramCommand::kPrecharge, 0, Cycle{28});
  commands_.precharged(0);
  activate(0, 40);
  EXPECT_EQ(read(0, 52).request.outcome, RowOutcome::kConflict);
}

TEST_F(NextCommandsTest, ARowThatARefreshHasClosedIsAMiss) {
  add(0, 1);
  activate(0, 0);
  timing_.issue(DramCommand::kPrechargeAll, 0, Cycle{28});
  commands_.precharged_all();
  EXPECT_EQ(commands_.open(), 0u);
  activate(0, 40);
  EXPECT_EQ(read(0, 52).request.outcome, RowOutcome::kMiss);
}

TEST_F(NextCommandsTest, OnlyRequestsOfTheDirectionHaveACommand) {
  EXPECT_EQ(add(0, 1, true), Cycle::never());
  EXPECT_EQ(commands_.waiting(), 0u);
  EXPECT_EQ(commands_.banks_waiting(), 1u);
  commands_.turn(true);
  EXPECT_EQ(commands_.waiting(NextCommands::kActivate), 1u);
  add(1, 1);
  EXPECT_EQ(commands_.waiting(), 1u);
  commands_.turn(false);
  EXPECT_EQ(commands_.waiting(), 2u);
}

TEST_F(NextCommandsTest, ARowThatWritesOpenedIsKeptForThemUntilNothingElseWaits) {
  add(0, 1, true);
  commands_.turn(true);
  activate(0, 0);
  commands_.turn(false);
  add(1, 9);
  add(0, 2);  // of another row than that of the write
  EXPECT_EQ(commands_.waiting(), 2u) << "bank 0 keeps its row for the write";
  activate(1, 10);
  read(1, 22);
  EXPECT_EQ(commands_.waiting(NextCommands::kPrecharge), 1u);
}

TEST_F(NextCommandsTest, ARefreshHoldsBanksAndReleasesThem) {
  add(2, 1);
  add(3, 1);
  commands_.hold(0b0100);
  EXPECT_EQ(commands_.waiting(), 0b1000u);
  EXPECT_EQ(add(2, 1), Cycle::never());
  timing_.issue(DramCommand::kActivate, 5, Cycle{0});
  commands_.release(0b0100);
  EXPECT_EQ(commands_.waiting(NextCommands::kActivate), 0b1100u);
  EXPECT_EQ(commands_.next_event(Cycle{100}), Cycle{6}) << "tRRDS";
  EXPECT_EQ(commands_.next_event(Cycle{2}), Cycle{2});
}

TEST_F(NextCommandsTest, AColumnThatClosesItsRowLeavesTheBankClosed) {
  add(0, 1);
  add(0, 2);
  activate(0, 0);
  read(0, 12, true);
  EXPECT_EQ(commands_.open(), 0u);
  EXPECT_EQ(commands_.waiting(NextCommands::kActivate), 1u);
  EXPECT_EQ(ready(NextCommands::kActivate, 39), 0u) << "tRC";
  EXPECT_EQ(ready(NextCommands::kActivate, 40), 1u);
  commands_.reset();
  EXPECT_EQ(commands_.banks_waiting(), 0u);
  EXPECT_TRUE(commands_.queue().empty());
}

}  // namespace
}  // namespace heddle::test
