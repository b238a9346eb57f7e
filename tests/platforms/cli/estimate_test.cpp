// heddle estimate: a pair calculated by hand as a user sees it, and invalid input.

#include <nlohmann/json.hpp>

#include <algorithm>

#include "tests/platforms/cli/bad_input/bad_input.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const kPair = R"(experiment: pair
platform: k20-cusched
applications: [tiny.yaml, other.yaml]
)";

const std::string kVariableBlocks = "launch: mine\ndescription: d\nptx: " + source_directory() +
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

// The first kernel has 30 blocks, 8 on an SM, which fill three of 13 SMs. Its 6 blocks on the fourth SM leave
// room for 2. Nine SMs are free, so that 74 of 300 blocks fit.
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

// Both kernels take 20 us alone. In the 20 us of the first kernel the second does 12 us of its work.
TEST_F(Estimate, TimesAloneAreThoseMeasuredUnlessGiven) {
  const Json measured = run("")["pairs"][0]["second"];
  EXPECT_NEAR(measured["time_alone_ps"].get<double>(), 20e6, 5e3);
  EXPECT_NEAR(measured["turnaround_ps"].get<double>(), 28e6, 1e4);
  EXPECT_EQ(run("--alone tiny.first=1ms --alone other.first=30us")["pairs"][0]["second"]["turnaround_ps"],
            50'000'000);
}

// With twice as many SMs, 178 of 208 slots are left for 300 blocks, which take two rounds in either case.
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

TEST_F(Estimate, ContentionIsShownBesideTheSlowdownWithoutIt) {
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

// Returns a kernel of Cruz et al., Tables 2 and 4, with the time that it must take.
std::string paper_application(const std::string& name, const std::string& needs, const char* time) {
  return "application: " + name + "\ndescription: d\nsource: s\nmeasured_on: k40\nbuffers: {data: 16KiB}\n" +
         "kernels: {k: {" + needs + ", time: " + time + "}}\nprogram:\n  - launch: k\n  - synchronise: all\n";
}

struct PaperPair {
  const char* name;
  const char* first;
  const char* second;
  double slowdown;  // with SMs that are filled one after another
  double in_turn;
};

std::ostream& operator<<(std::ostream& out, const PaperPair& pair) {
  return out << pair.name;
}

class EstimatedPair : public CliTest, public testing::WithParamInterface<PaperPair> {};

// Timed SMs run several kernels each, and the second kernel gets the resources that the first leaves.
TEST_P(EstimatedPair, IsSlowedDownAsMuchInASimulation) {
  write("first.yaml", paper_application("first", GetParam().first, "900ms"));
  write("second.yaml", paper_application("second", GetParam().second, "4ms"));
  write("pair.yaml",
        "experiment: pair\nplatform: k40\nprioritised: none\ntermination: once-each\n"
        "applications: [first.yaml, {application: second.yaml, start: 100us}]\n"
        "policies: {sm_partitioner: fixed}\n");
  for (const bool in_turn : {false, true}) {
    const std::string placement = in_turn ? "breadth" : "packed";
    const double expected = in_turn ? GetParam().in_turn : GetParam().slowdown;
    const Outcome estimate =
        heddle("estimate pair.yaml --json --set sm.model=timed --placement " + placement);
    ASSERT_EQ(estimate.code, 0) << estimate.err;
    const Json pair = Json::parse(estimate.out)["pairs"][0];
    EXPECT_DOUBLE_EQ(pair["second"]["slowdown"].get<double>(), expected) << placement;
    const Outcome run = heddle(
        "run pair.yaml --json --quiet --cache none --set sm.model=timed --set starvation_limit=100s "
        "--set engine.block_placement=" +
        placement + " --out " + placement);
    ASSERT_EQ(run.code, 0) << run.err;
    const Json applications = Json::parse(run.out)["runs"][0]["applications"];
    EXPECT_NEAR(applications[0]["ntt"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(applications[1]["ntt"].get<double>(), expected, 1e-3 * expected) << placement;
  }
}

constexpr const char* kPfl = "blocks: 47, threads: 128, registers: 13, shared_memory: 0B";
INSTANTIATE_TEST_SUITE_P(
    , EstimatedPair,
    testing::Values(PaperPair{"S1S2", "blocks: 110, threads: 256, registers: 8, shared_memory: 1024B",
                              "blocks: 450, threads: 256, registers: 8, shared_memory: 0B", 45.0 / 4,
                              45.0 / 4},
                    PaperPair{"S3S4", "blocks: 100, threads: 256, registers: 8, shared_memory: 4096B",
                              "blocks: 60, threads: 256, registers: 8, shared_memory: 0B", 3, 3},
                    PaperPair{"S5S6", "blocks: 42, threads: 512, registers: 8, shared_memory: 256B",
                              "blocks: 120, threads: 128, registers: 8, shared_memory: 0B", 2, 2},
                    PaperPair{"S7S8", "blocks: 90, threads: 256, registers: 8, shared_memory: 896B",
                              "blocks: 467, threads: 512, registers: 8, shared_memory: 256B", 4, 4},
                    PaperPair{"S9S10", "blocks: 35, threads: 256, registers: 8, shared_memory: 2048B",
                              "blocks: 130, threads: 512, registers: 8, shared_memory: 1024B", 4.0 / 3,
                              4.0 / 3},
                    PaperPair{"S11S12", "blocks: 35, threads: 256, registers: 8, shared_memory: 0B",
                              "blocks: 230, threads: 256, registers: 8, shared_memory: 0B", 1.5, 1.5},
                    PaperPair{"PflKnn", kPfl, "blocks: 3840, threads: 256, registers: 8, shared_memory: 0B",
                              40.0 / 32, 43.0 / 32}),
    [](const testing::TestParamInfo<PaperPair>& tested) { return std::string(tested.param.name); });

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
