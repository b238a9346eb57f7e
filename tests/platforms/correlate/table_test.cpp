// Tables of counters as the RTL's side: plain CSV, AutoCounter, ncu, nvprof.

#include <fmt/format.h>

#include "tests/support/problems.h"
#include "tests/support/rtl/correlate_rig.h"

namespace heddle::correlate {
namespace {

using heddle::test::Problems;
using heddle::test::problems_of;

class Tables : public test::CorrelateRig {
 protected:
  static std::string map_of(const std::string& rtl, const std::string& more = "") {
    return more + fmt::format("pairs: [{{name: p, rtl: '{}', model: '0'}}]\n", rtl);
  }
  std::optional<double> value_of(const std::string& rtl, const std::string& table,
                                 const std::string& more = "") const {
    write("t.csv", table);
    return correlate(map_of(rtl, more), "t.csv").pairs.at(0).rtl;
  }
  std::vector<double> windows_of(const std::string& rtl, const std::string& table,
                                 const std::string& more) const {
    write("t.csv", table);
    std::vector<double> values;
    for (const WindowResult& window : correlate(map_of(rtl, more), "t.csv").pairs.at(0).windows)
      values.push_back(window.rtl.value());
    return values;
  }
  // Returns the only problem with a table, without the folder.
  std::string problem_of(const std::string& table, const std::string& rtl = "hits",
                         const std::string& more = "") const {
    const Problems problems = problems_of([&] { value_of(rtl, table, more); });
    EXPECT_EQ(problems.size(), 1u);
    if (problems.empty()) return "";
    const std::string folder = folder_.string() + "/";
    return problems[0].rfind(folder, 0) == 0 ? problems[0].substr(folder.size()) : problems[0];
  }
};

TEST_F(Tables, TheLastRowCountsWithoutAPosition) {
  const std::string table = "hits,\"l2, misses\", name\r\n10,1,a\r\n\r\n25,0.5,b\r\n";
  EXPECT_EQ(value_of("hits", table), 25);
  EXPECT_EQ(value_of("last(\"l2, misses\") * 2", table), 1);
  EXPECT_EQ(value_of("delta(hits)", table), 15);
  EXPECT_EQ(value_of("max(\"l2, misses\")", table), 1);
  EXPECT_EQ(value_of("hits", "hits\n7\n"), 7);
}

TEST_F(Tables, RowsWithACycleAreWindows) {
  const std::string table = "hits,cycle,level\n4,100,9\n10,200,3\n10,300,5\n";
  const std::string windows = "windows: {ranges: [[0, 100], [100, 300]], compare: whole-run}\n";
  EXPECT_EQ(windows_of("delta(hits)", table, windows), (std::vector<double>{4, 6}));
  EXPECT_EQ(windows_of("hits", table, windows), (std::vector<double>{4, 10}));
  EXPECT_EQ(windows_of("max(level)", table, windows), (std::vector<double>{9, 9}));
  EXPECT_EQ(value_of("delta(hits)", table), 10);  // from zero at cycle 0
  EXPECT_EQ(windows_of("delta(hits)", table, "windows: {every: 100cycles, compare: whole-run}\n"),
            (std::vector<double>{4, 6, 0}));
  EXPECT_EQ(problem_of(table, "hits", "windows: {every: 50cycles, compare: whole-run}\n"),
            "map.yaml:1:1: windows: a window ends at cycle 50, of which the RTL has no row");
  EXPECT_EQ(problem_of(table, "hits", "windows: {ranges: [[50, 100]], compare: whole-run}\n"),
            "map.yaml:1:20: windows.ranges[0]: the RTL has no row of cycle 50, where the window begins");
}

TEST_F(Tables, TimesBecomeCyclesOfThePeriod) {
  const std::string table = "time [us],hits\n0,2\n0.5,7\n1,9\n";
  EXPECT_EQ(windows_of("delta(hits)", table,
                       "clock: {period: 2ns}\nwindows: {every: 250cycles, compare: whole-run}\n"),
            (std::vector<double>{5, 2}));
  EXPECT_EQ(problem_of(table, "hits", "windows: {every: 250cycles, compare: whole-run}\n"),
            "map.yaml:1:1: windows: times need the 'period' of 'clock'");
}

constexpr const char* kAutoCounter =
    "version,1\nClock Domain Name, tile, Base Multiplier, 1, Base Divisor, 2\n"
    "label,l2_hit,s1_pc\n\"description\",\"hits, \"\"all\"\"\",\"pc\"\ntype,Accumulate,Identity\n"
    "event width,1,40\naccumulator width,4,64\n1000,14,4096\n2000,3,4100\n3000,5,8192\n";

TEST_F(Tables, AutoCounterHasWidthsAndCyclesOfItsClock) {
  EXPECT_EQ(windows_of("delta(l2_hit)", kAutoCounter, "windows: {every: 500cycles, compare: whole-run}\n"),
            (std::vector<double>{14, 5, 2}));  // 3 follows on 14 in four bits
  EXPECT_EQ(value_of("s1_pc", kAutoCounter), 8192);
  EXPECT_EQ(value_of("s1_pc[15:13]", kAutoCounter), 1);
  const std::string text = kAutoCounter;
  EXPECT_EQ(problem_of("version,2" + text.substr(9), "l2_hit"), "t.csv: is no AutoCounter file of version 1");
  EXPECT_EQ(problem_of(text.substr(0, 60), "l2_hit"), "t.csv:2: needs the row 'label'");
  EXPECT_EQ(problem_of(text + "4000,16,1\n", "l2_hit"), "t.csv:11: '16' of 'l2_hit' is no number of 4 bits");
  EXPECT_EQ(problem_of(text + "3000,1,1\n", "l2_hit"), "t.csv:11: cycle 1500 after cycle 1500");
}

TEST_F(Tables, NcuAddsSumsOverLaunches) {
  const std::string table =
      "==PROF== Connected to process 7 (/app)\nhello, world\n"
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"7\",\"add(const float *, int)\",\"inst.sum\",\"inst\",\"1,234,567\"\n"
      "\"0\",\"7\",\"add(const float *, int)\",\"hit_rate.pct\",\"%\",\"50.5\"\n"
      "\"0\",\"7\",\"add(const float *, int)\",\"dram.sum\",\"Kbyte\",\"1.5\"\n"
      "\"1\",\"7\",\"add(const float *, int)\",\"inst.sum\",\"inst\",\"3\"\n"
      "\"1\",\"7\",\"add(const float *, int)\",\"hit_rate.pct\",\"%\",\"60\"\n"
      "\"2\",\"7\",\"mul(int)\",\"inst.sum\",\"inst\",\"30\"\n"
      "\"2\",\"7\",\"mul(int)\",\"dram.sum\",\"byte\",\"20\"\n"
      "\"2\",\"7\",\"mul(int)\",\"time.avg\",\"usecond\",\"2\"\n"
      "\"2\",\"7\",\"mul(int)\",\"device\",\"\",\"A100\"\n"
      "\"2\",\"7\",\"mul(int)\",\"hit_rate.pct\",\"%\",\"70\"\n";
  EXPECT_EQ(value_of("inst.sum", table), 1234600);
  EXPECT_EQ(value_of("inst.sum@add", table), 1234570);
  EXPECT_EQ(value_of("inst.sum@mul", table), 30);
  EXPECT_EQ(value_of("dram.sum", table), 1520);
  EXPECT_DOUBLE_EQ(value_of("time.avg", table).value(), 2e-6);
  EXPECT_EQ(value_of("hit_rate.pct@mul", table), 70);
  EXPECT_NE(problem_of(table, "hit_rate.pct").find("no signal 'hit_rate.pct'"), std::string::npos);
  EXPECT_NE(problem_of(table, "hit_rate.pct@add").find("no signal"), std::string::npos);
  EXPECT_EQ(correlate(map_of("inst.sum"), "t.csv").format, "ncu");
}

TEST_F(Tables, NcuMayHaveAColumnForEachMetric) {
  const std::string table =
      "==PROF== Connected to process 7 (/app)\n"
      "\"ID\",\"Kernel Name\",\"Block "
      "Size\",\"sm__inst.sum\",\"dram__bytes.sum\",\"l2__hit.pct\",\"device__name\"\n"
      "\"\",\"\",\"\",\"inst\",\"Kbyte\",\"%\",\"\"\n"
      "\"0\",\"add(const float *, int)\",\"(256, 1, 1)\",\"1,234\",\"1.5\",\"50.5\",\"A100\"\n"
      "\"1\",\"add(const float *, int)\",\"(256, 1, 1)\",\"6\",\"2\",\"60\",\"A100\"\n"
      "\"2\",\"mul(int)\",\"(32, 1, 1)\",\"60\",\"n/a\",\"70\",\"A100\"\n";
  EXPECT_EQ(value_of("sm__inst.sum", table), 1300);
  EXPECT_EQ(value_of("sm__inst.sum@add", table), 1240);
  EXPECT_EQ(value_of("dram__bytes.sum", table), 3500);
  EXPECT_EQ(value_of("l2__hit.pct@mul", table), 70);
  EXPECT_NE(problem_of(table, "l2__hit.pct@add").find("no signal"), std::string::npos);
  EXPECT_NE(problem_of(table, "device__name").find("no signal"), std::string::npos);
  EXPECT_EQ(correlate(map_of("sm__inst.sum"), "t.csv").format, "ncu");
}

TEST_F(Tables, NvprofHasTotalsOfEvents) {
  const std::string events =
      "==7== NVPROF is profiling process 7\n==7== Event result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n"
      "\"K40 (0)\",\"add(int*)\",2,\"gld\",10,30,20,40\n\"K40 (0)\",\"mul(int*)\",1,\"gld\",5,5,5,5\n";
  EXPECT_EQ(value_of("gld", events), 45);
  EXPECT_EQ(value_of("gld@add", events), 40);
  const std::string metrics =
      "==7== Metric result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
      "\"K40 (0)\",\"add(int*)\",2,\"l2_hit\",\"Hits, L2\",10%,30%,20.5%\n";
  EXPECT_EQ(value_of("l2_hit", metrics), 20.5);
  EXPECT_EQ(correlate(map_of("l2_hit"), "t.csv").format, "nvprof");
}

TEST_F(Tables, AnEmptyCellIsUnknown) {
  write("t.csv", "cycle,hits\n10,1\n20,\n");
  EXPECT_EQ(correlate(map_of("hits"), "t.csv").pairs[0].verdict, Verdict::kUnknown);
}

TEST_F(Tables, EveryColumnCountsForTheCoverage) {
  write("t.csv", "cycle,hits,misses,debug,spare\n10,1,2,3,4\n");
  const Correlation result = correlate(
      "pairs: [{name: p, rtl: hits, model: '1'}]\nunmapped: {rtl: {'de*': not modelled}}\n", "t.csv");
  EXPECT_EQ(result.rtl.known(), 4u);
  EXPECT_EQ(result.rtl.mapped, 1u);
  EXPECT_EQ(result.rtl.reasoned, 1u);
  EXPECT_EQ(result.rtl.open, (std::vector<std::string>{"misses", "spare"}));
}

TEST_F(Tables, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(problem_of(""), "t.csv: is empty");
  EXPECT_EQ(problem_of("hits\n"), "t.csv: has no row of values");
  EXPECT_EQ(problem_of("hits,misses\n1\n"), "t.csv:2: has 1 cells, the head has 2");
  EXPECT_EQ(problem_of("hits\n1\n\"2\n"), "t.csv:3: a quote is not closed");
  EXPECT_EQ(problem_of("hits\n\"2\"x\n"), "t.csv:2: text behind a closing quote");
  EXPECT_EQ(problem_of("hits\nmany\n"), "t.csv:2: 'many' of 'hits' is no number");
  EXPECT_EQ(problem_of("hits,hits\n1,2\n"), "t.csv: two columns are named 'hits'");
  EXPECT_EQ(problem_of("hits,\n1,2\n"), "t.csv: column 2 has no name");
  EXPECT_EQ(problem_of("cycle,hits\n5,1\n4,1\n"), "t.csv:3: cycle 4 after cycle 5");
  EXPECT_EQ(problem_of("cycle,hits\n-5,1\n"), "t.csv:2: '-5' is no position");
  EXPECT_EQ(problem_of("cycle,hits\n1e300,1\n"), "t.csv:2: position '1e300' is too large");
  EXPECT_EQ(problem_of("cycle,time [ns],hits\n"), "t.csv:1: two columns state the position of a row");
}

TEST_F(Tables, WhatNeedsAWaveformIsRefused) {
  write("t.csv", "hits\n1\n");
  const Problems problems = problems_of([&] {
    correlate(
        "clock: {signal: clk}\nreset: {signal: rst, level: high}\nwindows: {signal: roi}\n"
        "pairs:\n  - {name: a, rtl: pulses(hits), model: '0'}\n  - {name: b, rtl: 2 * cycles(hits), model: "
        "'0'}\n",
        "t.csv");
  });
  EXPECT_EQ(problems, (Problems{"map.yaml:1:1: clock: a table (csv) has no clock; only times need a period",
                                "map.yaml:2:17: reset.signal: a table (csv) has no reset",
                                "map.yaml:3:1: windows: the RTL has no column 'cycle' or 'time [UNIT]'",
                                "map.yaml:3:19: windows.signal: a table (csv) has no signals of windows",
                                std::string("map.yaml:5:20: pairs[0].rtl: column 1 of the expression: "
                                            "pulses() needs a waveform, and the RTL ") +
                                    "is a table (csv)",
                                std::string("map.yaml:6:20: pairs[1].rtl: column 5 of the expression: "
                                            "cycles() needs a waveform, and the RTL ") +
                                    "is a table (csv)"}));
}

}  // namespace
}  // namespace heddle::correlate
