// The DRAM controller under every kind of traffic: the oracle checks its commands, and the tests check its
// answers and its counters.

#include "models/dram/dram_controller.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "models/core/base/check.h"
#include "tests/support/dram/gddr5.h"
#include "tests/support/dram/gddr5_oracle.h"
#include "tests/support/dram/hbm2.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

struct Setting {
  std::string name;
  DramSpec spec;
  PolicyChoice scheduler;
  std::string page;
  std::uint64_t writes_percent = 40;
};

std::string name_of(const testing::TestParamInfo<Setting>& info) {
  return info.param.name;
}

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.name;
}

DramSpec with(DramSpec spec, void (*change)(DramSpec&)) {
  change(spec);
  return spec;
}

std::vector<Setting> settings() {
  const DramSpec gtx480 = gddr5_spec(kGtx480Map, true);
  const DramSpec rows = gddr5_spec(kRowBankGroupColumn, true);
  const DramSpec groups = gddr5_spec(kGroupAboveBank, true);
  return {
      {"Gtx480", gtx480, {"fr-fcfs", {}}, "open"},
      {"Closed", gtx480, {"fr-fcfs", {}}, "closed"},
      {"Cap", rows, {"fr-fcfs-cap", {{"cap", 4}}}, "open"},
      {"CapClosed", groups, {"fr-fcfs-cap", {}}, "closed"},
      {"Fcfs", rows, {"fcfs", {}}, "open"},
      {"FcfsClosed", groups, {"fcfs", {}}, "closed"},
      {"ReadsAlone", groups, {"fr-fcfs", {}}, "open", 0},
      {"WritesAlone", gtx480, {"fr-fcfs", {}}, "open", 100},
      {"PostponedRefresh",
       with(gtx480, [](DramSpec& s) { s.refresh_postpone = 8; }),
       {"fr-fcfs", {}},
       "open"},
      {"PostponedOnce", with(gtx480, [](DramSpec& s) { s.refresh_postpone = 1; }), {"fr-fcfs", {}}, "closed"},
      {"FastActivates",
       with(rows, [](DramSpec& s) { s.timing["rrds"] = s.timing["rrdl"] = 2; }),
       {"fr-fcfs", {}},
       "open"},
      {"Hashed",
       with(gtx480,
            [](DramSpec& s) {
              s.map.bank_hash = {{'G', 0, {16, 18}}, {'G', 1, {17}}, {'B', 0, {19, 20}}};
            }),
       {"fr-fcfs", {}},
       "open"},
      {"ShortQueue",
       with(gtx480,
            [](DramSpec& s) {
              s.queue = 3;
              s.write_high = 2;
              s.write_low = 0;
            }),
       {"fr-fcfs", {}},
       "open"},
      {"OneBank",
       with(gtx480, [](DramSpec& s) { s.map.bits = "RRRRRRRRRRCCCCCCSSSSSS"; }),
       {"fr-fcfs", {}},
       "open"},
  };
}

class DramTraffic : public testing::TestWithParam<Setting> {};

TEST_P(DramTraffic, KeepsEveryRuleAnswersEveryRequestAndAccountsForEveryCycle) {
  const Setting& setting = GetParam();
  const auto controller = make_controller(setting.spec, setting.scheduler, setting.page);
  const LocalMap& map = controller->map();
  Gddr5Oracle oracle(setting.spec.timing, map.groups(), map.banks_per_group());
  controller->observe(oracle);
  const std::uint64_t requests = cases(7'000);
  // Half of the requests go to a few rows only, so that many of them need different rows of one bank.
  MixedTraffic wide(1, requests / 2, map.bytes(), setting.writes_percent);
  MixedTraffic narrow(2, requests / 2, std::min<std::uint64_t>(map.bytes(), 1 << 19), setting.writes_percent);
  const ChannelRun run = run_channel(
      *controller, [&](DramRequest& request) { return wide(request) || narrow(request); }, 64);

  EXPECT_TRUE(oracle.violations.empty()) << oracle.violations.begin()->first;
  EXPECT_EQ(run.requests, requests);
  std::uint64_t outcomes = 0;
  for (const RowOutcome outcome : {RowOutcome::kHit, RowOutcome::kMiss, RowOutcome::kConflict})
    outcomes += controller->part(0).stats().outcomes(outcome);
  EXPECT_EQ(outcomes, requests);
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < DataBusAccount::kReasons; ++i)
    lost += controller->part(0).stats().data_bus().lost(static_cast<DataBusAccount::Reason>(i));
  EXPECT_EQ(controller->part(0).stats().data_bus().busy(), 2 * requests);
  EXPECT_EQ(lost + 2 * requests, run.cycles);
  const std::uint64_t due = run.cycles / setting.spec.timing["refi"];
  EXPECT_LE(oracle.counts[DramCommand::kRefresh], due);
  EXPECT_GE(oracle.counts[DramCommand::kRefresh] + setting.spec.refresh_postpone + 1, due);
}

INSTANTIATE_TEST_SUITE_P(, DramTraffic, testing::ValuesIn(settings()), name_of);

std::uint32_t between(Random& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

DramSpec random_spec(Random& random) {
  DramSpec spec = gddr5_spec(kGtx480Map, random.below(4) != 0);
  std::string& bits = spec.map.bits;
  bits = std::string(between(random, 1, 4), 'G').substr(1) +
         std::string(between(random, 1, 3), 'B').substr(1) + std::string(between(random, 2, 8), 'R') +
         std::string(between(random, 1, 6), 'C');
  std::vector<char> letters(bits.begin(), bits.end());
  random.shuffle(letters);
  bits = std::string(letters.begin(), letters.end()) + "SSSSSS";
  DramTiming& t = spec.timing;
  t["burst"] = between(random, 1, 4);
  for (std::uint32_t* value : {&t["cl"], &t["wl"], &t["rcdrd"], &t["rcdwr"], &t["rp"], &t["rrds"], &t["rrdl"],
                               &t["wtrs"], &t["wtrl"], &t["wr"], &t["rtp"], &t["ppd"]})
    *value = between(random, 1, 20);
  t["ras"] = between(random, 1, 40);
  t["rc"] = between(random, 1, 70);
  t["ccds"] = between(random, t["burst"], 6);
  t["ccdl"] = between(random, t["burst"], 8);
  t["rtw"] = between(random, t["cl"] + t["burst"], 40);
  t["faw"] = between(random, 1, 60);
  t["aw32"] = between(random, 1, 500);
  t["rfc"] = between(random, 1, 100);
  t["refi"] = between(random, 600, 4000);
  spec.refresh_postpone = between(random, 0, 8);
  spec.queue = between(random, 1, 64);
  spec.write_high = between(random, 1, spec.queue);
  spec.write_low = between(random, 0, spec.write_high - 1);
  return spec;
}

TEST(DramController, KeepsEveryRuleOfRandomTimingsAndMaps) {
  Random random(17);
  const auto pick = [&](const char* decision) {
    const auto names = PolicyCatalogue::instance().names(decision);
    return names[random.below(names.size())];
  };
  for (std::uint64_t i = 0; i < cases(60); ++i) {
    const DramSpec spec = random_spec(random);
    const auto controller = make_controller(spec, {pick("dram_scheduler"), {}}, pick("page_policy"));
    const LocalMap& map = controller->map();
    Gddr5Oracle oracle(spec.timing, map.groups(), map.banks_per_group());
    controller->observe(oracle);
    const ChannelRun run = run_channel(*controller, MixedTraffic(i, 800, map.bytes(), random.below(101)), 64);
    ASSERT_TRUE(oracle.violations.empty()) << "case " << i << ": " << oracle.violations.begin()->first;
    ASSERT_EQ(run.requests, 800u);
    ASSERT_EQ(oracle.counts[DramCommand::kRead] + oracle.counts[DramCommand::kReadAuto] +
                  oracle.counts[DramCommand::kWrite] + oracle.counts[DramCommand::kWriteAuto],
              800u);
    std::uint64_t accounted = controller->part(0).stats().data_bus().busy();
    for (std::size_t reason = 0; reason < DataBusAccount::kReasons; ++reason)
      accounted += controller->part(0).stats().data_bus().lost(static_cast<DataBusAccount::Reason>(reason));
    ASSERT_EQ(accounted, run.cycles) << "case " << i;
  }
}

// Bursts of requests with pauses. Each token is returned once, also when tick() is called between the
// requested cycles.
TEST(DramController, AnswersEveryRequestOnceAndIsTheSameHoweverOftenItIsTicked) {
  for (const std::string& scheduler : PolicyCatalogue::instance().names(DramScheduler::kDecision)) {
    std::array<std::vector<std::uint64_t>, 2> done;
    std::array<std::uint64_t, 2> refreshes{};
    for (const bool every : {false, true}) {
      const auto controller = make_controller(gddr5_spec(kGtx480Map, true), {scheduler, {}});
      Random random(5);
      Cycle now{0};
      for (std::uint64_t token = 0; token < 3000 || !controller->idle();) {
        if (token < 3000 && !controller->full(0) && random.below(3) != 0)
          controller->accept({random.below(1 << 13) * 64, random.below(3) == 0, token++}, now);
        const Cycle end = now + (random.below(100) == 0 ? random.below(20'000) : random.below(9));
        for (; now <= end; now = now + 1)
          if (every || controller->next_wake() <= now)
            if (const auto completion = controller->tick(now)) {
              done[every].push_back(completion->token);
              done[every].push_back(completion->last_beat.value);
            }
      }
      controller->account_until(now);
      refreshes[every] = controller->part(0).stats().commands(DramCommand::kRefresh);
      std::set<std::uint64_t> tokens;
      for (std::size_t i = 0; i < done[every].size(); i += 2) tokens.insert(done[every][i]);
      EXPECT_EQ(tokens.size(), 3000u) << scheduler;
      EXPECT_EQ(done[every].size(), 6000u) << scheduler;
      EXPECT_GT(refreshes[every], 50u);
    }
    EXPECT_EQ(done[0], done[1]) << scheduler;
    EXPECT_EQ(refreshes[0], refreshes[1]) << scheduler;
  }
}

// Returns the cycle in which the last of these reads has its data. All reads are accepted in cycle 0 in this
// order.
std::uint64_t served_at(const char* scheduler, double cap, const std::vector<Address>& addresses) {
  const auto controller =
      make_controller(gddr5_spec(kRowBankGroupColumn),
                      cap == 0 ? PolicyChoice{scheduler, {}} : PolicyChoice{scheduler, {{"cap", cap}}});
  Cycle last{0};
  for (std::uint64_t i = 0; i < addresses.size(); ++i) controller->accept({addresses[i], false, i}, Cycle{0});
  for (Cycle now{0}; !controller->idle(); now = controller->next_wake())
    if (const auto done = controller->tick(now); done && done->token == 1) last = done->last_beat;
  return last.value;
}

TEST(DramController, ServesHitsBeforeAnOlderConflictUpToTheCap) {
  std::vector<Address> addresses{0, 1 << 16};  // the second waits for another row
  for (Address i = 1; i <= 20; ++i) addresses.push_back(i * 64);
  // The activate is in cycle 0 and the first read 12 CK later, followed by a hit every 3 CK. The precharge
  // follows 2 CK after the last read, the activate 12 CK later and the data 26 CK later.
  EXPECT_EQ(served_at("fr-fcfs", 0, addresses), 12 + 20 * 3 + 2 + 12 + 26u);
  EXPECT_EQ(served_at("fr-fcfs-cap", 16, addresses), 12 + 16 * 3 + 2 + 12 + 26u);
  EXPECT_EQ(served_at("fr-fcfs-cap", 8, addresses), 12 + 8 * 3 + 2 + 12 + 26u);
  EXPECT_EQ(served_at("fcfs", 0, addresses), 28 + 12 + 26u) << "tRAS";
}

TEST(DramController, WritesWaitForTheHighWatermarkWhileReadsCome) {
  DramSpec spec = gddr5_spec();
  spec.write_high = 8;
  spec.write_low = 4;
  const auto controller = make_controller(spec);
  std::uint64_t token = 0;
  std::vector<bool> kinds;
  const auto run_to = [&](std::uint64_t from, std::uint64_t to) {
    for (Cycle now{from}; now < Cycle{to}; now = now + 1)
      if (const auto done = controller->tick(now)) kinds.push_back(done->write);
  };
  for (int i = 0; i < 40; ++i) controller->accept({token++ * 64, false, token}, Cycle{0});
  for (int i = 0; i < 7; ++i) controller->accept({token++ * 64, true, token}, Cycle{0});
  run_to(0, 30);
  EXPECT_GT(kinds.size(), 3u);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), true), 0);
  kinds.clear();
  controller->accept({token++ * 64, true, token}, Cycle{30});  // the eighth
  run_to(30, 70);
  ASSERT_GE(kinds.size(), 5u);
  EXPECT_EQ(std::vector<bool>(kinds.begin(), kinds.begin() + 5),
            (std::vector<bool>{true, true, true, true, false}));
}

TEST(DramController, SleepsWithoutRequestsAndMakesUpForItsRefreshes) {
  const auto controller = make_controller(gddr5_spec(kGtx480Map, true));
  Gddr5Oracle oracle(gddr5_spec().timing, 4, 4);
  controller->observe(oracle);
  EXPECT_EQ(controller->next_wake(), Cycle::never());
  const std::uint64_t refreshes = 100'000;
  controller->account_until(Cycle{refreshes * 3604 + 1});
  EXPECT_EQ(oracle.counts[DramCommand::kRefresh], refreshes);
  EXPECT_TRUE(oracle.violations.empty());
  EXPECT_EQ(controller->part(0).stats().data_bus().lost(DataBusAccount::kNothingQueued),
            refreshes * 3604 + 1);
}

// The account is read in every cycle, also within bursts and refreshes.
TEST(DramController, TheDataBusAccountHasAsManyCyclesAsHavePassedWheneverItIsRead) {
  Random random(31);
  for (std::uint64_t i = 0; i < cases(12); ++i) {
    const DramSpec spec = random_spec(random);
    const auto controller = make_controller(spec);
    MixedTraffic traffic(i, 400, controller->map().bytes(), random.below(101));
    const DataBusAccount& bus = controller->part(0).stats().data_bus();
    DramRequest request;
    bool more = traffic(request);
    std::uint64_t busy = 0;
    for (Cycle now{1}; now < Cycle{6000}; now = now + 1) {
      if (more && random.below(3) == 0 && !controller->full(request.local)) {
        controller->accept(request, now);
        more = traffic(request);
      }
      controller->tick(now);
      controller->account_until(now);
      std::uint64_t accounted = bus.busy();
      for (std::size_t reason = 0; reason < DataBusAccount::kReasons; ++reason)
        accounted += bus.lost(static_cast<DataBusAccount::Reason>(reason));
      ASSERT_EQ(accounted, now.value) << "case " << i;
      ASSERT_EQ(bus.cycles(), now.value) << "case " << i;
      ASSERT_LE(bus.busy() - busy, 1u) << "case " << i << ", cycle " << now.value;
      busy = bus.busy();
    }
    EXPECT_GT(busy, 100u);
  }
}

// Of two equal channels with the same requests, one is read in random cycles, and both are read at the end.
TEST(DramController, TheDataBusAccountIsTheSameHoweverOftenItIsRead) {
  Random random(53);
  for (std::uint64_t i = 0; i < cases(24); ++i) {
    const bool pseudo_channels = i % 2 == 1;
    DramSpec spec = pseudo_channels ? hbm2_spec() : random_spec(random);
    if (pseudo_channels) spec.refresh = spec.refresh_by_bank = random.below(2) == 0;
    const std::array<std::unique_ptr<DramChannel>, 2> channels{make_controller(spec), make_controller(spec)};
    MixedTraffic traffic(i, 400, channels[0]->map().bytes(), random.below(101), spec.map.burst_bytes);
    const std::uint64_t pause = 1 + random.below(20);
    DramRequest request;
    bool more = traffic(request);
    const auto tick = [&](Cycle now) {
      const bool comes = more && random.below(pause) == 0 && !channels[0]->full(request.local);
      for (const auto& channel : channels) {
        if (comes) channel->accept(request, now);
        channel->tick(now);
      }
      if (comes) more = traffic(request);
    };
    Cycle now{1};
    for (; more || !channels[0]->idle(); now = now + 1) {
      tick(now);
      if (random.below(5) == 0) channels[0]->account_until(now);
    }
    for (const auto& channel : channels) channel->account_until(now);
    for (std::uint32_t part = 0; part < channels[0]->parts(); ++part) {
      const DataBusAccount& read = channels[0]->part(part).stats().data_bus();
      const DataBusAccount& unread = channels[1]->part(part).stats().data_bus();
      ASSERT_EQ(read.busy(), unread.busy()) << "case " << i;
      for (std::size_t at = 0; at < DataBusAccount::kReasons; ++at) {
        const auto reason = static_cast<DataBusAccount::Reason>(at);
        ASSERT_EQ(read.lost(reason), unread.lost(reason))
            << "case " << i << ", " << DataBusAccount::name_of(reason);
      }
    }
  }
}

TEST(DramController, ChargesLostCyclesToTheirReason) {
  using Reason = DataBusAccount::Reason;
  const auto lost = [](const std::vector<DramRequest>& requests, Reason reason) {
    DramSpec spec = gddr5_spec(kRowBankGroupColumn);
    spec.write_high = 1;
    spec.write_low = 0;
    const auto controller = make_controller(spec);
    for (const DramRequest& request : requests) controller->accept(request, Cycle{100});
    for (Cycle now{100}; !controller->idle(); now = controller->next_wake()) controller->tick(now);
    return controller->part(0).stats().data_bus().lost(reason);
  };
  const DramRequest first{0, false, 0};
  EXPECT_EQ(lost({first}, Reason::kNothingQueued), 100u);
  EXPECT_EQ(lost({first}, Reason::kBank), 12u);
  EXPECT_EQ(lost({first, {64, false, 1}}, Reason::kGroup), 1u);
  EXPECT_EQ(lost({first, {64, false, 1}}, Reason::kBank), 12u);
  EXPECT_EQ(lost({first, {1 << 12, false, 1}}, Reason::kActivateWindow), 4u);  // 6 CK later, 2 of them busy
  EXPECT_EQ(lost({first, {1 << 16, false, 1}}, Reason::kBank), 12 + 38u);      // 40 CK later
  EXPECT_EQ(lost({{0, true, 0}, {64, false, 1}}, Reason::kTurnaround), 9u);    // 11 CK later
}

TEST(DramController, RefusesARequestTooMany) {
  DramSpec spec = gddr5_spec();
  spec.queue = 1;
  spec.write_high = 1;
  spec.write_low = 0;
  const auto controller = make_controller(spec);
  EXPECT_THROW(controller->accept({Address{1} << 30, false, 0}, Cycle{0}), InvariantError);
  controller->accept({0, false, 0}, Cycle{0});
  EXPECT_TRUE(controller->full(0));
  EXPECT_THROW(controller->accept({0, false, 0}, Cycle{0}), InvariantError);
}

}  // namespace
}  // namespace heddle::test
