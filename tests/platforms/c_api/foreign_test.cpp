// The interface in processes that know nothing of SystemC: a test bench of Verilator, and Python.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "models/rtl/child_process.h"
#include "models/stats/stats_reader.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = source_directory() + "/platforms/c_api/";
const std::string kRtl = source_directory() + "/stimuli/rtl/";

class ForeignTest : public CliTest {
 protected:
  ForeignTest() { longest_ = std::chrono::seconds(300); }

  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "the sanitizer must be the first library of the process";
  }
  // Copies a module under the name module_mutant, with one text replaced.
  void write_mutant(const std::string& module, const std::string& find, const std::string& replace) const {
    std::string text = read_file(kRtl + module + ".sv");
    ASSERT_NE(text.find(find), std::string::npos) << find;
    text.replace(text.find(find), find.size(), replace);
    write(module + "_mutant.sv", text);
  }
};

class VerilatorBench : public ForeignTest {
 protected:
  void SetUp() override {
    ForeignTest::SetUp();
    if (!run_tool({"verilator", "--version"}).started) GTEST_SKIP() << "Verilator is not installed";
  }
  // Makes the bench of these sources and runs it. Returns what it prints.
  std::string bench(const std::string& top, std::vector<std::string> sources) const {
    const std::filesystem::path library(c_library());
    std::vector<std::string> words{
        "verilator",
        "--binary",
        "--timing",
        "--top",
        top,
        "-Mdir",
        "made",
        "-CFLAGS",
        "-O0",
        "-LDFLAGS",
        fmt::format("{0} -Wl,-rpath,{1}", library.string(), library.parent_path().string()),
        kFolder + "heddle_pkg.sv",
        kFolder + "heddle_arbiter_checker.sv"};
    words.insert(words.end(), sources.begin(), sources.end());
    const ChildOutput made = run_tool(words, directory_);
    EXPECT_EQ(made.end, "") << made.text;
    const ChildOutput run = run_tool({"./made/V" + top, "+verilator+seed+1"}, directory_);
    EXPECT_EQ(run.end, "") << run.text;
    return run.text;
  }
};

// The mutant of the arbiter forgets the highest input if it is the only one after the position.
TEST_F(VerilatorBench, ArbitersStandBesideTheModelAndAMutantIsFoundInItsCycle) {
  write_mutant("first_after", "(after != '0)", "(after[WIDTH-2:0] != '0)");
  write("first_after_mutant.sv",
        std::regex_replace(read("first_after_mutant.sv"), std::regex("module first_after"),
                           "module mutant_search"));
  write_mutant("crossbar_round_robin", "module crossbar_round_robin", "module crossbar_mutant");
  write("crossbar_round_robin_mutant.sv", std::regex_replace(read("crossbar_round_robin_mutant.sv"),
                                                             std::regex("first_after #"), "mutant_search #"));
  const std::string out = bench(
      "arbiter_bench",
      {kRtl + "index_of.sv", kRtl + "first_after.sv", kRtl + "oldest_of.sv", kRtl + "crossbar_round_robin.sv",
       kRtl + "crossbar_oldest.sv", kRtl + "warp_greedy.sv", "first_after_mutant.sv",
       "crossbar_round_robin_mutant.sv", source_directory() + "/tests/data/c_api/arbiter_bench.sv"});
  for (const char* checker : {"arbiter", "oldest", "scheduler"}) {
    std::smatch found;
    const std::regex summary(
        fmt::format("arbiter_bench\\.{}\\.model: (\\d+) choices, no difference\n", checker));
    ASSERT_TRUE(std::regex_search(out, found, summary)) << checker << "\n" << out;
    EXPECT_GE(std::stoul(found[1]), 10000u);
  }
  std::smatch bench_says, checker_says, summary;
  ASSERT_TRUE(std::regex_search(out, bench_says, std::regex("differ first in cycle (\\d+)"))) << out;
  ASSERT_TRUE(
      std::regex_search(out, checker_says,
                        std::regex("mutant\\.model\\.\\w+: cycle (\\d+): the model's round-robin chooses 31, "
                                   "the RTL \\d+; masks [0-9a-f]{8}\n")))
      << out;
  EXPECT_EQ(checker_says[1], bench_says[1]);
  EXPECT_GT(std::stoul(bench_says[1]), 4u);
  ASSERT_TRUE(std::regex_search(
      out, summary,
      std::regex("mutant\\.model: \\d+ choices, (\\d+) differences, the first in cycle (\\d+)")))
      << out;
  EXPECT_GT(std::stoul(summary[1]), 100u);
  EXPECT_EQ(summary[2], bench_says[1]);
}

class PythonModule : public ForeignTest {
 protected:
  void SetUp() override {
    ForeignTest::SetUp();
    if (!run_tool({"python3", "--version"}).started) GTEST_SKIP() << "Python is not installed";
  }
  ChildOutput python(const std::string& program) const {
    write("program.py", program);
    return run_tool({"env", "HEDDLE_LIBRARY=" + c_library(), "PYTHONPATH=" + kFolder,
                     "PYTHONDONTWRITEBYTECODE=1", "python3", "program.py"},
                    directory_);
  }
};

// The example of the page, and the number that `heddle run` has.
TEST_F(PythonModule, TheExampleOfThePageGivesTheNumberOfTheRun) {
  const std::string page = read_file(kFolder + "README.md");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(page, found, std::regex("```python\n([^`]*)```")));
  const ChildOutput outcome = python(found[1]);
  ASSERT_EQ(outcome.end, "") << outcome.text;
  const std::size_t last_line = outcome.text.rfind('\n', outcome.text.size() - 2) + 1;
  const Outcome run = heddle("run vector_add --platform gtx480 --set sm.count=8 --quiet --out r");
  ASSERT_EQ(run.code, 0) << run.err;
  std::uint64_t wanted = 0;
  for (const std::string& file : files())
    if (file.find("/stats.json") != std::string::npos)
      for (const ReadStatistic& read : read_stats(this->read(file)))
        if (read.path == "gpu.l2_0.requests") wanted = read.count;
  EXPECT_GT(wanted, 0u);
  EXPECT_EQ(outcome.text.substr(last_line), fmt::format("{}\n", wanted));
  EXPECT_GT(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 5);
}

TEST_F(PythonModule, ErrorsAreExceptionsAndAWithStatementCloses) {
  const ChildOutput outcome = python(R"(
import heddle
with heddle.Policy("crossbar_arbiter", "round-robin", 70) as policy:
    policy.set("requests", 1 << 63)
    policy.set("requests", 1, element=1)
    print(policy.choose(), policy.get("grant_valid"), [row[0] for row in policy.table("signals")][:2])
    policy.set("taken", 1 << 63)
    policy.tick()
    print(policy.choose())
    policy.tick()
    policy.reset()
    print(policy.choose())
for action in (policy.tick, lambda: heddle.Machine("no-such"), lambda: policy.table("signals"),
               lambda: heddle.Policy("warp_scheduler", "gto", 0)):
    try:
        action()
    except heddle.Error as error:
        print(type(error).__name__, error)
)");
  ASSERT_EQ(outcome.end, "") << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("63 1 ['requests', 'ages']\n64\nNone\nError 0 is no open handle\n"));
  EXPECT_THAT(outcome.text, HasSubstr("Error there is no experiment, application or file 'no-such'"));
  EXPECT_THAT(outcome.text, HasSubstr("Error warp_scheduler: it chooses from 1 to 64 things, not 0"));
}

// ctypes would take a text letter by letter, end it at a zero byte, and drop the bits of a number above 64.
TEST_F(PythonModule, AWrongArgumentIsOneErrorThatNamesIt) {
  const ChildOutput outcome = python(R"(
import heddle
policy = heddle.Policy("crossbar_arbiter", "round-robin", 4)
for action in (lambda: heddle.Machine("vector_add", platform="gtx480", sets="sm.count=8"),
               lambda: heddle.Machine("vector_add", platform="gtx480", policies="sm_partitioner=token"),
               lambda: heddle.Machine("vector_add", platform="gtx480", sets=["sm.count=8\n--seed 3"]),
               lambda: heddle.Machine("vector_add", platform="gtx480\n--seed 3"),
               lambda: heddle.Machine("vector_add\0x", platform="gtx480"),
               lambda: heddle.Machine("vector_add", platform="gtx480", sets=[None]),
               lambda: heddle.Machine("vector_add", platform="gtx480", sets=None),
               lambda: heddle.Machine(None),
               lambda: heddle.Machine("vector_add", platform="gtx480", seed=1 << 64),
               lambda: heddle.Machine("vector_add", platform="gtx480", seed=-1),
               lambda: heddle.Boundary("gtx480", "l2_0", latency=1.5),
               lambda: heddle.Policy("crossbar_arbiter", "round-robin", (1 << 32) + 4),
               lambda: policy.set("requests", 1 << 64),
               lambda: policy.set("requests", -(1 << 63) - 1),
               lambda: policy.set("requests", 1, element=1 << 32),
               lambda: policy.get(None)):
    try:
        action()
        print("no error")
    except heddle.Error as error:
        print(error)
)");
  ASSERT_EQ(outcome.end, "") << outcome.text;
  EXPECT_EQ(outcome.text,
            "sets is a list of texts, such as ['sm.count=8'], not 'sm.count=8'\n"
            "policies is a list of texts, such as ['sm_partitioner=token'], not 'sm_partitioner=token'\n"
            "an element of sets is one line of printable text, not 'sm.count=8\\n--seed 3'\n"
            "platform is one line of printable text, not 'gtx480\\n--seed 3'\n"
            "experiment is one line of printable text, not 'vector_add\\x00x'\n"
            "an element of sets is a text, not None\n"
            "sets is a list of texts, not None\n"
            "experiment is a text, not None\n"
            "seed is a number from 0 to 2^64 - 1, not 18446744073709551616\n"
            "seed is a number from 0 to 2^64 - 1, not -1\n"
            "latency is a whole number, not 1.5\n"
            "things is a number from 0 to 2^32 - 1, not 4294967300\n"
            "value is a number from -9223372036854775808 to 2^64 - 1, not 18446744073709551616\n"
            "value is a number from -9223372036854775808 to 2^64 - 1, not -9223372036854775809\n"
            "element is a number from 0 to 2^32 - 1, not 4294967296\n"
            "signal is a text, not None\n");
}

}  // namespace
}  // namespace heddle::test
