// A machine under the C interface is the run of `heddle run`, in whatever pieces it is simulated.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/stats/stats_reader.h"
#include "tests/platforms/c_api/c_library.h"
#include "tests/platforms/cli/cli.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

using ::testing::HasSubstr;

struct Pieces {
  const char* name;
  const char* experiment;
  const char* options;     // of the C interface
  std::uint64_t step;      // core cycles; 0: to the end at once
  std::uint64_t reset_at;  // the core cycle of a reset before that; 0: none
};

class WholeRun : public CliTest, public testing::WithParamInterface<Pieces> {
 protected:
  // Returns the counters of `heddle run`.
  std::vector<ReadStatistic> counters() const {
    std::string words = fmt::format("run {} --quiet --out r", GetParam().experiment);
    std::istringstream lines(GetParam().options);
    for (std::string line; std::getline(lines, line);) words += " " + line;
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const std::string& file : files())
      if (file.find("/stats.json") != std::string::npos) return read_stats(read(file));
    return {};
  }
};

TEST_P(WholeRun, HasTheCountersOfTheProgram) {
  const CLibrary heddle;
  const Pieces& run = GetParam();
  const int machine = heddle.open(run.experiment, run.options);
  ASSERT_GT(machine, 0) << heddle.error(0);
  std::uint64_t now = 1;
  ASSERT_EQ(heddle.now(machine, "core", &now), HEDDLE_OK);
  EXPECT_EQ(now, 0u);
  if (run.reset_at != 0) {
    ASSERT_EQ(heddle.run(machine, run.reset_at), HEDDLE_OK) << heddle.error(machine);
    ASSERT_EQ(heddle.now(machine, "core", &now), HEDDLE_OK);
    EXPECT_EQ(now, run.reset_at);
    ASSERT_EQ(heddle.reset(machine), HEDDLE_OK);
  }
  std::uint64_t steps = 0;
  int result = HEDDLE_OK;
  while (result == HEDDLE_OK) {
    result = run.step == 0 ? heddle.run(machine, 0) : heddle.step(machine, run.step);
    if (result != HEDDLE_OK) break;
    ASSERT_EQ(heddle.now(machine, "core", &now), HEDDLE_OK);
    ASSERT_EQ(now, ++steps * run.step);
    if (steps % 100 != 0) continue;
    std::uint64_t value = 0;
    ASSERT_EQ(heddle.counter(machine, "gpu.core.cycles", &value), HEDDLE_OK) << heddle.error(machine);
    ASSERT_EQ(value, now - 1);  // the last edge was that of the cycle before
  }
  ASSERT_EQ(result, HEDDLE_DONE) << heddle.error(machine);
  EXPECT_EQ(heddle.step(machine, 1000), HEDDLE_DONE);
  std::size_t compared = 0;
  for (const ReadStatistic& wanted : counters()) {
    if (wanted.formula != nullptr) continue;
    std::uint64_t value = 0;
    ASSERT_EQ(heddle.counter(machine, wanted.path.c_str(), &value), HEDDLE_OK) << heddle.error(machine);
    EXPECT_EQ(value, wanted.count) << wanted.path;
    ++compared;
  }
  EXPECT_GT(compared, 100u);
  EXPECT_EQ(heddle.close(machine), HEDDLE_OK);
}

constexpr const char* kKernel = "--platform gtx480\n--set parameters.n=4096\n--set sm.count=3";
constexpr const char* kMix = "--set mix.size=2\n--policy sm_partitioner=token";
INSTANTIATE_TEST_SUITE_P(Runs, WholeRun,
                         testing::Values(Pieces{"AtOnce", "vector_add", kKernel, 0, 0},
                                         Pieces{"InStepsOfOneCycle", "vector_add", kKernel, 1, 0},
                                         Pieces{"InStepsOf1000Cycles", "vector_add", kKernel, 1000, 0},
                                         Pieces{"AfterAReset", "vector_add", kKernel, 777, 5001},
                                         Pieces{"OfTimedSms", "parboil-mix", kMix, 0, 0},
                                         Pieces{"OfTimedSmsInSteps", "parboil-mix", kMix, 100000, 0}),
                         [](const auto& pieces) { return std::string(pieces.param.name); });

TEST(CMachine, ListsEveryCounterAndClock) {
  const CLibrary heddle;
  const int machine = heddle.open("vector_add", kKernel);
  ASSERT_GT(machine, 0) << heddle.error(0);
  EXPECT_THAT(heddle.list(machine, "counters"), HasSubstr("\ngpu.l2_0.requests\trequest\t"));
  EXPECT_THAT(heddle.list(machine, "clocks"), HasSubstr("core\t699"));
  std::istringstream lines(heddle.list(machine, "counters"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::uint64_t value = 0;
    ASSERT_EQ(heddle.counter(machine, line.substr(0, line.find('\t')).c_str(), &value), HEDDLE_OK) << line;
    ASSERT_EQ(std::count(line.begin(), line.end(), '\t'), 2) << line;
  }
  EXPECT_GT(count, 500u);
}

// A simulation that fails leaves a handle that can be read.
TEST(CMachine, SaysWhyASimulationHasFailed) {
  if (kSanitized) GTEST_SKIP() << "exceptions leave the stack of a SystemC process";
  const CLibrary heddle;
  const int machine = heddle.open("parboil-mix", "--set mix.size=2\n--set starvation_limit=1us\n--variant 1");
  ASSERT_GT(machine, 0) << heddle.error(0);
  ASSERT_EQ(heddle.run(machine, 0), HEDDLE_FAILED);
  EXPECT_THAT(heddle.error(machine), HasSubstr("starvation: no thread block of an unfinished application"));
  std::uint64_t cycles = 0;
  EXPECT_EQ(heddle.now(machine, "core", &cycles), HEDDLE_OK);
  EXPECT_GT(cycles, 0u);
  EXPECT_EQ(heddle.step(machine, 1), HEDDLE_FAILED);
  EXPECT_EQ(heddle.close(machine), HEDDLE_OK);
}

TEST(CMachine, IsOneInAProcess) {
  const CLibrary heddle;
  const int first = heddle.open("vector_add", kKernel);
  ASSERT_GT(first, 0) << heddle.error(0);
  EXPECT_EQ(heddle.open("vector_add", kKernel), 0);
  EXPECT_THAT(heddle.error(0), HasSubstr("SystemC elaborates once in a process"));
  ASSERT_EQ(heddle.step(first, 10), HEDDLE_OK);
  ASSERT_EQ(heddle.close(first), HEDDLE_OK);
  EXPECT_EQ(heddle.open("vector_add", kKernel), 0);
  EXPECT_THAT(heddle.error(0), HasSubstr("heddle_reset() runs the same again"));
}

}  // namespace
}  // namespace heddle::test
