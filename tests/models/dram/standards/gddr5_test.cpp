// Every timing rule of GDDR5: a command is refused one cycle before its first legal cycle, and legal in that
// cycle. The oracle that checks the controller in other tests is checked with the same table.

#include <gtest/gtest.h>

#include <set>

#include "tests/support/dram/gddr5.h"
#include "tests/support/dram/gddr5_oracle.h"

namespace heddle::test {
namespace {

using Command = DramCommand;

struct Step {
  std::uint64_t at;
  Command command;
  std::uint32_t group, bank, row;
};

struct Case {
  std::string name;
  std::string rule;  // the name that the oracle uses
  void (*adjust)(DramTiming&);
  std::vector<Step> before;
  Command next;
  std::uint32_t group, bank, row;
  std::uint64_t legal;  // the first legal cycle
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

void as_is(DramTiming&) {}

std::vector<Step> four_activates() {
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < 4; ++i) steps.push_back({2 * i, Command::kActivate, i, 0, 0});
  return steps;
}

// Returns activates of 16 banks in turn, each closed again before its next activate.
std::vector<Step> many_activates() {
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < 32; ++i) {
    steps.push_back({5 * i, Command::kActivate, i % 4, i / 4 % 4, 0});
    steps.push_back({5 * i + 4, Command::kPrecharge, i % 4, i / 4 % 4, 0});
  }
  return steps;
}

const Step kOpen00{0, Command::kActivate, 0, 0, 0};
const Step kOpen01{9, Command::kActivate, 0, 1, 0};
const Step kOpen10{9, Command::kActivate, 1, 0, 0};

const std::vector<Case> kCases{
    {"RC",
     "tRC",
     [](DramTiming& t) { t["rc"] = 50; },
     {kOpen00, {28, Command::kPrecharge, 0, 0, 0}},
     Command::kActivate,
     0,
     0,
     1,
     50},
    {"RP",
     "tRP",
     [](DramTiming& t) { t["rc"] = 30; },
     {kOpen00, {28, Command::kPrecharge, 0, 0, 0}},
     Command::kActivate,
     0,
     0,
     1,
     40},
    {"RpOfAll",
     "tRP",
     [](DramTiming& t) { t["rc"] = 30; },
     {kOpen00, {28, Command::kPrechargeAll, 0, 0, 0}},
     Command::kActivate,
     0,
     0,
     1,
     40},
    {"RRDL", "tRRDL", [](DramTiming& t) { t["rrdl"] = 9; }, {kOpen00}, Command::kActivate, 0, 1, 0, 9},
    {"RRDS", "tRRDS", [](DramTiming& t) { t["rrdl"] = 9; }, {kOpen00}, Command::kActivate, 1, 0, 0, 6},
    {"RCDRD", "tRCDRD", as_is, {kOpen00}, Command::kRead, 0, 0, 0, 12},
    {"RCDRDAuto", "tRCDRD", as_is, {kOpen00}, Command::kReadAuto, 0, 0, 0, 12},
    {"RCDWR", "tRCDWR", [](DramTiming& t) { t["rcdwr"] = 7; }, {kOpen00}, Command::kWrite, 0, 0, 0, 7},
    {"RCDWRAuto",
     "tRCDWR",
     [](DramTiming& t) { t["rcdwr"] = 7; },
     {kOpen00},
     Command::kWriteAuto,
     0,
     0,
     0,
     7},
    {"RAS", "tRAS", as_is, {kOpen00}, Command::kPrecharge, 0, 0, 0, 28},
    {"RASToAll", "tRAS", as_is, {kOpen00}, Command::kPrechargeAll, 0, 0, 0, 28},
    {"RTPToAll",
     "tRTP",
     [](DramTiming& t) { t["rtp"] = 6; },
     {kOpen00, {26, Command::kRead, 0, 0, 0}},
     Command::kPrechargeAll,
     0,
     0,
     0,
     32},
    {"WRToAll", "tWR", as_is, {kOpen00, {26, Command::kWrite, 0, 0, 0}}, Command::kPrechargeAll, 0, 0, 0, 44},
    {"CCDLReads",
     "tCCDL",
     as_is,
     {kOpen00, kOpen01, {22, Command::kRead, 0, 0, 0}},
     Command::kRead,
     0,
     1,
     0,
     25},
    {"CCDSReads",
     "tCCDS",
     as_is,
     {kOpen00, kOpen10, {22, Command::kRead, 0, 0, 0}},
     Command::kRead,
     1,
     0,
     0,
     24},
    {"CCDLWrites",
     "tCCDL",
     as_is,
     {kOpen00, kOpen01, {22, Command::kWriteAuto, 0, 0, 0}},
     Command::kWrite,
     0,
     1,
     0,
     25},
    {"CCDSWrites",
     "tCCDS",
     as_is,
     {kOpen00, kOpen10, {22, Command::kWrite, 0, 0, 0}},
     Command::kWriteAuto,
     1,
     0,
     0,
     24},
    {"WTRL",
     "tWTRL",
     [](DramTiming& t) { t["wtrl"] = 8; },
     {kOpen00, kOpen01, {22, Command::kWrite, 0, 0, 0}},
     Command::kRead,
     0,
     1,
     0,
     36},
    {"WTRS",
     "tWTRS",
     [](DramTiming& t) { t["wtrl"] = 8; },
     {kOpen00, kOpen10, {22, Command::kWrite, 0, 0, 0}},
     Command::kRead,
     1,
     0,
     0,
     33},
    {"RTW", "tRTW", as_is, {kOpen00, kOpen10, {22, Command::kRead, 0, 0, 0}}, Command::kWrite, 1, 0, 0, 34},
    {"RTP",
     "tRTP",
     [](DramTiming& t) { t["rtp"] = 6; },
     {kOpen00, {26, Command::kRead, 0, 0, 0}},
     Command::kPrecharge,
     0,
     0,
     0,
     32},
    {"WR", "tWR", as_is, {kOpen00, {26, Command::kWrite, 0, 0, 0}}, Command::kPrecharge, 0, 0, 0, 44},
    {"PPD",
     "tPPD",
     [](DramTiming& t) { t["ppd"] = 3; },
     {kOpen00, kOpen10, {40, Command::kPrecharge, 0, 0, 0}},
     Command::kPrecharge,
     1,
     0,
     0,
     43},
    {"PPDToAll",
     "tPPD",
     [](DramTiming& t) { t["ppd"] = 3; },
     {kOpen00, kOpen10, {40, Command::kPrecharge, 0, 0, 0}},
     Command::kPrechargeAll,
     0,
     0,
     0,
     43},
    {"ReadAuto", "tRP", as_is, {kOpen00, {30, Command::kReadAuto, 0, 0, 0}}, Command::kActivate, 0, 0, 1, 44},
    {"ReadAutoEarly",
     "tRP",
     [](DramTiming& t) { t["rc"] = 30; },
     {kOpen00, {12, Command::kReadAuto, 0, 0, 0}},
     Command::kActivate,
     0,
     0,
     1,
     40},
    {"WriteAuto",
     "tRP",
     as_is,
     {kOpen00, {20, Command::kWriteAuto, 0, 0, 0}},
     Command::kActivate,
     0,
     0,
     1,
     50},
    {"RefreshAfterPrecharge",
     "tRP(REF)",
     as_is,
     {kOpen00, {30, Command::kPrecharge, 0, 0, 0}},
     Command::kRefresh,
     0,
     0,
     0,
     42},
    {"RefreshAfterAll",
     "tRP(REF)",
     as_is,
     {kOpen00, {30, Command::kPrechargeAll, 0, 0, 0}},
     Command::kRefresh,
     0,
     0,
     0,
     42},
    {"RefreshAfterReadAuto",
     "tRP(REF)",
     as_is,
     {kOpen00, {30, Command::kReadAuto, 0, 0, 0}},
     Command::kRefresh,
     0,
     0,
     0,
     44},
    {"RefreshAfterWriteAuto",
     "tRP(REF)",
     as_is,
     {kOpen00, {20, Command::kWriteAuto, 0, 0, 0}},
     Command::kRefresh,
     0,
     0,
     0,
     50},
    {"RFC", "tRFC", as_is, {{0, Command::kRefresh, 0, 0, 0}}, Command::kActivate, 2, 3, 0, 61},
    {"RFCToRefresh", "tRFC", as_is, {{0, Command::kRefresh, 0, 0, 0}}, Command::kRefresh, 0, 0, 0, 61},
    {"FAW", "tFAW", [](DramTiming& t) { t["rrds"] = t["rrdl"] = 2; }, four_activates(), Command::kActivate, 0,
     1, 0, 23},
    {"AW32", "t32AW",
     [](DramTiming& t) {
       t["rrds"] = t["rrdl"] = 1;
       t["ras"] = t["rp"] = t["faw"] = 4;
       t["rc"] = 8;
     },
     many_activates(), Command::kActivate, 0, 0, 0, 184},
};

class DramTimingRule : public testing::TestWithParam<Case> {
 protected:
  DramTimingRule() { GetParam().adjust(timing_); }

  std::map<std::string, int> violations_with_next_at(std::uint64_t cycle) const {
    Gddr5Oracle oracle(timing_, 4, 4);
    for (const Step& step : GetParam().before)
      oracle.command(Cycle{step.at}, step.command, step.group, step.bank, step.row);
    EXPECT_TRUE(oracle.violations.empty());
    oracle.command(Cycle{cycle}, GetParam().next, GetParam().group, GetParam().bank, GetParam().row);
    return oracle.violations;
  }

  DramTiming timing_ = gddr5_spec().timing;
};

TEST_P(DramTimingRule, IsKeptToTheCycleByTheTable) {
  TimingTable table(timing_, 4, 4);
  for (const Step& step : GetParam().before) {
    EXPECT_LE(table.earliest(step.command, step.group * 4 + step.bank), Cycle{step.at});
    table.issue(step.command, step.group * 4 + step.bank, Cycle{step.at});
  }
  EXPECT_EQ(table.earliest(GetParam().next, GetParam().group * 4 + GetParam().bank).value, GetParam().legal);
}

TEST_P(DramTimingRule, IsKeptToTheCycleByTheOracle) {
  EXPECT_TRUE(violations_with_next_at(GetParam().legal).empty());
  EXPECT_EQ(violations_with_next_at(GetParam().legal - 1),
            (std::map<std::string, int>{{GetParam().rule, 1}}));
}

INSTANTIATE_TEST_SUITE_P(, DramTimingRule, testing::ValuesIn(kCases), name_of);

TEST(DramTimingTable, NamesEveryRuleOfTheStandard) {
  std::set<std::string> names;
  for (const TimingDistance& rule : gddr5_spec().timing.distances()) names.insert(rule.name);
  for (const ActivateWindow& window : gddr5_spec().timing.standard().windows) names.insert(window.name);
  EXPECT_EQ(names,
            (std::set<std::string>{"tRC",     "tRRDL", "tRRDS", "tRAS",   "tRAS+tRP", "tRP",   "tRTP+tRP",
                                   "tWR+tRP", "tRFC",  "tPPD",  "tRCDRD", "tRCDWR",   "tCCDL", "tCCDS",
                                   "tWTRL",   "tWTRS", "tRTW",  "tRTP",   "tWR",      "tFAW",  "t32AW"}));
}

TEST(DramTiming, TheDerivedDistancesAreTheDataSheets) {
  const DramTiming timing = gddr5_spec().timing;
  EXPECT_EQ(timing.distance(Command::kWrite, Command::kRead, TimingScope::kGroup), 11u);
  EXPECT_EQ(timing.distance(Command::kWrite, Command::kRead, TimingScope::kAll), 11u);
  EXPECT_EQ(timing.distance(Command::kWriteAuto, Command::kPrechargeAll, TimingScope::kAll), 18u);
  EXPECT_EQ(timing.distance(Command::kActivate, Command::kActivate, TimingScope::kBank), 40u);
  EXPECT_EQ(timing.distance(Command::kRead, Command::kRefresh, TimingScope::kBank), 0u) << "no rule";
  EXPECT_EQ(timing.burst(), 2u);
  EXPECT_EQ(timing.latency(false), 12u);
  EXPECT_EQ(timing.latency(true), 4u);
  EXPECT_EQ(timing.refresh_interval(), 3604u);
  EXPECT_EQ(timing.refresh_time(), 61u);
  EXPECT_EQ(DramTiming{}.burst(), 0u);
}

struct Planted {
  std::string rule;
  std::vector<Step> steps;
};

TEST(Gddr5Oracle, SeesWhatIsNoMatterOfDistance) {
  const std::uint64_t late = 9 * 3604 + 1;
  const std::vector<Planted> planted{
      {"CMDBUS", {kOpen00, {30, Command::kPrecharge, 0, 0, 0}, {30, Command::kPrecharge, 1, 0, 0}}},
      {"STATE", {kOpen00, {50, Command::kActivate, 0, 0, 1}}},
      {"STATE", {kOpen00, {50, Command::kRead, 0, 0, 1}}},
      {"STATE", {{50, Command::kWrite, 0, 0, 0}}},
      {"STATE", {kOpen00, {50, Command::kRefresh, 0, 0, 0}}},
      {"tREFI", {kOpen00, {50, Command::kPrecharge, 0, 0, 0}, {late, Command::kRefresh, 0, 0, 0}}},
      {"tREFI", {{0, Command::kRefresh, 0, 0, 0}, {late, Command::kRefresh, 0, 0, 0}}},
  };
  for (const Planted& plant : planted) {
    DramTiming timing = gddr5_spec().timing;
    timing["ppd"] = 0;
    Gddr5Oracle oracle(timing, 4, 4);
    for (const Step& step : plant.steps)
      oracle.command(Cycle{step.at}, step.command, step.group, step.bank, step.row);
    EXPECT_EQ(oracle.violations, (std::map<std::string, int>{{plant.rule, 1}}));
  }
}

}  // namespace
}  // namespace heddle::test
