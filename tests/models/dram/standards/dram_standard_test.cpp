// Properties of every registered DRAM standard, and standards whose data are refused.

#include "models/dram/standards/dram_standard.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "models/dram/timing_table.h"
#include "tests/support/dram/gddr5.h"

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
