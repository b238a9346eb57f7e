// Launch files as a user runs them.

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const kPtx =
    ".version 7.8\n.target sm_35\n.address_size 64\n"
    ".visible .entry twice(.param .u64 words, .param .u32 n) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<6>;\n  .reg .b64 %d<5>;\n"
    "  ld.param.u64 %d1, [words];\n  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n  setp.ge.u32 %p1, %r5, %r1;\n  @%p1 bra DONE;\n"
    "  cvta.to.global.u64 %d2, %d1;\n  mul.wide.u32 %d3, %r5, 4;\n  add.s64 %d4, %d2, %d3;\n"
    "  ld.global.u32 %r2, [%d4];\n  add.u32 %r3, %r2, %r2;\n  st.global.u32 [%d4], %r3;\n"
    "DONE:\n  ret;\n}\n";

const char* const kLaunch =
    "launch: doubled\ndescription: each word twice\nptx: twice.ptx\nparameters: {n: 100}\n"
    "buffers: {words: {type: u32, count: n, linear: [0, 1]}}\n"
    "program:\n  - launch: twice\n    grid: [ceil(n, 64)]\n    block: [64]\n    arguments: [words, n]\n"
    "check: {expected: {words: {linear: [0, 2]}}}\n";

class LaunchCli : public CliTest {
 protected:
  LaunchCli() {
    write("twice.ptx", kPtx);
    write("doubled.yaml", kLaunch);
  }
  void replace(const std::string& from, const std::string& to) const {
    std::string text = read("doubled.yaml");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write("doubled.yaml", text.replace(at, from.size(), to));
  }
};

TEST_F(LaunchCli, ExecutesPtxWithoutAMachine) {
  const Outcome outcome = heddle("run doubled.yaml --functional --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["check"], "passed");
  EXPECT_EQ(json["kernels"][0]["kernel"], "twice");
  EXPECT_EQ(json["kernels"][0]["launches"], 1);
  EXPECT_EQ(json["kernels"][0]["blocks"], 2);
  EXPECT_GT(json["warp_instructions"], 4 * 8);
  EXPECT_GT(json["kernels"][0]["thread_instructions"], 100 * 14);
  EXPECT_EQ(heddle("run doubled.yaml --functional --json --set parameters.n=1000").code, 0);
  const Outcome text = heddle("run doubled.yaml --functional");
  EXPECT_NE(text.out.find("check passed\n"), std::string::npos) << text.out;
}

TEST_F(LaunchCli, OneExperimentHasAFileWithDifferentParameters) {
  write("two.yaml",
        "experiment: two\nplatform: gtx480\napplications:\n  - doubled.yaml\n"
        "  - {application: doubled.yaml, name: large, parameters: {n: 640}}\ntermination: once-each\n");
  const auto blocks = [](const Outcome& outcome) {
    std::vector<int> found;
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.code != 0) return found;
    const Json summary = Json::parse(outcome.out);
    for (const Json& application : summary["runs"][0]["applications"])
      found.push_back(application["kernels"][0]["blocks_done"]);
    return found;
  };
  EXPECT_EQ(blocks(heddle("run two.yaml --json --quiet --out one")), (std::vector<int>{2, 10}));
  EXPECT_EQ(blocks(heddle("run one/experiment.yaml --json --quiet")), (std::vector<int>{2, 10}));
  EXPECT_EQ(blocks(heddle("run two.yaml --json --quiet --set applications[1].parameters.n=1280")),
            (std::vector<int>{2, 20}));
  EXPECT_EQ(blocks(heddle("run two.yaml --json --quiet --set parameters.n=200")), (std::vector<int>{4, 4}));
}

TEST_F(LaunchCli, AParameterThatTheFileDoesNotHaveIsReportedAtItsPlace) {
  write("two.yaml",
        "experiment: two\nplatform: gtx480\napplications:\n"
        "  - {application: doubled.yaml, parameters: {m: 640}}\ntermination: once-each\n");
  const Outcome outcome = heddle("run two.yaml --quiet");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("two.yaml:4:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("applications[0].parameters.m: 'doubled.yaml' has no parameter 'm'"),
            std::string::npos)
      << outcome.err;
}

TEST_F(LaunchCli, NamesOfFilesStandForThemselves) {
  for (const std::string name : {"it's.ptx", "[a, b].ptx", "a \"b\".ptx", "#x: {y}.ptx"}) {
    write(name, kPtx);
    write("doubled.yaml", kLaunch);
    std::string quoted = name;
    for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 2)
      quoted.insert(at, 1, '\'');
    replace("ptx: twice.ptx", "ptx: '" + quoted + "'");
    const Outcome outcome = heddle("run doubled.yaml --platform gtx480 --quiet --out one");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read("one/applications/doubled/" + name), kPtx);
    const Outcome again = heddle("run one/experiment.yaml --quiet --out two");
    EXPECT_EQ(again.code, 0) << again.err;
    for (const char* folder : {"one", "two"}) std::filesystem::remove_all(directory_ / folder);
  }
}

TEST_F(LaunchCli, RunsPtxOnAMachineAndAgainFromItsResults) {
  const Outcome outcome = heddle("run doubled.yaml --platform gtx480 --json --quiet --out one");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["experiment"], "doubled");
  EXPECT_EQ(json["runs"][0]["applications"][0]["kernels"][0]["kernel"], "twice");
  EXPECT_EQ(json["runs"][0]["applications"][0]["kernels"][0]["blocks_done"], 2);
  const Json functional = Json::parse(heddle("run doubled.yaml --functional --json").out);
  EXPECT_EQ(json["warp_instructions"], functional["warp_instructions"]);
  EXPECT_TRUE(exists("one/applications/doubled.yaml"));
  EXPECT_EQ(read("one/applications/doubled/twice.ptx"), kPtx);
  EXPECT_TRUE(exists("one/1-gtx480/stats.json"));
  EXPECT_FALSE(exists("one/1-gtx480/console.txt"));
  std::filesystem::remove(directory_ / "twice.ptx");
  const Outcome again = heddle("run one/experiment.yaml --json --quiet --out two");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(LaunchCli, RunsLaunchFilesBesideOthers) {
  write("both.yaml",
        "experiment: both\nplatform: gtx480\napplications: [doubled.yaml, vector_add]\n"
        "termination: once-each\n");
  const Outcome outcome = heddle("run both.yaml --json --quiet --set parameters.n=500");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json run = Json::parse(outcome.out)["runs"][0];
  EXPECT_EQ(run["applications"][0]["kernels"][0]["blocks_done"], 8);
  EXPECT_EQ(run["applications"][1]["kernels"][0]["blocks_done"], 2);
}

TEST_F(LaunchCli, FailsWhereTheCheckDoes) {
  replace("linear: [0, 2]", "linear: [0, 3]");
  for (const char* const how : {"--functional", "--platform gtx480 --quiet --out out"}) {
    const Outcome outcome = heddle(std::string("run doubled.yaml ") + how);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("check failed: words[1]: 3 expected, 2 found"), std::string::npos)
        << outcome.err;
  }
  EXPECT_FALSE(exists("out"));
}

TEST_F(LaunchCli, ChecksLaunchFiles) {
  const Outcome outcome = heddle("check doubled.yaml --set parameters.n=1000");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("launch file doubled: each word twice"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("words                1000 x u32"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("twice   16    64"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("u64 u32"), std::string::npos) << outcome.out;
}

TEST_F(LaunchCli, ListsLaunchFiles) {
  const Outcome outcome = heddle("list launches");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("vector_add               c = a + b\n"), std::string::npos) << outcome.out;
}

TEST_F(LaunchCli, RefusesWithOneMessage) {
  const auto expect = [&](const std::string& words, const std::string& message) {
    const std::vector<std::string> before = files();
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.err, "heddle: " + message + "\n");
    EXPECT_EQ(files(), before);
  };
  expect("run doubled.yaml", "doubled.yaml: a launch file needs a platform: --platform NAME");
  expect("run doubled.yaml --functional --platform gtx480",
         "--functional runs without a machine: --platform has no meaning");
  expect("run doubled.yaml --functional --set sm.count=1",
         "--set sm.count=1: with --functional only parameters.NAME is set");
  expect("run doubled.yaml --functional --set parameters.m=1",
         "--set parameters.m=1: no launch file has a parameter 'm'");
  expect("run doubled.yaml --platform gtx480 --set parameters.m=1",
         "--set parameters.m=1: no launch file has a parameter 'm'");
  write_small();
  expect("run small.yaml --functional",
         "small.yaml: neither a launch file nor a captured program: --functional runs nothing else");
  replace("[words, n]", "[words]");
  expect(
      "run doubled.yaml --functional",
      "doubled.yaml:10:16: program[0].arguments: 'twice' takes 2 arguments, it has 1: words (u64), n (u32)");
}

TEST_F(LaunchCli, ABlockWhoseShapeIsKnownAtItsLaunchAndFitsNoSmIsReported) {
  replace("parameters: {n: 100}", "parameters: {n: 100}\nvariables: {bytes: 100000}");
  replace("    arguments: [words, n]", "    arguments: [words, n]\n    shared_memory: bytes");
  const Outcome outcome = heddle("run doubled.yaml --platform gtx480");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("heddle: doubled, gtx480: a block of 'twice' does not fit an SM: it needs "
                             "100096 B of shared memory, and the SM has 49152"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace heddle::test
