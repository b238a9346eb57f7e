// heddle correlate compares the counters of a waveform or a table with those of a finished run.

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"
#include "tests/platforms/cli/full_disk.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class CorrelateVerb : public CliTest {
 protected:
  CorrelateVerb() {
    std::filesystem::create_directory(directory_ / "run");
    write("run/stats.json",
          R"({"schema": "heddle-stats-1", "statistics": [{"unit": "event", "description": "d",
              "values": {"gpu.hits": 3}, "zero": ["gpu.idle"]}]})");
    std::string text =
        "$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n$var wire 4 \" hits $end\n"
        "$upscope $end\n$enddefinitions $end\n#0\n0!\nb0 \"\n";
    for (int edge = 1; edge <= 8; ++edge)
      text += fmt::format("#{}\n1!\nb{:b} \"\n#{}\n0!\n", 10 * edge, edge / 2, 10 * edge + 5);
    write("sim.vcd", text);
    write("map.yaml", map("gpu.hits + 1"));
  }
  static std::string map(const std::string& model) {
    return "correlation: small\nclock: {signal: top.clk}\npairs: [{name: hits, rtl: delta(top.hits), "
           "model: " +
           model + "}]\ncover: {model: ['gpu.*']}\n";
  }
  // Makes sim.fst of sim.vcd.
  void convert() const {
    const std::string command = fmt::format("cd '{}' && vcd2fst -v sim.vcd -f sim.fst", directory_.string());
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  void expect_refusal(const std::string& words, const std::string& message) const {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << words << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
};

TEST_F(CorrelateVerb, PrintsATableAndSaysWithItsExitCodeWhetherAPairIsOff) {
  const Outcome good = heddle("correlate map.yaml --model run --rtl sim.vcd");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(good.out,
            "pair  RTL  model  error (%)  result\n----  ---  -----  ---------  ------\n"
            "hits    4      4       0.00  agree\n\n1 agree, 0 off, 0 unknown, 0 not exercised\n"
            "RTL: 1 of 1 counters have a partner or a reason (100.0 %); of 1 with a partner 1 are exercised "
            "(100.0 %)\n"
            "model: 1 of 2 counters have a partner or a reason (50.0 %); of 1 with a partner 1 are exercised "
            "(100.0 %)\n"
            "  neither: gpu.idle\n");
  write("map.yaml", map("gpu.hits"));
  const Outcome off = heddle("correlate map.yaml --model run --rtl sim.vcd");
  EXPECT_EQ(off.code, 1);
  EXPECT_NE(off.out.find("hits    4      3      25.00  off\n"), std::string::npos) << off.out;
}

TEST_F(CorrelateVerb, WritesJsonAndCsv) {
  const Outcome outcome =
      heddle("correlate map.yaml --model run/stats.json --rtl sim.vcd --json --csv out.csv");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "heddle-correlation-1");
  EXPECT_EQ(json["rtl_cycles"], 8);
  EXPECT_EQ(json["results"]["agree"], 1);
  EXPECT_EQ(json["pairs"][0]["rtl_expression"], "delta(top.hits)");
  EXPECT_EQ(json["pairs"][0]["rtl"], 4);
  EXPECT_EQ(json["coverage"]["model"]["open"], Json({"gpu.idle"}));
  EXPECT_EQ(read("out.csv"), "pair,begin,end,rtl,model,relative_error,result\nhits,,,4,4,0,agree\n");
}

TEST_F(CorrelateVerb, ReadsAnFstThroughGtkwavesProgram) {
  convert();
  const std::string words = "correlate map.yaml --model run --json --rtl ";
  Json text = Json::parse(heddle(words + "sim.vcd").out), binary = Json::parse(heddle(words + "sim.fst").out);
  EXPECT_EQ(binary["rtl_format"], "fst");
  text.erase("rtl_format");
  binary.erase("rtl_format");
  EXPECT_EQ(text, binary);
}

// GTKWave's program never ends on some of these files. It may take five seconds of CPU time.
TEST_F(CorrelateVerb, ADamagedFstIsOneMessage) {
  convert();
  const std::string whole = read("sim.fst");
  std::size_t refused = 0;
  for (std::size_t size = 9; size < whole.size(); size += whole.size() / 6) {
    write("cut.fst", whole.substr(0, size));
    const Outcome outcome = heddle("correlate map.yaml --model run --rtl cut.fst");
    if (outcome.code == 2) ++refused;
    EXPECT_TRUE(outcome.code == 2 || outcome.code == 0 || outcome.code == 1) << size << ": " << outcome.code;
    EXPECT_TRUE(outcome.code != 2 || outcome.err.rfind("heddle: cut.fst", 0) == 0) << outcome.err;
  }
  EXPECT_GT(refused, 4u);
}

TEST_F(CorrelateVerb, AFullDiskIsToldAndNotTheWaveformBlamed) {
  convert();
  const auto outcome = on_full_disk(directory_, captured_, "TMPDIR",
                                    {"correlate", "map.yaml", "--model", "run", "--rtl", "sim.fst"});
  if (!outcome) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(outcome->code, 3);
  EXPECT_EQ(outcome->err,
            fmt::format("heddle: sim.fst: its text does not fit {}/full: No space left on device; "
                        "$TMPDIR names another folder\n",
                        directory_.string()));
}

TEST_F(CorrelateVerb, WithoutFst2vcdTheMessageNamesItsPackage) {
  write("sim.fst", std::string("\0\0\0\0\0\0\0\x01\x49", 9));
  const Outcome outcome = heddle("correlate map.yaml --model run --rtl sim.fst",
                                 {[] { ::setenv("PATH", "/nowhere", 1); }, {}, {}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "heddle: sim.fst: needs the program fst2vcd; Debian: apt install gtkwave\n");
}

TEST_F(CorrelateVerb, TheFormatIsFoundOrForced) {
  write("counters.csv", "hits\n4\n");
  write("map.yaml", "pairs: [{name: hits, rtl: hits, model: gpu.hits + 1}]\n");
  EXPECT_EQ(Json::parse(heddle("correlate map.yaml --model run --rtl counters.csv --json").out)["rtl_format"],
            "csv");
  expect_refusal("correlate map.yaml --model run --rtl counters.csv --format vcd",
                 "counters.csv: byte 0: 'hits' is no declaration of a VCD");
  expect_refusal("correlate map.yaml --model run --rtl counters.csv --format ncu",
                 "counters.csv: has no row with the heads of ncu");
  EXPECT_EQ(heddle("correlate map.yaml --model run --rtl counters.csv --format yaml").code, 2);
}

TEST_F(CorrelateVerb, TheReportIsAPageThatIsTheSameEachTime) {
  const std::string words = "correlate map.yaml --model run --rtl sim.vcd --report ";
  const Outcome outcome = heddle(words + "page");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("report: page/report.html\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(heddle(words + "again").code, 0);
  for (const char* file : {"report.html", "correlation.json", "plots/pairs.svg", "plots/pairs.png"}) {
    EXPECT_FALSE(read(std::string("page/") + file).empty()) << file;
    EXPECT_EQ(read(std::string("page/") + file), read(std::string("again/") + file)) << file;
  }
}

TEST_F(CorrelateVerb, WhatCannotBeReadIsOneMessage) {
  const std::string words = "correlate map.yaml --model run --rtl sim.vcd";
  expect_refusal("correlate none.yaml --model run --rtl sim.vcd", "none.yaml: cannot be read");
  expect_refusal("correlate map.yaml --model none --rtl sim.vcd", "none: is no directory");
  expect_refusal("correlate map.yaml --model run --rtl none.vcd", "none.vcd: cannot be read");
  expect_refusal("correlate map.yaml --model run --rtl run", "run: cannot be read: it is a directory");
  write("map.yaml", map("gpu.hit"));
  expect_refusal(words,
                 "map.yaml:3:51: pairs[0].model: column 1 of the expression: no statistic 'gpu.hit'; did you "
                 "mean 'gpu.hits'?");
  write("map.yaml", map("gpu.hits"));
  write("sim.vcd", read("sim.vcd") + "#3\n");
  expect_refusal(words, "time 3 after time 85");
}

}  // namespace
}  // namespace heddle::test
