// heddle estimate: a pair worked out by hand, as a user sees it, and bad input.

#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/platform/cli/bad_input.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const kPair = R"(experiment: pair
platform: k20-cusched
applications: [tiny.yaml, other.yaml]
)";

const char* const kVariableBlocks = "launch: mine\ndescription: d\nptx: " HEDDLE_SOURCE_DIR
                                    "/stimuli/kernels/vector_add.ptx\n"
                                    R"(parameters: {n: 100}
buffers: {a: {type: f32, count: n, zero: true}}
variables: {width: 32}
program:
  - {launch: vector_add, grid: [4], block: [width], arguments: [a, a, a, n]}
)";

class Estimate : public CliTest {
 protected:
  Estimate() {
    write_small();
    write("pair.yaml", kPair);
  }
  Json run(const std::string& options) const {
    const Outcome outcome = heddle("estimate pair.yaml --json " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
    return Json::parse(outcome.out);
  }
};

// 30 blocks, 8 on an SM, fill three of 13 SMs; 6 on the fourth leave 2; nine are free: 74 blocks of 300.
TEST_F(Estimate, APairIsEstimatedAsByHand) {
  const Json json = run("");
  EXPECT_EQ(json["sms"], 13);
  EXPECT_EQ(json["placement"], "packed");
  ASSERT_EQ(json["pairs"].size(), 1u);
  const Json& pair = json["pairs"][0];
  EXPECT_EQ(pair["case"], "A");
  EXPECT_EQ(pair["last_round"], Json::parse(R"([
    {"sms": 3, "first_blocks": 8, "second_blocks": 0, "bound": "threads"},
    {"sms": 1, "first_blocks": 6, "second_blocks": 2, "bound": "threads"},
    {"sms": 9, "first_blocks": 0, "second_blocks": 8, "bound": "threads"}])"));
  EXPECT_EQ(pair["second"]["slots"], 74);
  EXPECT_EQ(pair["second"]["rounds"], 3);
  EXPECT_EQ(pair["second"]["limited_rounds"], 5);
  EXPECT_DOUBLE_EQ(pair["second"]["slowdown"].get<double>(), 5.0 / 3);
  EXPECT_EQ(pair["contention"], 1);
}

// Both take 20 us alone. In the first's 20 us the second does 12 us of its work.
TEST_F(Estimate, TimesAloneAreThoseMeasuredUnlessGiven) {
  const Json measured = run("")["pairs"][0]["second"];
  EXPECT_NEAR(measured["time_alone_ps"].get<double>(), 20e6, 5e3);
  EXPECT_NEAR(measured["turnaround_ps"].get<double>(), 28e6, 1e4);
  EXPECT_EQ(run("--alone tiny.first=1ms --alone other.first=30us")["pairs"][0]["second"]["turnaround_ps"],
            50'000'000);
}

// Twice the SMs: 178 of 208 slots are left for 300 blocks, which is two rounds either way.
TEST_F(Estimate, ThePlatformMayBeChanged) {
  const Json json = run("--set sm.count=26");
  EXPECT_EQ(json["sms"], 26);
  EXPECT_DOUBLE_EQ(json["pairs"][0]["second"]["slowdown"].get<double>(), 1);
}

TEST_F(Estimate, BlocksInTurnLeaveRoomOnEverySm) {
  const Json pair = run("--placement breadth")["pairs"][0];
  EXPECT_EQ(pair["last_round"].size(), 2u);
  EXPECT_EQ(pair["second"]["slots"], 4 * 5 + 9 * 6);
}

TEST_F(Estimate, ContentionStandsBesideTheSlowdownWithoutIt) {
  const Json pair =
      run("--traffic tiny.first=80GB/s --traffic other.first=100GB/s --bandwidth 100GB/s")["pairs"][0];
  EXPECT_DOUBLE_EQ(pair["contention"].get<double>(), 1.4);
  EXPECT_DOUBLE_EQ(pair["first"]["slowdown_with_contention"].get<double>(), 1.4);
  EXPECT_DOUBLE_EQ(pair["second"]["slowdown"].get<double>(), 5.0 / 3);
  EXPECT_DOUBLE_EQ(pair["second"]["slowdown_with_contention"].get<double>(), 7.0 / 3);
}

TEST_F(Estimate, AFirstKernelWithinTheLaunchOverheadIsOverBefore) {
  EXPECT_EQ(run("--launch-overhead 30us")["pairs"][0]["case"], "C");
}

TEST_F(Estimate, TheTableHasTheSameNumbersAndLeavesNothing) {
  const std::vector<std::string> before = files();
  const Outcome outcome = heddle("estimate pair.yaml --traffic tiny.first=80GB/s --bandwidth 80GB/s");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"platform k20-cusched, 13 SMs", "tiny.first", "other.first",
                           "3 x (8 + 0), 1 x (6 + 2), 9 x (0 + 8)", "threads", "1.667", "1.000", "0.028"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  EXPECT_EQ(files(), before);
}

class BadEstimate : public BadInput {};

TEST_P(BadEstimate, IsOneMessage) {
  write_small();
  write("pair.yaml", kPair);
  expect_one_message_from("estimate pair.yaml");
}

INSTANTIATE_TEST_SUITE_P(
    , BadEstimate,
    testing::Values(
        Bad{"ThreeApplications",
            {{"pair.yaml", "other.yaml]", "other.yaml, sgemm]"}},
            "",
            {"of two applications", "has 3"}},
        Bad{"NoSuchKernel", {}, "estimate pair.yaml --alone tiny.frist=3us", {"did you mean 'tiny.first'?"}},
        Bad{"NoValue", {}, "estimate pair.yaml --traffic tiny.first", {"needs APPLICATION.KERNEL=VALUE"}},
        Bad{"NoUnit", {}, "estimate pair.yaml --alone tiny.first=3", {"--alone tiny.first=3", "no unit"}},
        Bad{"NoBandwidth", {}, "estimate pair.yaml --bandwidth much", {"--bandwidth much", "2GB/s"}},
        Bad{"TrafficAboveTheBandwidth",
            {},
            "estimate pair.yaml --traffic tiny.first=3GB/s --bandwidth 2GB/s",
            {"tiny.first and other.first", "bandwidth above the GPU's"}},
        Bad{"UnknownPlacement", {}, "estimate pair.yaml --placement deep", {"--placement"}},
        Bad{"KernelOfUnknownShape",
            {{"mine.yaml", "", kVariableBlocks},
             {"pair.yaml", "tiny.yaml, other.yaml", "vector_add, mine.yaml"},
             {"pair.yaml", "k20-cusched", "gtx480"}},
            "",
            {"mine.vector_add", "not known before it runs"}},
        Bad{"NoExperiment", {}, "estimate nothing.yaml", {"nothing.yaml"}}),
    name_of);

}  // namespace
}  // namespace heddle::test
