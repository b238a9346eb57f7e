// The parts of a controller that refresh and turn between reads and writes, each by itself: what they ask
// their policies, and which command a refresh needs. Then a channel that refreshes the same bank of each
// group.

#include "models/dram/refresh.h"

#include <gtest/gtest.h>

#include "models/dram/drain_mode.h"
#include "tests/support/dram/bank_refresh.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kRefi = 3604;

// Issues refreshes half an interval late, or after all of the time if requests wait.
class LateRefresh final : public RefreshPolicy {
 public:
  explicit LateRefresh(const PolicyParameters&) {}
  RefreshTimes decide(const RefreshView& view) override {
    return {std::min(view.due + view.interval / 2, view.latest), view.latest};
  }
};
HEDDLE_POLICY(RefreshPolicy, LateRefresh, "test-late", "half an interval late", "a test", {});

// Every drain is of one write more than the last one.
class GrowingDrain final : public WriteDrain {
 public:
  explicit GrowingDrain(const PolicyParameters&) {}
  WriteDrainBounds decide(const WriteDrainView& view) override { return {view.low + ++drains_, view.low}; }
  void reset() override { drains_ = 0; }

 private:
  std::uint32_t drains_ = 0;
};
HEDDLE_POLICY(WriteDrain, GrowingDrain, "test-growing", "one write more each time", "a test", {});

TEST(DrainMode, AsksItsPolicyForEachDrain) {
  DramSpec spec = gddr5_spec();
  spec.write_drain = {"test-growing", {}};
  DrainMode drain(spec);
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(drain.update(1, 16));
    EXPECT_TRUE(drain.update(1, 17));
    EXPECT_TRUE(drain.writing());
    EXPECT_TRUE(drain.update(1, 16));
    EXPECT_FALSE(drain.update(1, 17)) << "the second drain needs 18";
    EXPECT_TRUE(drain.update(1, 18));
    drain.reset();
    EXPECT_FALSE(drain.writing());
  }
}

TEST(DrainMode, ServesWhatAloneWaits) {
  DrainMode drain(gddr5_spec());
  EXPECT_TRUE(drain.update(0, 1));
  EXPECT_FALSE(drain.update(0, 0)) << "nothing waits";
  EXPECT_TRUE(drain.writing());
  EXPECT_TRUE(drain.update(1, 0));
  EXPECT_FALSE(drain.writing());
}

TEST(AllBankRefresh, TakesTheChannelWhenItIsIdleOrAfterTheTimeOfPostponement) {
  DramSpec spec = gddr5_spec(kGtx480Map, true);
  spec.refresh_postpone = 2;
  AllBankRefresh refresh(spec);
  EXPECT_FALSE(refresh.takes_channel(Cycle{kRefi - 1}, true));
  EXPECT_TRUE(refresh.takes_channel(Cycle{kRefi}, true));
  EXPECT_FALSE(refresh.takes_channel(Cycle{kRefi}, false));
  const Cycle last = refresh.next(false);
  EXPECT_LT(last, Cycle{3 * kRefi - 40}) << "rows must be closed before";
  EXPECT_TRUE(refresh.takes_channel(last, false));
  refresh.rows_closed();
  EXPECT_TRUE(refresh.takes_channel(Cycle{0}, false)) << "no row is opened before REF";
  refresh.issued();
  EXPECT_FALSE(refresh.takes_channel(last, false));
  EXPECT_EQ(refresh.next(true), Cycle{2 * kRefi});
}

TEST(AllBankRefresh, IsNeverDueWithoutRefreshesOfAllBanks) {
  EXPECT_EQ(AllBankRefresh(gddr5_spec()).next(true), Cycle::never());
  EXPECT_FALSE(AllBankRefresh(gddr5_spec()).takes_channel(Cycle{1'000'000}, true));
}

TEST(DramChannel, IssuesRefreshesWhenItsPolicySays) {
  DramSpec spec = gddr5_spec(kGtx480Map, true);
  spec.refresh_postpone = 1;
  spec.refresh_policy = {"test-late", {}};
  const auto channel = make_controller(spec);
  channel->account_until(Cycle{kRefi + kRefi / 2});
  EXPECT_EQ(channel->part(0).stats().commands(DramCommand::kRefresh), 0u);
  channel->account_until(Cycle{kRefi + kRefi / 2 + 1});
  EXPECT_EQ(channel->part(0).stats().commands(DramCommand::kRefresh), 1u);
}

TEST(BankRefresh, ClosesItsBanksOneAfterTheOtherAndThenRefreshesThem) {
  const DramStandard standard = gddr5_with_bank_refresh(true);
  const DramSpec spec = bank_refresh_spec(standard, 700, 0);
  const LocalMap map(spec.map);
  TimingTable timing(spec.timing, 4, 4);
  BankRefresh refresh(spec, map);
  EXPECT_EQ(refresh.banks(), 0x1111u) << "bank 0 of each group";
  EXPECT_FALSE(refresh.is_due(Cycle{699}));
  ASSERT_TRUE(refresh.is_due(Cycle{700}));
  ASSERT_TRUE(refresh.take_banks(Cycle{700}, ~BankMask{0}));
  timing.issue(DramCommand::kActivate, 4, Cycle{690});
  timing.issue(DramCommand::kActivate, 8, Cycle{680});
  BankRefresh::Command next = refresh.next_command(0x0312, timing, Cycle{0});
  EXPECT_EQ(next.command, DramCommand::kPrecharge);
  EXPECT_EQ(next.bank, 8u) << "the first that can be closed";
  EXPECT_EQ(next.legal, Cycle{680 + 28}) << "tRAS";
  timing.issue(DramCommand::kPrecharge, 8, Cycle{708});
  refresh.precharged(Cycle{708});
  EXPECT_EQ(refresh.next(Cycle{708}, 0), Cycle{709});
  next = refresh.next_command(0x0212, timing, Cycle{0});
  EXPECT_EQ(next.bank, 4u);
  timing.issue(DramCommand::kPrecharge, 4, Cycle{718});
  next = refresh.next_command(0x0202, timing, Cycle{0});
  EXPECT_EQ(next.command, DramCommand::kRefreshBank);
  EXPECT_EQ(next.legal, Cycle{730}) << "tRP after the last precharge, tRC after the last activate";
  EXPECT_EQ(refresh.next_command(0x0202, timing, Cycle{740}).legal, Cycle{740}) << "the bus";
  refresh.refreshed(Cycle{730});
  EXPECT_EQ(refresh.banks(), 0x2222u);
  EXPECT_FALSE(refresh.has_banks());
  EXPECT_EQ(refresh.next(Cycle{731}, 0), Cycle{1400});
}

TEST(BankRefresh, WaitsForRequestsOfItsBanksAsLongAsItMayBePostponed) {
  const DramStandard standard = gddr5_with_bank_refresh(false);
  const DramSpec spec = bank_refresh_spec(standard, 700, 1);
  BankRefresh refresh(spec, LocalMap(spec.map));
  EXPECT_EQ(refresh.banks(), 1u);
  EXPECT_FALSE(refresh.take_banks(Cycle{700}, 1));
  const Cycle forced = refresh.next(Cycle{700}, 1);
  EXPECT_GT(forced, Cycle{1200});
  EXPECT_LT(forced, Cycle{1400});
  EXPECT_EQ(refresh.next(Cycle{700}, 2), Cycle{701}) << "no request waits for bank 0 any more";
  EXPECT_FALSE(refresh.take_banks(forced - 1, 1));
  EXPECT_TRUE(refresh.take_banks(forced, 1));
}

// Watches that banks are refreshed when they are closed, and take no command while they are.
class SameBankWatch final : public DramObserver {
 public:
  void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t) override {
    if (now == last_) ++collisions;
    last_ = now;
    if (command == DramCommand::kRefreshBank) {
      EXPECT_EQ(group, 0u);
      EXPECT_EQ(bank, refreshes++ % 4);
      for (std::uint32_t each = bank; each < 16; each += 4) {
        open_at_refresh += open_[each] ? 1 : 0;
        busy_until_[each] = now + 60;
      }
      return;
    }
    const std::uint32_t number = group * 4 + bank;
    early += now < busy_until_[number] ? 1 : 0;
    if (command == DramCommand::kActivate) open_[number] = true;
    if (command != DramCommand::kActivate && command != DramCommand::kRead && command != DramCommand::kWrite)
      open_[number] = false;
  }

  std::uint64_t refreshes = 0, open_at_refresh = 0, early = 0, collisions = 0;

 private:
  std::array<bool, 16> open_{};
  std::array<Cycle, 16> busy_until_{};
  Cycle last_ = Cycle::never();
};

TEST(DramChannel, RefreshesTheSameBankOfEachGroupAmongRequests) {
  const DramStandard standard = gddr5_with_bank_refresh(true);
  for (const std::uint32_t postpone : {0U, 8U})
    for (const char* page : {"open", "closed"}) {
      const DramSpec spec = bank_refresh_spec(standard, 700, postpone);
      const auto channel = make_controller(spec, {"fr-fcfs", {}}, page);
      SameBankWatch watch;
      channel->observe(watch);
      const std::uint64_t requests = 20'000;
      const ChannelRun run =
          run_channel(*channel, MixedTraffic(7, requests, LocalMap(spec.map).bytes(), 30), 64);
      EXPECT_EQ(run.requests, requests);
      EXPECT_EQ(watch.open_at_refresh, 0u);
      EXPECT_EQ(watch.early, 0u);
      EXPECT_EQ(watch.collisions, 0u);
      EXPECT_LE(watch.refreshes, run.cycles / 700);
      EXPECT_GE(watch.refreshes + postpone + 1, run.cycles / 700);
    }
}

}  // namespace
}  // namespace heddle::test
