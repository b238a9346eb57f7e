// The comparison of a whole map: the model's side, windows, coverage, and what is wrong with a map.

#include <fmt/format.h>

#include "tests/support/problems.h"
#include "tests/support/rtl/correlate_rig.h"
#include "tests/support/rtl/damage.h"
#include "tests/support/test_size.h"

namespace heddle::correlate {
namespace {

using heddle::test::Problems;
using heddle::test::problems_of;

using Correlations = test::CorrelateRig;

TEST_F(Correlations, TheModelIsAnExpressionOverItsStatistics) {
  const auto model_of = [this](const std::string& model) { return pair_of("top.clk", model).model; };
  EXPECT_EQ(model_of("gpu.wraps"), 3);
  EXPECT_EQ(model_of("sum(gpu.unit*.valid)"), 12);
  EXPECT_EQ(model_of("sum(gpu.unit*.valid) / 2 - gpu.wraps * 2 + gpu.idle"), 0);
  EXPECT_EQ(model_of("gpu.share"), std::nullopt);
  EXPECT_EQ(model_of("gpu.wraps / gpu.idle"), std::nullopt);
}

TEST_F(Correlations, EachPairHasAResult) {
  const auto verdict_of = [this](const std::string& rtl, const std::string& model,
                                 const std::string& more = "") { return pair_of(rtl, model, more).verdict; };
  EXPECT_EQ(verdict_of("cycles(top.dut.valid)", "gpu.unit0.valid"), Verdict::kAgree);
  EXPECT_EQ(verdict_of("pulses(top.dut.valid)", "gpu.wraps"), Verdict::kAgree);
  EXPECT_EQ(verdict_of("delta(top.dut.count)", "gpu.wraps"), Verdict::kOff);
  EXPECT_EQ(verdict_of("delta(top.dut.count)", "gpu.wraps", "tolerance: {absolute: 3}\n"), Verdict::kAgree);
  EXPECT_EQ(verdict_of("delta(top.dut.count)", "gpu.wraps", "tolerance: {relative: 0.5}\n"), Verdict::kAgree);
  EXPECT_EQ(verdict_of("delta(top.dut.count)", "gpu.wraps", "tolerance: {relative: 0.49}\n"), Verdict::kOff);
  EXPECT_EQ(verdict_of("top.dut.mixed", "gpu.wraps"), Verdict::kOff);
  EXPECT_EQ(verdict_of("max(top.dut.mixed)", "gpu.wraps"), Verdict::kUnknown);
  EXPECT_EQ(verdict_of("cycles(top.dut.count == 4)", "gpu.idle"), Verdict::kNotExercised);
  EXPECT_EQ(verdict_of("cycles(top.rst)", "gpu.wraps"), Verdict::kOff);  // a stuck signal does not hide it
  EXPECT_EQ(verdict_of("top.clk / top.rst", "gpu.share"), Verdict::kNotExercised);
  EXPECT_EQ(verdict_of("top.clk / top.rst", "gpu.wraps"), Verdict::kOff);
}

TEST_F(Correlations, WindowsAreComparedWithTheirPartOfTheSeries) {
  const std::string map = map_of("cycles(top.dut.valid)", "2 * gpu.unit0.valid - gpu.wraps",
                                 "windows: {every: 5cycles}\ntolerance: {absolute: 1}\n");
  const Correlation result = correlate(map);
  ASSERT_TRUE(result.has_window_pairs);
  const PairResult& pair = result.pairs[0];
  // The RTL counts 3 and 3, the model 2 * 3 - 1 and 2 * 3 - 2.
  ASSERT_EQ(pair.windows.size(), 2u);
  EXPECT_EQ(pair.windows[0].model, 5);
  EXPECT_EQ(pair.windows[1].model, 4);
  EXPECT_EQ(pair.windows[0].verdict, Verdict::kOff);
  EXPECT_EQ(pair.windows[1].verdict, Verdict::kAgree);
  EXPECT_EQ(pair.windows_off, 1u);
  EXPECT_EQ(pair.model, 9);
  EXPECT_EQ(pair.verdict, Verdict::kOff);
  EXPECT_DOUBLE_EQ(*pair.mean_relative_error, (2.0 / 3 + 1.0 / 3) / 2);
  EXPECT_EQ(pair.worst_window, 0u);
  EXPECT_EQ(pair.pearson, std::nullopt);  // the RTL is constant
}

TEST_F(Correlations, ARunThatIsLongerOrLaterThanTheRtlIsComparedToItsEnd) {
  write("series.csv", "cycle,ps,gpu.unit0.valid [event]\n100,1,7\n105,2,3\n110,3,2\n115,4,1\n117,5,4\n");
  const PairResult pair =
      pair_of("cycles(top.dut.valid)", "gpu.unit0.valid", "windows: {every: 5cycles, offset: 100cycles}\n");
  std::vector<double> rtl, model;
  for (const WindowResult& window : pair.windows) {
    rtl.push_back(window.rtl.value());
    model.push_back(window.model.value());
  }
  EXPECT_EQ(rtl, (std::vector<double>{3, 3, 0, 0}));
  EXPECT_EQ(model, (std::vector<double>{3, 2, 1, 4}));
  EXPECT_EQ(pair.model, 10);
  EXPECT_EQ(pair.worst_window, 3u);
  // Deviations of the RTL: 1.5, 1.5, -1.5, -1.5; of the model: 0.5, -0.5, -1.5, 1.5.
  EXPECT_DOUBLE_EQ(*pair.pearson, 0);
}

TEST_F(Correlations, WindowsMustBeMadeOfIntervals) {
  EXPECT_EQ(
      problems_of([&] { correlate(map_of("top.clk", "gpu.unit0.valid", "windows: {ranges: [[0, 4]]}\n")); }),
      Problems{"map.yaml:3:1: windows: cycles 0 to 4 of the run are no whole intervals of series.csv"});
  EXPECT_EQ(
      problems_of([&] { correlate(map_of("top.clk", "gpu.unit1.valid", "windows: {every: 5cycles}\n")); }),
      Problems{std::string("map.yaml:4:42: pairs[0].model: column 1 of the expression: 'gpu.unit1.valid' is "
                           "no counter of ") +
               "series.csv"});
  std::filesystem::remove(path("series.csv"));
  const Problems missing =
      problems_of([&] { correlate(map_of("top.clk", "gpu.wraps", "windows: {every: 5cycles}\n")); });
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_NE(missing[0].find("series.csv: cannot be read: No such file"), std::string::npos) << missing[0];
}

TEST_F(Correlations, CoverageCountsPartnersAndReasons) {
  const Correlation result = correlate(
      "clock: {signal: top.clk}\nreset: {signal: top.rst, level: high}\npairs:\n"
      "  - {name: valid, rtl: cycles(top.dut.valid), model: gpu.unit0.valid}\n"
      "  - {name: idle, rtl: cycles(top.dut.count == 4), model: gpu.idle}\n"
      "unmapped:\n  rtl: {top.dut.mixed: only for debugging}\n  model: {'gpu.unit*.valid': counted once}\n"
      "cover: {rtl: ['top.dut.*'], model: ['gpu.*']}\n");
  EXPECT_EQ(result.rtl.known(), 5u);
  EXPECT_EQ(result.rtl.mapped, 2u);
  EXPECT_EQ(result.rtl.exercised, 1u);
  EXPECT_EQ(result.rtl.reasoned, 1u);
  EXPECT_EQ(result.rtl.open, (std::vector<std::string>{"top.dut.level", "top.dut.ready"}));
  EXPECT_EQ(result.model.known(), 5u);
  EXPECT_EQ(result.model.mapped, 2u);
  EXPECT_EQ(result.model.reasoned, 1u);
  EXPECT_EQ(result.model.open, (std::vector<std::string>{"gpu.share", "gpu.wraps"}));
}

TEST_F(Correlations, EveryProblemOfAMapIsReportedWithItsPlace) {
  const Problems problems = problems_of([&] {
    correlate(
        "clock: {signal: top.clok, edge: up}\n"
        "reset: {signal: top.dut.count, level: hgh}\n"
        "windows: {ranges: [[5, 5], [0, 9], [7, 12], [3]], every: 3cycles}\n"
        "tolerance: {relative: 2}\n"
        "pairs:\n"
        "  - {name: a, rtl: pulses(top.dut.vald), model: gpu.wrap}\n"
        "  - {name: a, rtl: 1 +, model: sum(gpu.zip*)}\n"
        "  - {name: b, rtl: delta(top.dut.count + 1), model: gpu.wraps, colour: red}\n"
        "  - {name: c, rtl: cycles(top.dut.count), model: gpu.wraps}\n"
        "  - {name: d, rtl: 'top.dut.count[3:0]', model: gpu.wraps}\n"
        "  - {name: e, rtl: 'top.dut.count[0:2]', model: gpu.wraps}\n"
        "  - {name: f, rtl: 'top.dut.level[0]', model: gpu.wraps}\n"
        "  - {name: g, model: gpu.wraps}\n"
        "unmapped: {rtl: {top.dut.mixd: why}, model: {gpu.wraps: ''}}\n"
        "cover: {model: ['gpu.none*']}\n");
  });
  const Problems expected{
      std::string(
          "map.yaml:1:17: clock.signal: column 1 of the expression: no signal 'top.clok'; did you mean ") +
          "'top.clk'?",
      "map.yaml:1:33: clock.edge: 'up' is not one of rising, falling",
      "map.yaml:2:17: reset.signal: needs a signal of one bit",
      "map.yaml:2:39: reset.level: 'hgh' is not one of high, low; did you mean 'high'?",
      "map.yaml:3:1: windows: needs one of 'ranges', 'signal' and 'every'",
      "map.yaml:4:23: tolerance.relative: is 2, must be from 0 to 1",
      std::string("map.yaml:6:20: pairs[0].rtl: column 8 of the expression: no signal 'top.dut.vald'; did "
                  "you mean ") +
          "'top.dut.valid'?",
      std::string("map.yaml:6:49: pairs[0].model: column 1 of the expression: no statistic 'gpu.wrap'; did "
                  "you mean ") +
          "'gpu.wraps'?",
      "map.yaml:7:5: pairs[1]: another pair has the name 'a'",
      "map.yaml:7:20: pairs[1].rtl: column 4 of the expression: needs a name, a number or '(', has the end",
      "map.yaml:8:20: pairs[2].rtl: column 1 of the expression: delta() needs the name of one signal",
      "map.yaml:8:64: pairs[2].colour: unknown key",
      std::string("map.yaml:9:20: pairs[3].rtl: column 1 of the expression: cycles() of a name ") +
          "needs a signal of one bit; compare a wider one, as in 'count != 0'",
      "map.yaml:10:20: pairs[4].rtl: column 1 of the expression: 'top.dut.count' has the bits [2:0]",
      "map.yaml:11:20: pairs[5].rtl: column 1 of the expression: 'top.dut.count' has the bits [2:0]",
      "map.yaml:12:20: pairs[6].rtl: column 1 of the expression: 'top.dut.level' is real and has no bits",
      "map.yaml:13:5: pairs[7].rtl: missing key",
      std::string(
          "map.yaml:14:32: unmapped.rtl.top.dut.mixd: 'top.dut.mixd' matches nothing; did you mean ") +
          "'top.dut.mixed'?",
      "map.yaml:14:57: unmapped.model.gpu.wraps: needs a reason",
      "map.yaml:15:17: cover.model[0]: 'gpu.none*' matches nothing"};
  for (std::size_t i = 0; i < std::max(problems.size(), expected.size()); ++i)
    EXPECT_EQ(i < problems.size() ? problems[i] : "nothing", i < expected.size() ? expected[i] : "nothing");
}

TEST_F(Correlations, RangesAscendAndAreNotEmpty) {
  const Problems problems = problems_of([&] {
    correlate(map_of("top.clk", "gpu.wraps", "windows: {ranges: [[5, 5], [0, 9], [7, 12], [3]]}\n"));
  });
  EXPECT_EQ(problems,
            (Problems{"map.yaml:3:20: windows.ranges[0]: ends at cycle 5, which is not after cycle 5",
                      "map.yaml:3:36: windows.ranges[2]: begins at cycle 7, before the window above ends",
                      "map.yaml:3:45: windows.ranges[3]: needs the two numbers [begin, end]"}));
}

TEST_F(Correlations, ARunIsRefusedUnlessItIsOne) {
  std::filesystem::rename(path("stats.json"), path("other.json"));
  const auto refusal = [this] {
    const Problems problems = problems_of([&] { pair_of("top.clk", "0"); });
    return problems.empty() ? "" : problems[0].substr(folder_.string().size());
  };
  EXPECT_EQ(refusal(), ": is no result of heddle run: it has no stats.json");
  for (const char* run : {"1-fcfs", "2-token"}) {
    std::filesystem::create_directory(folder_ / run);
    std::filesystem::copy(path("other.json"), folder_ / run / "stats.json");
    if (std::string(run) == "1-fcfs") {
      EXPECT_EQ(pair_of("top.clk", "gpu.wraps").model, 3);
    }
  }
  EXPECT_EQ(refusal(),
            fmt::format(": has several runs; name one of {}, {}", path("1-fcfs"), path("2-token")));
  write("stats.json", "{}");
  EXPECT_EQ(refusal(), "/stats.json: has no schema; this program reads heddle-stats-1");
}

// Damages one of the inputs, and expects a result or problems that name a file.
class Damage : public test::CorrelateRig {
 protected:
  // The problems may be those of the map, too.
  void expect_refusals(const std::string& name, const std::string& whole,
                       const std::function<void(const std::string& text)>& use) const {
    const auto expect_place = [&](std::uint64_t variant, const std::string& message) {
      const bool has_place =
          message.find(name) != std::string::npos || message.find("map.yaml:") != std::string::npos;
      EXPECT_TRUE(has_place) << variant << ": " << message;
    };
    std::uint64_t accepted = 0;
    const std::uint64_t variants = cases(1000);
    for (std::uint64_t i = 0; i < variants; ++i) {
      Random random(i);
      try {
        use(heddle::test::damaged(whole, random));
        ++accepted;
      } catch (const config::Error& error) {
        expect_place(i, error.what());
      } catch (const WaveFileError& error) {
        expect_place(i, error.what());
      }
    }
    EXPECT_GT(accepted, variants / 100);
    EXPECT_LT(accepted, variants * 19 / 20);
  }

  const std::string map_ =
      "clock: {signal: top.clk}\nreset: {signal: top.rst, level: high}\nwindows: {every: 5cycles}\n"
      "tolerance: {absolute: 1, relative: 0.1}\npairs:\n"
      "  - {name: valid, rtl: cycles(top.dut.valid), model: gpu.unit0.valid}\n"
      "  - {name: count, rtl: 'delta(top.dut.count[2:0]) - 1', model: sum(gpu.wr*) / 2, tolerance: "
      "{absolute: 9}}\n"
      "unmapped: {rtl: {top.dut.level: a}}\ncover: {model: ['gpu.*']}\n";
};

TEST_F(Damage, OfAMapIsRefusedWithItsPlace) {
  expect_refusals("map.yaml", map_, [this](const std::string& text) { correlate(text); });
}

TEST_F(Damage, OfAWaveformIsRefusedWithItsPlaceOrThatOfTheMap) {
  expect_refusals("sim.vcd: ", test::ten_cycles(), [this](const std::string& text) {
    write("sim.vcd", text);
    correlate(map_, "sim.vcd", "vcd");
  });
}

TEST_F(Damage, OfATableIsRefusedWithItsPlaceOrThatOfTheMap) {
  const auto use = [this](const std::string& text) {
    write("t.csv", text);
    correlate("pairs: [{name: p, rtl: delta(hits), model: gpu.wraps}]\n", "t.csv");
  };
  expect_refusals("t.csv:", "cycle,hits,\"l2, misses\"\n10,5,1\n20,7,2\n30,\"9\",0.5\n", use);
  expect_refusals(
      "t.csv:",
      "version,1\nClock Domain Name, tile, Base Multiplier, 1, Base Divisor, 2\nlabel,hits\n"
      "\"description\",\"d\"\ntype,Accumulate\nevent width,1\naccumulator width,8\n100,5\n200,250\n",
      use);
  expect_refusals("t.csv:",
                  "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                  "\"k(int)\",\"hits\",\"Kbyte\",\"1,5\"\n",
                  use);
}

}  // namespace
}  // namespace heddle::correlate
