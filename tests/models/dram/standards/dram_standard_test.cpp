// Properties of every registered DRAM standard, and standards whose data are refused.

#include "models/dram/standards/dram_standard.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "models/dram/timing_table.h"
#include "tests/support/dram/bank_refresh.h"

namespace heddle::test {
namespace {

using Command = DramCommand;
using testing::HasSubstr;

class EveryDramStandard : public testing::TestWithParam<std::string> {
 protected:
  const DramStandard& standard_ = *find_dram_standard(GetParam());
};

TEST_P(EveryDramStandard, SaysWhatItIs) {
  EXPECT_EQ(standard_.name, GetParam());
  EXPECT_FALSE(standard_.doc.empty());
  EXPECT_FALSE(standard_.source.empty());
  for (const TimingParameter& parameter : standard_.parameters) {
    EXPECT_STRNE(parameter.doc, "") << parameter.name;
    EXPECT_STREQ(parameter.unit, "CK") << parameter.name;
  }
}

TEST_P(EveryDramStandard, HasTheCommandsThatTheControllerIssues) {
  const bool refreshes_banks = standard_.bank_refresh_interval != nullptr;
  ASSERT_EQ(standard_.commands.size(), refreshes_banks ? kDramCommands : kDramCommands - 1);
  for (std::size_t i = 0; i < standard_.commands.size(); ++i)
    EXPECT_EQ(standard_.rule_of(static_cast<Command>(i)).command, static_cast<Command>(i));
  const bool columns = standard_.rule_of(Command::kRead).bus == CommandBus::kColumn;
  for (const CommandRule& rule : standard_.commands) {
    const bool column = rule.command == Command::kRead || rule.command == Command::kReadAuto ||
                        rule.command == Command::kWrite || rule.command == Command::kWriteAuto;
    EXPECT_EQ(rule.bus, !columns ? CommandBus::kShared
                        : column ? CommandBus::kColumn
                                 : CommandBus::kRow)
        << name_of(rule.command);
    if (column || rule.command == Command::kActivate) {
      EXPECT_EQ(rule.level, DramLevel::kBank) << name_of(rule.command);
    }
  }
}

// The controller relies on these distances: a row is open before its column commands, and closed before
// another row opens.
TEST_P(EveryDramStandard, SetsADistanceBetweenTheStepsOfARow) {
  DramTiming timing(standard_);
  for (const TimingParameter& parameter : standard_.parameters) timing[parameter.name] = 3;
  const std::vector<std::pair<Command, Command>> steps{
      {Command::kActivate, Command::kRead},      {Command::kActivate, Command::kWrite},
      {Command::kActivate, Command::kPrecharge}, {Command::kActivate, Command::kActivate},
      {Command::kRead, Command::kPrecharge},     {Command::kWrite, Command::kPrecharge},
      {Command::kPrecharge, Command::kActivate}, {Command::kReadAuto, Command::kActivate},
      {Command::kWriteAuto, Command::kActivate}, {Command::kRefresh, Command::kActivate}};
  for (const auto& [previous, next] : steps) {
    TimingTable table(timing, 2, 2);
    table.issue(previous, 3, Cycle{100});
    EXPECT_GE(table.earliest(next, 3), Cycle{103}) << name_of(previous) << " " << name_of(next);
  }
  for (const Command column : {Command::kRead, Command::kWrite})
    EXPECT_GE(timing.distance(column, column, TimingScope::kAll), timing.burst());
  EXPECT_FALSE(standard_.windows.empty());
  EXPECT_FALSE(standard_.limits.empty());
}

// Reads and writes to all banks under the open and the closed page policy need every command but refreshes.
TEST_P(EveryDramStandard, HasItsEveryCommandIssued) {
  std::array<std::uint64_t, kDramCommands> issued{};
  for (const char* page : {"open", "closed"})
    for (const bool by_bank : {false, standard_.bank_refresh_interval != nullptr}) {
      DramSpec spec = gddr5_spec(kGroupAboveBank, true);
      spec.timing = DramTiming(standard_);
      for (const TimingParameter& parameter : standard_.parameters) spec.timing[parameter.name] = 3;
      spec.timing[standard_.refresh_interval] = 1000;
      if (by_bank) spec.timing[standard_.bank_refresh_interval] = 100;
      spec.refresh_by_bank = by_bank;
      const auto channel = make_controller(spec, {"fr-fcfs", {}}, page);
      run_channel(*channel, MixedTraffic(1, 20'000, LocalMap(spec.map).bytes(), 30), 64);
      for (std::size_t i = 0; i < kDramCommands; ++i)
        issued[i] += channel->part(0).stats().commands(static_cast<Command>(i));
    }
  for (std::size_t i = 0; i < kDramCommands; ++i) {
    const auto command = static_cast<Command>(i);
    const bool has = command != Command::kRefreshBank || standard_.bank_refresh_interval != nullptr;
    EXPECT_EQ(issued[i] > 0, has) << name_of(command);
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryDramStandard, testing::ValuesIn(dram_standard_names()),
                         [](const auto& test) { return test.param; });

DramStandard changed(void (*change)(DramStandard&)) {
  DramStandard standard = *find_dram_standard("gddr5");
  standard.name = "changed";
  change(standard);
  return standard;
}

TEST(DramStandard, DataThatCannotBeReadStopTheProgramAsItLoads) {
  struct Bad {
    const char* message;
    void (*change)(DramStandard&);
  };
  const std::vector<Bad> bad{
      {"'gddr5' is registered twice", [](DramStandard& s) { s.name = "gddr5"; }},
      {"'rowcycle' is no formula", [](DramStandard& s) { s.rules[0].distance = "rowcycle"; }},
      {"'rc +' is no formula", [](DramStandard& s) { s.rules[0].distance = "rc +"; }},
      {"'rc * 2' is no formula", [](DramStandard& s) { s.windows[0].cycles = "rc * 2"; }},
      {"'' is no formula", [](DramStandard& s) { s.burst = nullptr; }},
      {"'tccd' is no formula", [](DramStandard& s) { s.limits[0].parameter = "tccd"; }},
      {"'cl' is no formula", [](DramStandard& s) { s.parameters[0].fallback = "cl"; }},
      {"parameter 'cl' is given twice", [](DramStandard& s) { s.parameters.push_back(s.parameters[1]); }},
      {"REF of a rule is none of its commands", [](DramStandard& s) { s.commands.pop_back(); }},
      {"tRP binds below the level of REF", [](DramStandard& s) { s.rules[8].level = DramLevel::kBank; }},
      {"a command is given twice", [](DramStandard& s) { s.commands.push_back(s.commands[0]); }},
      {"it needs REFSB", [](DramStandard& s) { s.bank_refresh_interval = s.bank_refresh_time = "rfc"; }},
      {"a refresh of one bank needs an interval and a time",
       [](DramStandard& s) { s.bank_refresh_interval = "refi"; }},
      {"a refresh of the same bank of each group needs an interval",
       [](DramStandard& s) { s.refreshes_same_bank = true; }},
      {"no interval is given for REFSB",
       [](DramStandard& s) {
         s.commands.push_back({Command::kRefreshBank, CommandBus::kShared, DramLevel::kBank});
       }},
      {"PREAB must address all banks", [](DramStandard& s) { s.commands[2].level = DramLevel::kBank; }},
      {"PRE is on the wrong bus", [](DramStandard& s) { s.commands[0].bus = CommandBus::kRow; }},
      {"ACT holds the only bus for 2 clocks", [](DramStandard& s) { s.commands[0].clocks = 2; }},
      {"pseudo-channels need a bus", [](DramStandard& s) { s.pseudo_channels = 2; }},
  };
  for (const Bad& each : bad) {
    try {
      add_dram_standard(changed(each.change));
      ADD_FAILURE() << "taken, not refused: " << each.message;
    } catch (const std::logic_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(each.message));
    }
  }
  EXPECT_EQ(find_dram_standard("changed"), nullptr);
}

TEST(DramStandard, FormulasAddAndSubtract) {
  DramTiming timing = gddr5_spec().timing;
  EXPECT_EQ(timing.value_of("cl"), 12u);
  EXPECT_EQ(timing.value_of(" wl+burst + 3 "), 9u);
  EXPECT_EQ(timing.value_of("cl + burst - wl + 2"), 12u);
  EXPECT_EQ(timing.value_of("wl - cl"), 0u) << "over before it begins";
}

// Returns a standard with separate buses for row commands and for column commands, as in HBM.
DramStandard with_a_row_bus() {
  DramStandard standard = changed([](DramStandard&) {});
  for (CommandRule& rule : standard.commands) {
    const bool row = rule.level == DramLevel::kChannel || rule.command == Command::kActivate ||
                     rule.command == Command::kPrecharge;
    rule.bus = row ? CommandBus::kRow : CommandBus::kColumn;
  }
  return standard;
}

// Watches the refreshes of a channel of sixteen banks in four groups.
class RefreshWatch final : public DramObserver {
 public:
  void command(Cycle now, Command command, std::uint32_t group, std::uint32_t bank, std::uint32_t) override {
    const std::uint32_t number = group * 4 + bank;
    if (now == last_) ++collisions;
    last_ = now;
    if (command == Command::kRefreshBank)
      refreshes.emplace_back(now, number);
    else if (const auto refresh = std::find_if(refreshes.rbegin(), refreshes.rend(),
                                               [number](const auto& each) { return each.second == number; });
             refresh != refreshes.rend())
      nearest = std::min(nearest, now - refresh->first);
  }
  std::vector<std::pair<Cycle, std::uint32_t>> refreshes;
  std::uint64_t nearest = ~std::uint64_t{0};  // command to a bank after its refresh, in CK
  std::uint64_t collisions = 0;               // two commands in one cycle

 private:
  Cycle last_ = Cycle::never();
};

TEST(DramStandard, OneCommandBusCarriesRefreshesBankByBankWhenNothingElseWaits) {
  const DramStandard standard = gddr5_with_bank_refresh(false);
  const auto channel = make_controller(bank_refresh_spec(standard, 400, 8));
  RefreshWatch watch;
  channel->observe(watch);
  channel->account_until(Cycle{17'959});
  ASSERT_EQ(watch.refreshes.size(), 44U);
  for (std::uint32_t i = 0; i < 44; ++i) {
    EXPECT_EQ(watch.refreshes[i].first, Cycle{400 * (i + 1)});
    EXPECT_EQ(watch.refreshes[i].second, i % 16);
  }
}

// A refresh may have to wait until its bank is precharged. It is issued less than 100 CK after its due cycle
// or, if it was postponed, after the last cycle to which it could be postponed.
TEST(DramStandard, OneCommandBusCarriesRefreshesBankByBankAmongRequests) {
  const DramStandard standard = gddr5_with_bank_refresh(false);
  for (const std::uint32_t postpone : {0U, 8U})
    for (const char* page : {"open", "closed"}) {
      const DramSpec spec = bank_refresh_spec(standard, 400, postpone);
      const auto channel = make_controller(spec, {"fr-fcfs", {}}, page);
      RefreshWatch watch;
      channel->observe(watch);
      const std::uint64_t requests = 20'000;
      const ChannelRun run =
          run_channel(*channel, MixedTraffic(7, requests, LocalMap(spec.map).bytes(), 30), 64);
      EXPECT_EQ(run.requests, requests);
      EXPECT_EQ(watch.collisions, 0U);
      EXPECT_EQ(watch.nearest, 60U) << "an activate right after the refresh";
      const std::uint64_t due = run.cycles / 400;
      EXPECT_LE(watch.refreshes.size(), due);
      EXPECT_GE(watch.refreshes.size() + postpone + 1, due);
      for (std::uint32_t i = 0; i < watch.refreshes.size(); ++i) {
        EXPECT_EQ(watch.refreshes[i].second, i % 16);
        EXPECT_GE(watch.refreshes[i].first, Cycle{400 * (i + 1)});
        EXPECT_LT(watch.refreshes[i].first, Cycle{400 * (i + 1 + postpone) + 100});
      }
    }
}

// Counts the row commands and the column commands of each cycle.
class BusWatch final : public DramObserver {
 public:
  explicit BusWatch(const DramStandard& standard) : standard_(standard) {}
  void command(Cycle now, Command command, std::uint32_t, std::uint32_t, std::uint32_t) override {
    std::uint32_t& count = count_[{now.value, standard_.rule_of(command).bus}];
    if (++count > 1) ++collisions;
    if (now == last_) ++pairs;
    last_ = now;
  }
  std::uint64_t collisions = 0;  // two commands on one bus in one cycle
  std::uint64_t pairs = 0;       // two commands in one cycle

 private:
  const DramStandard& standard_;
  std::map<std::pair<std::uint64_t, CommandBus>, std::uint32_t> count_;
  Cycle last_ = Cycle::never();
};

// Each request of a random stream needs an activate, a precharge and a column command. With distances of one
// clock, the shared bus limits the rate to three clocks per request. With a bus for row commands, that bus
// carries two commands per request.
TEST(DramStandard, EachCommandBusCarriesOneCommandAClock) {
  const DramStandard row_bus = with_a_row_bus();
  ASSERT_EQ(row_bus.command_buses(), 2u);
  for (const DramStandard* standard : {find_dram_standard("gddr5"), &row_bus}) {
    DramSpec spec = gddr5_spec(kGroupAboveBank);
    spec.timing = DramTiming(*standard);
    for (const TimingParameter& parameter : standard->parameters) spec.timing[parameter.name] = 1;
    const auto controller = make_controller(spec);
    BusWatch watch(*standard);
    controller->observe(watch);
    const ChannelRun run = run_channel(
        *controller, reads(30'000, [](std::uint64_t i) { return i % 16 * 4096 + i % 16384 * 65536; }), 64);
    const double per_request = static_cast<double>(run.cycles) / 30'000;
    EXPECT_EQ(watch.collisions, 0u);
    if (standard->command_buses() == 1) {
      EXPECT_NEAR(per_request, 3, 0.01);
      EXPECT_EQ(watch.pairs, 0u);
    } else {
      EXPECT_NEAR(per_request, 2, 0.01);
      EXPECT_GT(watch.pairs, 25'000u);
    }
  }
}

}  // namespace
}  // namespace heddle::test
