// The timing rules of HBM2: a command is refused one cycle before its first legal cycle, and legal in that
// cycle. The oracle that checks the controllers in other tests is checked with the same table.

#include <gtest/gtest.h>

#include <set>

#include "tests/support/dram/hbm2.h"
#include "tests/support/dram/hbm2_oracle.h"

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
  std::vector<Step> before;
  Step next;  // in its first legal cycle
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

const Step kOpen00{0, Command::kActivate, 0, 0, 0};
const Step kOpen01{9, Command::kActivate, 0, 1, 0};
const Step kOpen10{9, Command::kActivate, 1, 0, 0};
const Step kOpen40{9, Command::kActivate, 4, 0, 0};  // of the second stack id

// Groups 0 .. 3 are of the first stack id, 4 .. 7 of the second one. The parameters are those of timing().
const std::vector<Case> kCases{
    {"RC", "tRC", {kOpen00, {25, Command::kPrecharge, 0, 0, 0}}, {50, Command::kActivate, 0, 0, 1}},
    {"RP", "tRP", {kOpen00, {40, Command::kPrecharge, 0, 0, 0}}, {53, Command::kActivate, 0, 0, 1}},
    {"RpOfAll", "tRP", {kOpen00, {40, Command::kPrechargeAll, 0, 0, 0}}, {53, Command::kActivate, 0, 0, 1}},
    {"RRDL", "tRRDL", {kOpen00}, {6, Command::kActivate, 0, 1, 0}},
    {"RRDS", "tRRDS", {kOpen00}, {4, Command::kActivate, 1, 0, 0}},
    {"RRDSOfStacks", "tRRDS", {kOpen00}, {4, Command::kActivate, 4, 0, 0}},
    {"FAW",
     "tFAW",
     {kOpen00,
      {4, Command::kActivate, 1, 0, 0},
      {8, Command::kActivate, 2, 0, 0},
      {12, Command::kActivate, 3, 0, 0}},
     {20, Command::kActivate, 4, 0, 0}},
    {"RCDRD", "tRCDRD", {kOpen00}, {11, Command::kRead, 0, 0, 0}},
    {"RCDWR", "tRCDWR", {kOpen00}, {6, Command::kWrite, 0, 0, 0}},
    {"RAS", "tRAS", {kOpen00}, {25, Command::kPrecharge, 0, 0, 0}},
    {"RASToAll", "tRAS", {kOpen00}, {25, Command::kPrechargeAll, 0, 0, 0}},
    {"CCDL", "tCCDL", {kOpen00, kOpen01, {22, Command::kRead, 0, 0, 0}}, {25, Command::kReadAuto, 0, 1, 0}},
    {"CCDS", "tCCDS", {kOpen00, kOpen10, {22, Command::kRead, 0, 0, 0}}, {24, Command::kRead, 1, 0, 0}},
    {"CCDR", "tCCDR", {kOpen00, kOpen40, {22, Command::kRead, 0, 0, 0}}, {27, Command::kRead, 4, 0, 0}},
    {"CCDRWrites",
     "tCCDR",
     {kOpen00, kOpen40, {22, Command::kWriteAuto, 0, 0, 0}},
     {27, Command::kWrite, 4, 0, 0}},
    {"WTRL", "tWTRL", {kOpen00, kOpen01, {22, Command::kWrite, 0, 0, 0}}, {39, Command::kRead, 0, 1, 0}},
    {"WTRS", "tWTRS", {kOpen00, kOpen10, {22, Command::kWrite, 0, 0, 0}}, {35, Command::kRead, 1, 0, 0}},
    {"RTW", "tRTW", {kOpen00, kOpen10, {22, Command::kRead, 0, 0, 0}}, {38, Command::kWrite, 1, 0, 0}},
    {"RTP", "tRTP", {kOpen00, {30, Command::kRead, 0, 0, 0}}, {35, Command::kPrecharge, 0, 0, 0}},
    {"WR", "tWR", {kOpen00, {30, Command::kWrite, 0, 0, 0}}, {52, Command::kPrecharge, 0, 0, 0}},
    {"ReadAuto", "tRP", {kOpen00, {40, Command::kReadAuto, 0, 0, 0}}, {58, Command::kActivate, 0, 0, 1}},
    {"WriteAuto", "tRP", {kOpen00, {40, Command::kWriteAuto, 0, 0, 0}}, {75, Command::kActivate, 0, 0, 1}},
    {"RFC", "tRFC", {{0, Command::kRefresh, 0, 0, 0}}, {229, Command::kActivate, 2, 3, 0}},
    {"RFCToRefresh", "tRFC", {{0, Command::kRefresh, 0, 0, 0}}, {229, Command::kRefresh, 0, 0, 0}},
    {"RefreshAfterPrecharge",
     "tRP(REF)",
     {kOpen00, {50, Command::kPrecharge, 0, 0, 0}},
     {63, Command::kRefresh, 0, 0, 0}},
    {"RefreshAfterAuto",
     "tRP(REF)",
     {kOpen00, {40, Command::kReadAuto, 0, 0, 0}},
     {58, Command::kRefresh, 0, 0, 0}},
    {"RFCSB", "tRFCSB", {{0, Command::kRefreshBank, 0, 0, 0}}, {141, Command::kActivate, 0, 0, 0}},
    {"RREFD", "tRREFD", {{0, Command::kRefreshBank, 0, 0, 0}}, {8, Command::kRefreshBank, 4, 1, 0}},
    {"RREFDToActivate", "tRREFD", {{0, Command::kRefreshBank, 0, 0, 0}}, {8, Command::kActivate, 0, 1, 0}},
    {"RRDSToBankRefresh", "tRRDS(REFSB)", {kOpen00}, {4, Command::kRefreshBank, 1, 0, 0}},
    {"RRDLToBankRefresh", "tRRDL(REFSB)", {kOpen00}, {6, Command::kRefreshBank, 0, 1, 0}},
    {"BankRefreshAfterPrecharge",
     "tRP(REFSB)",
     {kOpen00, {50, Command::kPrecharge, 0, 0, 0}},
     {63, Command::kRefreshBank, 0, 0, 0}},
    {"BankRefreshAfterAuto",
     "tRP(REFSB)",
     {kOpen00, {40, Command::kWriteAuto, 0, 0, 0}},
     {75, Command::kRefreshBank, 0, 0, 0}},
    {"BankRefreshAfterActivate",
     "tRC(REFSB)",
     {kOpen00, {25, Command::kPrecharge, 0, 0, 0}},
     {50, Command::kRefreshBank, 0, 0, 0}},
};

DramTiming timing() {
  DramTiming timing = hbm2_spec().timing;
  timing["rc"] = 50;
  timing["faw"] = 20;
  timing["ccdr"] = 5;
  return timing;
}

class Hbm2TimingRule : public testing::TestWithParam<Case> {
 protected:
  static std::map<std::string, int> violations_with_next_at(std::uint64_t cycle) {
    Hbm2Oracle oracle(timing(), 2);
    for (const Step& step : GetParam().before)
      oracle.command(Cycle{step.at}, step.command, step.group, step.bank, step.row);
    EXPECT_TRUE(oracle.violations.empty());
    const Step& next = GetParam().next;
    oracle.command(Cycle{cycle}, next.command, next.group, next.bank, next.row);
    return oracle.violations;
  }
};

TEST_P(Hbm2TimingRule, IsKeptToTheCycleByTheTable) {
  TimingTable table(timing(), 8, 4, 2);
  for (const Step& step : GetParam().before) {
    EXPECT_LE(table.earliest(step.command, step.group * 4 + step.bank), Cycle{step.at});
    table.issue(step.command, step.group * 4 + step.bank, Cycle{step.at});
  }
  const Step& next = GetParam().next;
  EXPECT_EQ(table.earliest(next.command, next.group * 4 + next.bank).value, next.at);
}

TEST_P(Hbm2TimingRule, IsKeptToTheCycleByTheOracle) {
  EXPECT_TRUE(violations_with_next_at(GetParam().next.at).empty());
  EXPECT_EQ(violations_with_next_at(GetParam().next.at - 1),
            (std::map<std::string, int>{{GetParam().rule, 1}}));
}

INSTANTIATE_TEST_SUITE_P(, Hbm2TimingRule, testing::ValuesIn(kCases), name_of);

TEST(Hbm2Timing, ARuleBetweenStackIdsDoesNotBindOne) {
  DramTiming slow = timing();
  slow["ccdr"] = 100;
  TimingTable table(slow, 8, 4, 2);
  table.issue(Command::kRead, 0, Cycle{100});
  EXPECT_EQ(table.earliest(Command::kRead, 4), Cycle{102});
  EXPECT_EQ(table.earliest(Command::kRead, 16), Cycle{200});
  EXPECT_EQ(slow.distance(Command::kRead, Command::kRead, TimingScope::kOtherStack), 100u);
  EXPECT_EQ(slow.distance(Command::kRead, Command::kRead, TimingScope::kAll), 2u);
  TimingTable one(slow, 4, 4, 1);
  one.issue(Command::kRead, 0, Cycle{100});
  EXPECT_EQ(one.earliest(Command::kRead, 15), Cycle{102});
}

struct Planted {
  std::string rule;
  std::vector<Step> steps;
};

// Groups from 8 on are of the second pseudo-channel.
TEST(Hbm2Oracle, SeesWhatIsNoMatterOfDistance) {
  const std::vector<Planted> planted{
      {"ROWBUS", {kOpen00, {1, Command::kActivate, 8, 0, 0}}},
      {"ROWBUS", {kOpen00, {1, Command::kRefresh, 8, 0, 0}}},
      {"ROWBUS", {kOpen00, {50, Command::kPrecharge, 0, 0, 0}, {50, Command::kActivate, 8, 0, 0}}},
      {"COLBUS",
       {kOpen00,
        {2, Command::kActivate, 8, 0, 0},
        {30, Command::kRead, 0, 0, 0},
        {30, Command::kWrite, 8, 0, 0}}},
      {"STATE", {kOpen00, {60, Command::kActivate, 0, 0, 1}}},
      {"STATE", {kOpen00, {60, Command::kRead, 0, 0, 1}}},
      {"STATE", {{60, Command::kWrite, 0, 0, 0}}},
      {"STATE", {kOpen00, {60, Command::kRefresh, 0, 0, 0}}},
      {"STATE", {kOpen00, {60, Command::kRefreshBank, 0, 0, 0}}},
      {"tREFI", {{9 * 3420 + 1, Command::kRefresh, 8, 0, 0}}},
      {"tREFISB", {{9 * 32 * 213 + 1, Command::kRefreshBank, 0, 0, 0}}},
  };
  for (const Planted& plant : planted) {
    Hbm2Oracle oracle(timing(), 2);
    for (const Step& step : plant.steps)
      oracle.command(Cycle{step.at}, step.command, step.group, step.bank, step.row);
    EXPECT_EQ(oracle.violations, (std::map<std::string, int>{{plant.rule, 1}}));
  }
  Hbm2Oracle oracle(timing(), 2);
  oracle.command(Cycle{0}, Command::kActivate, 0, 0, 0);
  oracle.command(Cycle{2}, Command::kActivate, 8, 0, 0);
  oracle.command(Cycle{30}, Command::kRead, 0, 0, 0);
  oracle.command(Cycle{31}, Command::kRead, 8, 0, 0);
  EXPECT_TRUE(oracle.violations.empty()) << "pseudo-channels share nothing but the buses";
}

}  // namespace
}  // namespace heddle::test
