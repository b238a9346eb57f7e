// Kernels whose time bandwidth decided, on parts of a card: the shipped experiments beside measurements, and
// what is told of bytes and of times that cannot be, or that come from another card.

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class MeasuredBandwidth : public CliTest {
 protected:
  // The mean time of the launches of a kernel in us, by run.
  std::map<std::string, double> times(const std::string& words, const std::string& kernel,
                                      double core_hz) const {
    const Outcome run = heddle("run " + words + " --json --out results");
    EXPECT_EQ(run.code, 0) << run.err;
    if (run.code != 0) return {};
    std::map<std::string, double> result;
    const Json summary = Json::parse(run.out);
    for (const Json& one : summary["runs"])
      for (const Json& each : one["applications"][0]["kernels"])
        if (each["kernel"] == kernel)
          result[one["label"]] = each["cycles"].get<double>() / each["ended"].get<double>() / core_hz * 1e6;
    return result;
  }

  void write_stream(const std::string& time, const std::string& rest = "") const {
    write("stream.yaml", "application: stream\nmeasured_on: a100-timed\n" + rest +
                             "kernels:\n"
                             "  copy: {blocks: 21845, threads: 192, registers: 16, time: " +
                             time +
                             ", bytes: {dram: 96KiB, l2: 96KiB}}\n"
                             "program: [{launch: copy}, {synchronise: all}]\n");
  }
};

TEST_F(MeasuredBandwidth, StreamLiesWithinATenthOfItsMeasurementsOnInstancesOfAnA100) {
  // Medians over 1000 runs in us, by spcl/gpuless-thesis.
  const std::map<std::string, std::pair<double, double>> measured{
      {"whole", {1551, 1554}}, {"1g", {12327, 12335}}, {"2g", {6183, 6176}}, {"3g", {3148, 3153}},
      {"4g", {3098, 3101}},    {"7g", {1558, 1562}},   {"1c", {4933, 4904}}, {"3c", {1802, 1825}}};
  const auto copy = times("stream-instances", "copy", 1410e6);
  std::filesystem::remove_all(directory_ / "results");
  const auto scale = times("stream-instances", "scale", 1410e6);
  ASSERT_EQ(copy.size(), measured.size());
  for (const auto& [part, us] : measured) {
    EXPECT_NEAR(copy.at(part) / us.first, 1, 0.1) << part;
    EXPECT_NEAR(scale.at(part) / us.second, 1, 0.1) << part;
  }
  EXPECT_NEAR(copy.at("whole"), 1551, 3);  // on the SMs on which it was measured
}

TEST_F(MeasuredBandwidth, ReadsLieWithinATenthOfTheirMeasurementsOnSetsOfSmsOfAnA6000) {
  // GB/s, by shh8228/cuda-green-context-bandwidth-bench.
  const std::map<std::string, double> measured{{"8 SMs", 157.090},  {"16 SMs", 323.985}, {"24 SMs", 335.115},
                                               {"32 SMs", 339.653}, {"48 SMs", 340.801}, {"64 SMs", 339.972},
                                               {"84 SMs", 337.174}};
  const auto read = times("bandwidth-by-sms", "read", 1800e6);
  ASSERT_EQ(read.size(), measured.size());
  for (const auto& [sms, rate] : measured)
    EXPECT_NEAR(4.0 * (1 << 30) / (read.at(sms) * 1e3) / rate, 1, 0.1) << sms;
}

TEST_F(MeasuredBandwidth, BytesOverATimeAboveTheBandwidthAreAnErrorAtTheirPlace) {
  write_stream("659us");
  for (const char* words : {"check stream.yaml", "run stream.yaml"}) {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_THAT(outcome.err,
                HasSubstr("stream.yaml:4:67: kernels.copy.bytes: its blocks move 3258.7 GB/s to and "
                          "from DRAM in its time, and 'a100-timed' has 1555.2 GB/s"))
        << words;
  }
}

TEST_F(MeasuredBandwidth, ATimeOfMoreSmsThanTheCardHasIsAnErrorAtItsPlace) {
  write_stream("1551us", "measured_sms: 109\n");
  const Outcome outcome = heddle("check stream.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("kernels.copy: measured_sms: its time was measured on 109 SMs, and 'a100-timed' has 108"));
}

TEST_F(MeasuredBandwidth, CheckHasOneCardsNumbersInARow) {
  write_stream("4933us", "measured_sms: 14\n");
  const Outcome own = heddle("check stream.yaml");
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.out,
              testing::ContainsRegex("copy +a100-timed, 14 SMs +1 +21845 +4933.00 +blocks .* 157 +31.4"));
  EXPECT_THAT(own.out,
              testing::ContainsRegex("copy +a100-timed +1 +21845 +15[0-9][0-9].[0-9]* +blocks .* 21 +31.4"));
  EXPECT_THAT(own.out, Not(HasSubstr("note:")));
  write_stream("1551us");
  const Outcome other = heddle("check stream.yaml --platform a6000-timed");
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_THAT(other.out, testing::ContainsRegex("copy +a100-timed +1 +21845 +1551.00 +DRAM .* 21 "));
  EXPECT_THAT(other.out,
              testing::ContainsRegex("copy +a6000-timed +1 +21845 +62[0-9][0-9].[0-9]* +DRAM .* 33 "));
}

TEST_F(MeasuredBandwidth, TimesThatMoveToAnotherCardAreTold) {
  write(
      "mixed.yaml",
      "application: mixed\nmeasured_on: a100-timed\n"
      "kernels:\n"
      "  copy: {blocks: 21845, threads: 192, registers: 16, time: 1551us, bytes: {dram: 96KiB, l2: 96KiB}}\n"
      "  add: {blocks: 1080, threads: 192, registers: 16, time: 100us}\n"
      "program: [{launch: copy}, {launch: add}, {synchronise: all}]\n");
  const std::string moved =
      "note: 'mixed' was measured on 'a100-timed'; blocks of add keep their core cycles (1410 to 1800 MHz), "
      "which "
      "is right only where the core decides their time; copy is bound by bandwidth and follows that of "
      "'a6000-timed'\n";
  for (const char* words : {"check mixed.yaml", "run mixed.yaml --out r"}) {
    const Outcome outcome = heddle(std::string(words) + " --platform a6000-timed");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(moved)) << words;
  }
  EXPECT_THAT(heddle("run mixed.yaml --out own").err, Not(HasSubstr("was measured on")));
}

}  // namespace
}  // namespace heddle::test
