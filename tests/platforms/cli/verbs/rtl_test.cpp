// heddle rtl builds, checks and measures a block. The first tests need no Verilator: their library is ready.

#include <gmock/gmock.h>

#include "tests/platforms/cli/cli.h"
#include "tests/platforms/cli/full_disk.h"
#include "tests/support/paths.h"
#include "tests/support/rtl/fake_block.h"

namespace heddle::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const Surroundings kNoVerilator{[] { ::setenv("HEDDLE_VERILATOR", "/no/such/verilator", 1); }, {}, ""};

class RtlVerb : public CliTest {
 protected:
  RtlVerb() {
    longest_ = std::chrono::seconds(120);
    write("ready.yaml", ready());
  }
  static std::string ready(const std::string& counters = "evals: {signal: unit.evals}") {
    return "rtl: ready\nrole: crossbar_arbiter\nlibrary: " + fake_library() +
           "\npins:\n  in_8: 3\n  in_16: requests\n  in_32: {signal: ages, element: 8}\n  in_64: 0\n"
           "  in_130: taken\n  out_8: grant_mask\nmodel: round-robin\ncounters: {" +
           counters + "}\n";
  }
  static bool has_verilator() { return std::system("verilator --version > /dev/null 2>&1") == 0; }
  static std::string arbiter() { return source_directory() + "/tests/data/rtl/arbiter.yaml"; }
};

TEST_F(RtlVerb, AReadyLibraryNeedsNoVerilator) {
  const Outcome built = heddle("rtl build ready.yaml", kNoVerilator);
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.out, fake_library() + "\n");
  EXPECT_EQ(heddle("rtl check ready.yaml", kNoVerilator).code, 0);
}

TEST_F(RtlVerb, AFullDiskIsToldAndNotTheBlockBlamed) {
  if (!has_verilator()) GTEST_SKIP() << "Verilator is not installed";
  const auto outcome = on_full_disk(directory_, captured_, "HEDDLE_CACHE", {"rtl", "build", arbiter()});
  if (!outcome) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(outcome->code, 3);
  EXPECT_THAT(outcome->err, HasSubstr("No space left on device; $HEDDLE_CACHE names another folder\n"));
  EXPECT_THAT(outcome->err, HasSubstr(directory_.string() + "/full/rtl"));
  EXPECT_EQ(outcome->err.find("arbiter.yaml:"), std::string::npos) << outcome->err;
  EXPECT_EQ(std::count(outcome->err.begin(), outcome->err.end(), '\n'), 1) << outcome->err;
}

TEST_F(RtlVerb, CheckPrintsWhatEachSignalIsUsedFor) {
  const Outcome checked = heddle("rtl check ready.yaml");
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("ready: fake as crossbar_arbiter, made by hand\n"));
  EXPECT_THAT(checked.out, ContainsRegex("in_8 +input +8 +tied to 3\n"));
  EXPECT_THAT(checked.out, ContainsRegex("in_32 +input +32 +signal ages, 8 bits each\n"));
  EXPECT_THAT(checked.out, ContainsRegex("out_8 +output +8 +signal grant_mask\n"));
  EXPECT_THAT(checked.out, ContainsRegex("out_16 +output +16 +not connected\n"));
  EXPECT_THAT(checked.out, ContainsRegex("unit.evals +inside +64 +counter evals\n"));
}

TEST_F(RtlVerb, CheckReportsEveryProblemWithItsPlace) {
  write("wrong.yaml", ready("a: {signal: unit.eval}") + "clocks: {in_9: icnt}\n");
  const Outcome checked = heddle("rtl check wrong.yaml");
  EXPECT_EQ(checked.code, 2);
  EXPECT_EQ(checked.out, "");
  EXPECT_THAT(checked.err, HasSubstr("wrong.yaml:13:16: the block has no pin 'in_9'; did you mean 'in_8'?"));
  EXPECT_THAT(checked.err, HasSubstr("no signal 'unit.eval'; did you mean 'unit.evals'?"));
}

TEST_F(RtlVerb, ALibraryThatCannotBeLoadedIsOneMessage) {
  write("library.so", "no library");
  write("wrong.yaml",
        "rtl: a\nrole: crossbar_arbiter\nmodel: round-robin\npins: {g: grant}\nlibrary: library.so\n");
  const Outcome checked = heddle("rtl check wrong.yaml");
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err, HasSubstr("wrong.yaml:1:1: RTL library "));
  EXPECT_THAT(checked.err, HasSubstr("library.so"));
}

TEST_F(RtlVerb, SourcesWithoutVerilatorAreOneMessage) {
  const Outcome built = heddle("rtl build " + arbiter(), kNoVerilator);
  EXPECT_EQ(built.code, 2);
  EXPECT_THAT(built.err, HasSubstr("'/no/such/verilator' cannot be run"));
  EXPECT_THAT(built.err, HasSubstr("install Debian's package verilator"));
  const Outcome named = heddle("rtl build " + arbiter() + " --verilator /not/here");
  EXPECT_THAT(named.err, HasSubstr("'/not/here' cannot be run"));
}

TEST_F(RtlVerb, BenchMeasuresCyclesAndInstances) {
  const Outcome bench = heddle("rtl bench ready.yaml --cycles 1000");
  EXPECT_EQ(bench.code, 0) << bench.err;
  for (const char* row : {"random inputs +[0-9.]+ +ns\n", "inputs at rest +[0-9.]+ +ns\n",
                          "destroying an instance +[0-9.]+ +us\n"})
    EXPECT_THAT(bench.out, ContainsRegex(row));
  EXPECT_EQ(heddle("rtl bench ready.yaml --cycles 0").code, 2);
}

TEST_F(RtlVerb, AnErrorOfTheRtlEndsABench) {
  write("failing.yaml", ready() + "description: x\n");
  std::string text = read("failing.yaml");
  text.replace(text.find("in_8: 3"), 7, "in_8: 238");
  write("failing.yaml", text);
  const Outcome bench = heddle("rtl bench failing.yaml --cycles 10");
  EXPECT_EQ(bench.code, 3);
  EXPECT_THAT(bench.err, HasSubstr("RTL block fake: fake.sv:7: in_8 is 0xee"));
}

TEST_F(RtlVerb, AnUnknownBlockAndAMissingSubVerbAreUsage) {
  EXPECT_EQ(heddle("rtl check no_such_block").code, 2);
  EXPECT_EQ(heddle("rtl").code, 2);
  EXPECT_EQ(heddle("rtl build").code, 2);
}

TEST_F(RtlVerb, BuildPrintsTheLibraryOfTheUsersCache) {
  if (!has_verilator()) GTEST_SKIP() << "Verilator is not installed";
  const Outcome built = heddle("rtl build " + arbiter());
  ASSERT_EQ(built.code, 0) << built.err;
  const std::string library = built.out.substr(0, built.out.size() - 1);
  EXPECT_EQ(std::filesystem::path(library).parent_path(), directory_ / "cache/rtl");
  EXPECT_TRUE(std::filesystem::exists(library));
  EXPECT_EQ(heddle("rtl build " + arbiter()).out, built.out);
  const Outcome checked = heddle("rtl check " + arbiter());
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("test_arbiter: arbiter as crossbar_arbiter, made by Verilator "));
  EXPECT_THAT(checked.out, ContainsRegex("clk +input +1 +clock of icnt\n"));
  EXPECT_THAT(checked.out, ContainsRegex("rst_n +input +1 +reset, active low\n"));
  EXPECT_THAT(checked.out, ContainsRegex("grants.history +inside +96 +counter history \\[0:0\\], pulse\n"));
}

}  // namespace
}  // namespace heddle::test
