// What the functions of a map count in a waveform of ten cycles, against closed forms.

#include <fmt/format.h>

#include "tests/support/problems.h"
#include "tests/support/rtl/correlate_rig.h"

namespace heddle::correlate {
namespace {

using heddle::test::Problems;
using heddle::test::problems_of;

class Waveform : public test::CorrelateRig {
 protected:
  std::optional<double> value_of(const std::string& rtl, const std::string& more = "") const {
    return pair_of(rtl, "0", more).rtl;
  }
};

TEST_F(Waveform, FunctionsCountTheCyclesOutsideOfReset) {
  EXPECT_EQ(value_of("cycles(top.dut.valid)"), 6);
  EXPECT_EQ(value_of("pulses(top.dut.valid)"), 3);
  EXPECT_EQ(value_of("delta(top.dut.count)"), 6);  // from 5 over 7 to 3
  EXPECT_EQ(value_of("last(top.dut.count)"), 3);
  EXPECT_EQ(value_of("top.dut.count"), 3);
  EXPECT_EQ(value_of("max(top.dut.count)"), 7);
  EXPECT_EQ(value_of("max(top.dut.count[1:0])"), 3);
  EXPECT_EQ(value_of("cycles(top.dut.count == 7)"), 2);
  EXPECT_EQ(value_of("cycles(top.dut.count + top.dut.valid >= 7)"), 3);
  EXPECT_EQ(value_of("cycles(top.dut.count[2])"), 5);
  EXPECT_EQ(value_of("pulses(top.dut.count[0])"), 2);  // at 7 and at 1; 5 stands in reset already
  EXPECT_EQ(value_of("last(top.dut.level)"), 1.25);
  EXPECT_EQ(value_of("delta(top.dut.level)"), 0.75);
  EXPECT_EQ(value_of("2 * cycles(top.dut.valid) - pulses(top.dut.ready) / 3"), 11);
  EXPECT_EQ(correlate(map_of("top.dut.count", "0")).cycles, 10u);
}

TEST_F(Waveform, AFallingEdgeSamplesWhatStandsBeforeIt) {
  const std::string map =
      "clock: {signal: top.clk, edge: falling}\nreset: {signal: top.rst, level: high}\n"
      "pairs: [{name: p, rtl: 'cycles(top.dut.valid)', model: '0'}]\n";
  // At 20 ns the reset still stands; at the ten edges from 30 ns on, `valid` is that of the next rising edge.
  EXPECT_EQ(correlate(map).cycles, 10u);
  EXPECT_EQ(correlate(map).pairs[0].rtl, 6);
}

TEST_F(Waveform, APeriodIsAClockOfItsOwn) {
  const std::string map =
      "clock: {period: 10ns}\npairs: [{name: p, rtl: 'cycles(top.dut.valid)', model: '0'}]\n";
  EXPECT_EQ(correlate(map).cycles, 12u);  // edges at 10, 20, ... 120 ns
  // `valid` stands at 1 from 25 to 45, from 55 to 65 and from 85 to 115 ns.
  EXPECT_EQ(correlate(map).pairs[0].rtl, 6);
}

TEST_F(Waveform, AnUnknownValueThatCountsMakesAPairUnknown) {
  const PairResult all = pair_of("cycles(top.dut.mixed == 10)", "7");
  EXPECT_EQ(all.verdict, Verdict::kUnknown);
  EXPECT_EQ(all.unknown_cycle, 0u);
  EXPECT_EQ(all.rtl, std::nullopt);
  EXPECT_EQ(pair_of("max(top.dut.mixed)", "10").verdict, Verdict::kUnknown);
  EXPECT_EQ(pair_of("delta(top.dut.mixed)", "10").verdict, Verdict::kUnknown);
  EXPECT_EQ(pair_of("last(top.dut.mixed)", "10").verdict, Verdict::kAgree);
  EXPECT_EQ(pair_of("cycles(top.dut.mixed[3])", "7").verdict, Verdict::kAgree);  // these bits are known
  EXPECT_EQ(pair_of("cycles(top.dut.mixed[1])", "7").verdict, Verdict::kUnknown);
  const PairResult later =
      pair_of("cycles(top.dut.mixed == 10)", "7", "windows: {ranges: [[3, 10]], compare: whole-run}\n");
  EXPECT_EQ(later.verdict, Verdict::kNotExercised);  // it is 10 in all of the window
  EXPECT_EQ(later.rtl, 7);
}

TEST_F(Waveform, WindowsCountTheirOwnCycles) {
  const std::string ranges = "windows: {ranges: [[1, 4], [4, 5], [8, 10]], compare: whole-run}\n";
  const auto windows_of = [&](const std::string& rtl, const std::string& windows) {
    std::vector<double> values;
    for (const WindowResult& window : pair_of(rtl, "0", windows).windows)
      values.push_back(window.rtl.value());
    return values;
  };
  EXPECT_EQ(windows_of("cycles(top.dut.valid)", ranges), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(windows_of("pulses(top.dut.valid)", ranges), (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(windows_of("delta(top.dut.count)", ranges), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(windows_of("top.dut.count", ranges), (std::vector<double>{7, 0, 3}));
  EXPECT_EQ(windows_of("max(top.dut.count)", ranges), (std::vector<double>{7, 7, 3}));
  EXPECT_EQ(value_of("cycles(top.dut.valid)", ranges), 5);
  EXPECT_EQ(value_of("delta(top.dut.count)", ranges), 5);
  EXPECT_EQ(value_of("max(top.dut.count)", ranges), 7);
  const std::string every = "windows: {every: 4cycles, compare: whole-run}\n";
  EXPECT_EQ(windows_of("cycles(top.dut.valid)", every), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(value_of("delta(top.dut.count)", every), 6);
  const std::string high = "windows: {signal: top.dut.valid}\n";
  EXPECT_EQ(windows_of("delta(top.dut.count)", high), (std::vector<double>{2, 1, 3}));
  EXPECT_EQ(value_of("cycles(top.dut.count[0])", high), 3);  // at 5, 7 and 1
  EXPECT_EQ(pair_of("cycles(top.dut.valid)", "0", high).windows[2].begin, 7u);
  EXPECT_EQ(pair_of("cycles(top.dut.valid)", "0", high).windows[2].end, 10u);
}

// A counter of eight bits that grows by 3 in each of 1000 cycles, and an asynchronous reset of two edges
// after half of them, which clears the counter at once.
TEST_F(Waveform, GrowthGoesOnOverWrapsAndStopsInAReset) {
  std::string text =
      "$timescale 1ps $end $scope module t $end $var wire 1 ! clk $end $var wire 1 \" rst $end $var wire 8 # "
      "n "
      "$end $upscope $end $enddefinitions $end\n#0 0! 0\" b0 #\n";
  unsigned count = 0;
  for (unsigned edge = 1; edge <= 1002; ++edge) {
    const bool in_reset = edge == 501 || edge == 502;
    if (edge == 501) text += fmt::format("#{} 1\" b0 #\n", 10 * edge - 2);
    if (edge == 503) text += fmt::format("#{} 0\"\n", 10 * edge - 2);
    count = in_reset ? 0 : count + 3;
    text += fmt::format("#{} 1! b{:b} #\n#{} 0!\n", 10 * edge, count & 0xFFU, 10 * edge + 5);
  }
  write("sim.vcd", text);
  const std::string map =
      "clock: {signal: t.clk}\nreset: {signal: t.rst, level: high}\n"
      "pairs: [{name: p, rtl: 'delta(t.n)', model: '3000'}]\n";
  const Correlation result = correlate(map);
  EXPECT_EQ(result.cycles, 1000u);
  // The count starts anew in the reset: 1500 in each half.
  EXPECT_EQ(result.pairs[0].rtl, 3000);
  EXPECT_EQ(result.pairs[0].verdict, Verdict::kAgree);
}

TEST_F(Waveform, ThatHasNoEdgeOrNoWindowIsAProblemOfTheMap) {
  const auto problem = [this](const std::string& map) { return problems_of([&] { correlate(map); }); };
  EXPECT_EQ(problem("clock: {signal: 'top.dut.mixed[7]'}\npairs: [{name: p, rtl: top.clk, model: '0'}]\n"),
            Problems{"map.yaml:1:1: clock: has no edge"});
  EXPECT_EQ(problem("clock: {signal: top.clk}\nreset: {signal: top.rst, level: low}\n"
                    "windows: {signal: top.dut.valid}\npairs: [{name: p, rtl: top.clk, model: '0'}]\n"),
            Problems{"map.yaml:3:19: windows.signal: the signal is never high outside of reset"});
  EXPECT_EQ(problem(map_of("top.clk", "0", "windows: {signal: 'top.dut.mixed[1]'}\n")),
            Problems{"map.yaml:3:19: windows.signal: is x or z in cycle 0"});
  EXPECT_EQ(problem(map_of("top.clk", "0", "windows: {ranges: [[0, 4], [20, 30]], compare: whole-run}\n")),
            Problems{"map.yaml:3:28: windows.ranges[1]: begins at cycle 20, but the RTL ends at cycle 10"});
  EXPECT_EQ(problem(map_of("top.clk", "0", "windows: {ranges: [[0, 40]], compare: whole-run}\n")),
            Problems{"map.yaml:3:20: windows.ranges[0]: ends after cycle 10, where the RTL ends"});
  EXPECT_EQ(problem("clock: {period: 1ps}\npairs: [{name: p, rtl: top.clk, model: '0'}]\n"), Problems{});
}

}  // namespace
}  // namespace heddle::correlate
