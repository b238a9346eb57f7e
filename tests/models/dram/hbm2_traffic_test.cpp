// These tests send reads and writes to an HBM2 channel under many settings of its controllers. The oracle
// checks the commands of both pseudo-channels together, and the tests check answers and counters.

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/support/dram/hbm2.h"
#include "tests/support/dram/hbm2_oracle.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::size_t kDeep = 128;  // reads outstanding

struct Setting {
  std::string name;
  DramSpec spec;
  std::string scheduler = "fr-fcfs";
  std::string page = "open";
  std::uint64_t writes_percent = 40;
};

std::string name_of(const testing::TestParamInfo<Setting>& info) {
  return info.param.name;
}

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.name;
}

enum class Refresh { kOff, kAll, kBank };

DramSpec refreshed(DramSpec spec, Refresh refresh, std::uint32_t postpone = 0) {
  spec.refresh = refresh != Refresh::kOff;
  spec.refresh_by_bank = refresh == Refresh::kBank;
  spec.refresh_postpone = postpone;
  return spec;
}

std::vector<Setting> settings() {
  const DramSpec one = hbm2_spec();
  const DramSpec two = hbm2_two_stacks_spec();
  return {
      {"NoRefresh", refreshed(one, Refresh::kOff)},
      {"All", refreshed(one, Refresh::kAll)},
      {"Bank", refreshed(one, Refresh::kBank)},
      {"AllPostponed", refreshed(one, Refresh::kAll, 8)},
      {"BankPostponed", refreshed(one, Refresh::kBank, 8)},
      {"BankClosed", refreshed(one, Refresh::kBank), "fr-fcfs", "closed"},
      {"AllClosed", refreshed(one, Refresh::kAll), "fr-fcfs-cap", "closed"},
      {"BankFcfs", refreshed(one, Refresh::kBank), "fcfs"},
      {"BankReadsAlone", refreshed(one, Refresh::kBank), "fr-fcfs", "open", 0},
      {"BankWritesAlone", refreshed(one, Refresh::kBank, 1), "fr-fcfs", "open", 100},
      {"TwoStacksAll", refreshed(two, Refresh::kAll)},
      {"TwoStacksBank", refreshed(two, Refresh::kBank)},
      {"TwoStacksClosed", refreshed(two, Refresh::kBank, 2), "fcfs", "closed"},
  };
}

// Checks that every request is counted as a row hit, a miss or a conflict, that every clock cycle of both
// data buses is counted as busy or lost, and that refreshes were issued when they were due.
void expect_accounts(const DramChannel& channel, const ChannelRun& run, const DramSpec& spec,
                     const std::map<DramCommand, std::uint64_t>& counts) {
  std::uint64_t outcomes = 0, busy = 0, lost = 0;
  for (std::uint32_t i = 0; i < channel.parts(); ++i) {
    for (const RowOutcome outcome : {RowOutcome::kHit, RowOutcome::kMiss, RowOutcome::kConflict})
      outcomes += channel.part(i).stats().outcomes(outcome);
    const DataBusAccount& bus = channel.part(i).stats().data_bus();
    busy += bus.busy();
    for (std::size_t reason = 0; reason < DataBusAccount::kReasons; ++reason)
      lost += bus.lost(static_cast<DataBusAccount::Reason>(reason));
    EXPECT_GE(bus.cycles(), run.cycles);
    EXPECT_LE(bus.cycles(), run.cycles + 1);
  }
  EXPECT_EQ(outcomes, run.requests);
  EXPECT_EQ(busy, spec.timing.burst() * run.requests);
  EXPECT_EQ(lost + busy,
            channel.part(0).stats().data_bus().cycles() + channel.part(1).stats().data_bus().cycles());
  if (!spec.refresh) return;
  const DramCommand command = spec.refresh_by_bank ? DramCommand::kRefreshBank : DramCommand::kRefresh;
  const std::uint64_t due = 2 * (run.cycles / spec.timing[spec.refresh_by_bank ? "refisb" : "refi"]);
  ASSERT_EQ(counts.count(command), due > 2 * spec.refresh_postpone + 2 ? 1u : counts.count(command));
  const std::uint64_t issued = counts.count(command) == 0 ? 0 : counts.at(command);
  EXPECT_LE(issued, due);
  EXPECT_GE(issued + 2 * (spec.refresh_postpone + 2), due);
}

class Hbm2Traffic : public testing::TestWithParam<Setting> {};

TEST_P(Hbm2Traffic, KeepsEveryRuleAnswersEveryRequestAndAccountsForEveryCycle) {
  const Setting& setting = GetParam();
  const auto channel = make_controller(setting.spec, {setting.scheduler, {}}, setting.page);
  const std::uint64_t bytes = channel->map().bytes();
  Hbm2Oracle oracle(setting.spec.timing, setting.spec.map.stack_ids);
  channel->observe(oracle);
  const std::uint64_t requests = cases(14'000);
  // Half of the requests go to a few rows only, so that many of them need different rows of one bank.
  MixedTraffic wide(1, requests / 2, bytes, setting.writes_percent, 32);
  MixedTraffic narrow(2, requests / 2, 1 << 18, setting.writes_percent, 32);
  const ChannelRun run = run_channel(
      *channel, [&](DramRequest& request) { return wide(request) || narrow(request); }, kDeep);
  EXPECT_TRUE(oracle.violations.empty()) << oracle.violations.begin()->first;
  EXPECT_EQ(run.requests, requests);
  expect_accounts(*channel, run, setting.spec, oracle.counts);
}

INSTANTIATE_TEST_SUITE_P(, Hbm2Traffic, testing::ValuesIn(settings()), name_of);

std::uint32_t between(Random& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

DramSpec random_spec(Random& random) {
  DramSpec spec = random.below(2) == 0 ? hbm2_spec() : hbm2_two_stacks_spec();
  std::vector<char> letters(spec.map.bits.begin(), spec.map.bits.end() - 5);
  random.shuffle(letters);
  spec.map.bits = std::string(letters.begin(), letters.end()) + "SSSSS";
  DramTiming& t = spec.timing;
  t["burst"] = between(random, 1, 4);
  for (std::uint32_t* value : {&t["cl"], &t["wl"], &t["rcdrd"], &t["rcdwr"], &t["rp"], &t["rrds"], &t["rrdl"],
                               &t["wtrs"], &t["wtrl"], &t["wr"], &t["rtp"], &t["rrefd"]})
    *value = between(random, 1, 20);
  t["ras"] = between(random, 1, 40);
  t["rc"] = between(random, t["ras"] + t["rp"], 70);
  t["ccds"] = between(random, t["burst"], 6);
  t["ccdl"] = between(random, t["ccds"], 8);
  t["ccdr"] = between(random, t["ccds"], 8);
  t["rtw"] = between(random, t["cl"] + t["burst"], 40);
  t["faw"] = between(random, 1, 60);
  t["rfc"] = between(random, 1, 300);
  t["refi"] = between(random, 800, 4000);
  t["rfcsb"] = between(random, 1, 200);
  t["refisb"] = between(random, 200, 400);
  spec = refreshed(spec, static_cast<Refresh>(random.below(3)), between(random, 0, 8));
  spec.queue = between(random, 1, 64);
  spec.write_high = between(random, 1, spec.queue);
  spec.write_low = between(random, 0, spec.write_high - 1);
  return spec;
}

TEST(Hbm2Channel, KeepsEveryRuleOfRandomTimingsAndMaps) {
  for (std::uint64_t i = 0; i < cases(300); ++i) {
    SCOPED_TRACE(i);
    Random random(i);
    const DramSpec spec = random_spec(random);
    const auto channel = make_controller(spec, {random.below(2) == 0 ? "fr-fcfs" : "fcfs", {}},
                                         random.below(2) == 0 ? "open" : "closed");
    Hbm2Oracle oracle(spec.timing, spec.map.stack_ids);
    channel->observe(oracle);
    const std::uint64_t bytes = random.below(2) == 0 ? channel->map().bytes() : 1 << 18;
    const ChannelRun run = run_channel(*channel, MixedTraffic(i, 800, bytes, random.below(101), 32), kDeep);
    EXPECT_TRUE(oracle.violations.empty()) << oracle.violations.begin()->first;
    EXPECT_EQ(run.requests, 800u);
    expect_accounts(*channel, run, spec, oracle.counts);
  }
}

// Requests come in groups with pauses between them, so that refreshes are postponed and made up for. The
// owner must call tick() in the cycles that next_wake() returns. The channel issues the same commands and
// gives the same answers if tick() is called in every cycle.
TEST(Hbm2Channel, IsTheSameHoweverOftenItIsTicked) {
  class Log final : public DramObserver {
   public:
    void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
                 std::uint32_t row) override {
      issued.push_back({now.value, static_cast<std::uint64_t>(command), group, bank, row});
    }
    std::vector<std::array<std::uint64_t, 5>> issued;
  };
  for (const Refresh refresh : {Refresh::kAll, Refresh::kBank}) {
    std::array<Log, 2> log;
    for (const bool every : {false, true}) {
      const auto channel = make_controller(refreshed(hbm2_spec(), refresh, 1));
      channel->observe(log[every]);
      Random random(5);
      Cycle now{0};
      std::set<std::uint64_t> answered;
      for (std::uint64_t token = 0; token < 3000 || !channel->idle();) {
        const Address local = random.below(1 << 14) * 32;
        if (token < 3000 && !channel->full(local) && random.below(3) != 0)
          channel->accept({local, random.below(3) == 0, token++}, now);
        const Cycle end = now + (random.below(100) == 0 ? random.below(20'000) : random.below(9));
        for (; now <= end; now = now + 1)
          if (every || channel->next_wake() <= now)
            if (const auto done = channel->tick(now)) answered.insert(done->token);
      }
      channel->account_until(now);
      EXPECT_EQ(answered.size(), 3000u);
    }
    EXPECT_GT(log[0].issued.size(), 6000u);
    EXPECT_EQ(log[0].issued, log[1].issued);
  }
}

// Without requests, the refreshes of both pseudo-channels share the row bus as they do otherwise.
TEST(Hbm2Channel, SleepsWithoutRequestsAndMakesUpForItsRefreshes) {
  for (const Refresh refresh : {Refresh::kAll, Refresh::kBank}) {
    const DramSpec spec = refreshed(hbm2_spec(), refresh);
    const auto channel = make_controller(spec);
    Hbm2Oracle oracle(spec.timing, 1);
    channel->observe(oracle);
    EXPECT_EQ(channel->next_wake(), Cycle::never());
    const std::uint64_t interval = spec.timing[refresh == Refresh::kBank ? "refisb" : "refi"];
    channel->account_until(Cycle{10'000 * interval + 2});
    EXPECT_TRUE(oracle.violations.empty()) << oracle.violations.begin()->first;
    EXPECT_EQ(oracle.counts[refresh == Refresh::kBank ? DramCommand::kRefreshBank : DramCommand::kRefresh],
              20'000u);
  }
}

// A full queue of one pseudo-channel does not stop requests to the other one.
TEST(Hbm2Channel, EachPseudoChannelHasAQueueOfItsOwn) {
  DramSpec spec = hbm2_spec();
  spec.queue = 2;
  const auto channel = make_controller(spec);
  const Address other = Hbm2Place{0, 0, 0, 0, 1}.in_one_stack();
  for (Address column = 0; column < 2; ++column)
    channel->accept({Hbm2Place{0, 0, 0, column}.in_one_stack(), false, column}, Cycle{0});
  EXPECT_TRUE(channel->full(0));
  EXPECT_FALSE(channel->full(other));
  channel->accept({other, false, 2}, Cycle{0});
  std::vector<std::uint64_t> order;
  for (Cycle now{0}; !channel->idle(); now = channel->next_wake())
    if (const auto done = channel->tick(now)) order.push_back(done->token);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 2, 1}))
      << "the activate of the other one waits for two clocks";
}

}  // namespace
}  // namespace heddle::test
