// heddle rtl builds, checks and measures a block. The first tests need no Verilator: their library is ready.

#include <gmock/gmock.h>
#include <sys/types.h>

#include <csignal>

#include "tests/platforms/cli/cli.h"
#include "tests/platforms/cli/full_disk.h"
#include "tests/support/paths.h"
#include "tests/support/rtl/fake_block.h"
#include "tests/support/rtl/runtime_objects.h"

namespace heddle::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const Surroundings kNoVerilator{[] { ::setenv("HEDDLE_VERILATOR", "/no/such/verilator", 1); }, {}, ""};

class RtlVerb : public CliTest {
 protected:
  RtlVerb() { write("ready.yaml", ready()); }
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
  EXPECT_EQ(outcome->err.rfind("note: test_arbiter was not built before: ", 0), 0U) << outcome->err;
  EXPECT_EQ(std::count(outcome->err.begin(), outcome->err.end(), '\n'), 2) << outcome->err;
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

TEST_F(RtlVerb, CheckTellsWhatIsWrongInTheFileAndInTheLibraryTogether) {
  write("wrong.yaml",
        "rtl: ready\nrole: crossbar_arbiter\nlibrary: " + fake_library() +
            "\nmodel: round-robin\npins: {in_8: 3, in_16: requests, in_32: 0, in_64: 0, in_130: taken, "
            "out_8: grant_mask, out_61: grant_maks}\n");
  const Outcome checked = heddle("rtl check wrong.yaml");
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err, HasSubstr("no signal 'grant_maks'; did you mean 'grant_mask'?"));
  EXPECT_THAT(checked.err, HasSubstr("the block has no pin 'out_61'"));
}

TEST_F(RtlVerb, CheckFindsThatTakenHasTooFewBits) {
  write("narrow.yaml",
        "rtl: ready\nrole: crossbar_arbiter\nlibrary: " + fake_library() +
            "\nmodel: round-robin\npins: {in_8: taken, in_16: requests, in_32: 0, in_64: 0, in_130: 0, "
            "out_16: grant_mask}\n");
  const Outcome checked = heddle("rtl check narrow.yaml");
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(checked.err,
              HasSubstr("pin 'in_8' has 8 bits, and the signal taken needs 16: a bit for each one of "
                        "pin 'in_16'"));
  EXPECT_THAT(heddle("rtl check ready.yaml").out,
              HasSubstr("at most 4 inputs of the crossbar in this direction: pin in_32 has no more\n"));
}

// The tool of this test says its version, and otherwise works for longer than the test.
TEST_F(RtlVerb, AnInterruptedBuildLeavesNeitherProcessesNorDrafts) {
  write("slow",
        "#!/bin/bash\n[[ $1 == --version ]] && { echo Verilator 5.006; exit; }\n"
        "sleep 1000 & echo $! > pid.draft; mv pid.draft pid; wait\n");
  std::filesystem::permissions(directory_ / "slow", std::filesystem::perms::owner_all);
  std::filesystem::copy(source_directory() + "/tests/data/rtl", directory_ / "rtl");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(directory_ / "rtl/pid");
    Surroundings surroundings;
    surroundings.prepare = [this] { ::setenv("HEDDLE_VERILATOR", (directory_ / "slow").c_str(), 1); };
    surroundings.meanwhile = [&](pid_t program) {
      EXPECT_TRUE(eventually([&] { return exists("rtl/pid"); }));
      ::kill(program, signal);
    };
    const Outcome outcome = heddle("rtl build rtl/arbiter.yaml", surroundings);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_THAT(outcome.err, EndsWith("arbiter.yaml\nheddle: interrupted; nothing was kept\n"));
    const pid_t sleeper = std::stoi(read("rtl/pid"));
    EXPECT_TRUE(eventually([sleeper] { return ::kill(sleeper, 0) != 0; }))
        << "process " << sleeper << " lives on";
    EXPECT_TRUE(std::filesystem::is_empty(directory_ / "cache/rtl"));
  }
}

TEST_F(RtlVerb, NothingIsKeptWithoutACache) {
  write_small();
  std::filesystem::create_directory(directory_ / "tmp");
  const Surroundings none{[this] {
                            ::setenv("HEDDLE_CACHE", "none", 1);
                            ::setenv("TMPDIR", (directory_ / "tmp").c_str(), 1);
                          },
                          {},
                          ""};
  EXPECT_EQ(heddle("run small.yaml --out kept", none).code, 0);
  EXPECT_EQ(heddle("rtl check ready.yaml", none).code, 0);
  if (has_verilator()) {
    EXPECT_EQ(heddle("rtl check " + arbiter(), none).code, 0);
    const Outcome built = heddle("rtl build " + arbiter(), none);
    EXPECT_EQ(built.code, 2);
    EXPECT_THAT(built.err, HasSubstr("$HEDDLE_CACHE is none"));
  }
  EXPECT_FALSE(exists("none"));
  EXPECT_FALSE(exists("cache"));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ / "tmp"));
}

TEST_F(RtlVerb, OptionsThatRunCommandsAreTheUsersToTrust) {
  std::filesystem::copy(source_directory() + "/tests/data/rtl", directory_ / "rtl");
  write("rtl/more.f", "-Wno-WIDTH\n");
  std::string text = read("rtl/arbiter.yaml");
  const std::string options = "options: [-Wno-UNOPTFLAT";
  text.replace(text.find(options), options.size(), options + ", -f, more.f");
  write("rtl/arbiter.yaml", text);
  for (const char* verb : {"build", "check", "bench"}) {
    const Outcome refused = heddle(std::string("rtl ") + verb + " rtl/arbiter.yaml", kNoVerilator);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err,
                HasSubstr("'-f' reads options from a file, which may run commands; --trust allows it"));
  }
  if (!has_verilator()) GTEST_SKIP() << "Verilator is not installed";
  const SharedRuntime runtime(directory_ / "cache");
  const Outcome built = heddle("rtl build rtl/arbiter.yaml --trust");
  EXPECT_EQ(built.code, 0) << built.err;
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
  const SharedRuntime runtime(directory_ / "cache");
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
