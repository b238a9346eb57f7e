// The interface itself: what it exports, and what it says to wrong calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "models/rtl/child_process.h"
#include "tests/platforms/c_api/c_library.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kKernel = "--platform gtx480\n--set parameters.n=4096\n--set sm.count=3";

TEST(CInterface, ExportsItsFunctionsAlone) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer exports symbols of its own";
  const ChildOutput symbols = run_tool({"nm", "-D", "--defined-only", c_library()});
  if (!symbols.started) GTEST_SKIP() << "nm is not installed";
  std::istringstream lines(symbols.text);
  std::size_t functions = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    if (name.rfind("heddle_", 0) == 0)
      ++functions;
    else
      EXPECT_EQ(name, "sc_main");
  }
  EXPECT_GE(functions, 15u);
}

TEST(CInterface, TheHeaderIsC) {
  const ChildOutput compiled =
      run_tool({"cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-x", "c",
                source_directory() + "/platforms/c_api/c_api.h"});
  if (!compiled.started) GTEST_SKIP() << "there is no C compiler";
  EXPECT_EQ(compiled.end, "") << compiled.text;
}

struct WrongOpen {
  const char* experiment;
  const char* options;
  const char* message;
};

// None of them begins a machine, so the last open goes well.
TEST(CInterface, AWrongOpenSaysWhyAndTheNextOneGoesWell) {
  const CLibrary heddle;
  EXPECT_EQ(heddle.api_version(), HEDDLE_C_API_VERSION);
  EXPECT_STREQ(heddle.error(0), "");
  for (const WrongOpen& wrong : {
           WrongOpen{nullptr, "", "the experiment is null"},
           WrongOpen{"no-such", "--platform gtx480", "there is no experiment, application or file 'no-such'"},
           WrongOpen{"no-such.yaml", nullptr, "there is no file 'no-such.yaml'"},
           WrongOpen{"vector_add", "", "platform"},
           WrongOpen{"vector_add", "--platform gtx", "'gtx' is not in platforms"},
           WrongOpen{"vector_add", "--platform gtx480\n--set sm.counts=3", "did you mean 'count'?"},
           WrongOpen{"vector_add", "--platform gtx480\n--polic x=y", "did you mean '--policy'?"},
           WrongOpen{"vector_add", "--platform", "option '--platform' needs a value"},
           WrongOpen{"vector_add", "gtx480", "there is no option 'gtx480'"},
           WrongOpen{"vector_add", "--platform gtx480\n--seed -1", "--seed -1: expected a number"},
           WrongOpen{"vector_add", "--platform gtx480\n--policy warp_scheduler=ltr", "did you mean 'lrr'?"},
           WrongOpen{"vector_add", "--platform gtx480\n--variant 2", "has no such run; known: "},
           WrongOpen{"parboil-eight", "", "of which --variant names one: "},
           WrongOpen{"warped-slicer-mix", "--variant even", "runs of its applications alone first"},
       }) {
    EXPECT_EQ(heddle.open(wrong.experiment, wrong.options), 0) << wrong.message;
    EXPECT_THAT(heddle.error(0), HasSubstr(wrong.message));
  }
  const int machine = heddle.open("vector_add", kKernel);
  EXPECT_GT(machine, 0) << heddle.error(0);
  EXPECT_STREQ(heddle.error(machine), "");
}

TEST(CInterface, AWrongCallOfAMachineSaysWhyAndChangesNothing) {
  const CLibrary heddle;
  const int machine = heddle.open("vector_add", kKernel);
  ASSERT_GT(machine, 0) << heddle.error(0);
  std::uint64_t value = 42;
  const auto expect_refused = [&](int result, const char* message) {
    EXPECT_EQ(result, HEDDLE_BAD_CALL) << message;
    EXPECT_THAT(heddle.error(machine), HasSubstr(message));
    EXPECT_EQ(value, 42u) << message;
  };
  expect_refused(heddle.counter(machine, "gpu.l2_0.request", &value), "did you mean 'gpu.l2_0.requests'?");
  expect_refused(heddle.counter(machine, "gpu.l2_miss_rate", &value), "is no counter but 1 * (");
  expect_refused(heddle.counter(machine, "gpu", &value), "there is no counter 'gpu'");
  expect_refused(heddle.counter(machine, nullptr, &value), "the name of the counter is null");
  expect_refused(heddle.counter(machine, "gpu.l2_0.requests", nullptr), "the pointer for the result is null");
  expect_refused(heddle.now(machine, "cores", &value), "known: core, pcie, icnt, l2, dram");
  expect_refused(heddle.step(machine, ~std::uint64_t{0}), "are more than");
  expect_refused(heddle.run(machine, ~std::uint64_t{0}), "are more than");
  expect_refused(heddle.policy_tick(machine), "the handle is a machine; the call needs a policy");
  EXPECT_EQ(heddle.list(machine, "signals"), nullptr);
  EXPECT_THAT(heddle.error(machine), HasSubstr("a machine has no table 'signals'; known: counters, clocks"));
  EXPECT_EQ(heddle.now(machine, "core", &value), HEDDLE_OK);
  EXPECT_EQ(value, 0u);
}

TEST(CInterface, AHandleThatIsNoneIsRefused) {
  const CLibrary heddle;
  const int closed = heddle.policy_open("crossbar_arbiter", "round-robin", 4);
  ASSERT_GT(closed, 0) << heddle.error(0);
  ASSERT_EQ(heddle.close(closed), HEDDLE_OK);
  const int other = heddle.policy_open("crossbar_arbiter", "round-robin", 4);
  EXPECT_NE(other, closed);
  std::uint64_t value = 0;
  for (const int handle : {closed, 0, -1, 999}) {
    const std::string message = std::to_string(handle) + " is no open handle";
    for (const int result : {heddle.step(handle, 1), heddle.close(handle), heddle.reset(handle),
                             heddle.counter(handle, "x", &value), heddle.policy_tick(handle)}) {
      EXPECT_EQ(result, HEDDLE_BAD_CALL);
      EXPECT_EQ(heddle.error(handle), message);
    }
    EXPECT_EQ(heddle.list(handle, "signals"), nullptr);
  }
}

TEST(CPolicy, ChoosesByTheSignalsOfItsRole) {
  const CLibrary heddle;
  const int policy = heddle.policy_open("crossbar_arbiter", "oldest-first", 70);
  ASSERT_GT(policy, 0) << heddle.error(0);
  EXPECT_EQ(heddle.policy_set(policy, "requests", 0, std::int64_t{1} << 63), HEDDLE_OK);
  EXPECT_EQ(heddle.policy_set(policy, "requests", 1, 0b100001), HEDDLE_OK);
  EXPECT_EQ(heddle.policy_set(policy, "ages", 63, 7), HEDDLE_OK);
  EXPECT_EQ(heddle.policy_set(policy, "ages", 64, 9), HEDDLE_OK);
  EXPECT_EQ(heddle.policy_set(policy, "ages", 69, 6), HEDDLE_OK);
  std::int64_t value = 0;
  ASSERT_EQ(heddle.policy_choose(policy, &value), HEDDLE_OK) << heddle.error(policy);
  EXPECT_EQ(value, 69);
  ASSERT_EQ(heddle.policy_get(policy, "grant_mask", 1, &value), HEDDLE_OK);
  EXPECT_EQ(value, 0b100000);
  ASSERT_EQ(heddle.policy_tick(policy), HEDDLE_OK);
  EXPECT_EQ(heddle.policy_set(policy, "requests", 1, 0), HEDDLE_OK);
  ASSERT_EQ(heddle.policy_choose(policy, &value), HEDDLE_OK);
  EXPECT_EQ(value, 63);
  ASSERT_EQ(heddle.reset(policy), HEDDLE_OK);
  ASSERT_EQ(heddle.policy_choose(policy, &value), HEDDLE_OK);
  EXPECT_EQ(value, -1);
  EXPECT_THAT(heddle.list(policy, "signals"), HasSubstr("requests\tin\tmask\t2\tinputs whose first packet"));
}

TEST(CPolicy, AWrongCallSaysWhy) {
  const CLibrary heddle;
  EXPECT_EQ(heddle.policy_open("crossbar_arbiter", "{name: round-robin, x: 1}", 4), 0);
  EXPECT_THAT(heddle.error(0), HasSubstr("x"));
  EXPECT_EQ(heddle.policy_open("crossbar_arbiter", "[", 4), 0);
  EXPECT_THAT(heddle.error(0), HasSubstr("crossbar_arbiter:"));
  EXPECT_EQ(heddle.policy_open(nullptr, "round-robin", 4), 0);
  EXPECT_STREQ(heddle.error(0), "the decision is null");
  const int policy = heddle.policy_open("dram_scheduler", "{name: fr-fcfs-cap, cap: 8}", 16);
  ASSERT_GT(policy, 0) << heddle.error(0);
  EXPECT_EQ(heddle.policy_set(policy, "column", 0, 1), HEDDLE_BAD_CALL);
  EXPECT_THAT(heddle.error(policy), HasSubstr("did you mean 'columns'?"));
  EXPECT_EQ(heddle.policy_choose(policy, nullptr), HEDDLE_BAD_CALL);
  std::int64_t value = 0;
  EXPECT_EQ(heddle.policy_get(policy, "bank", 1, &value), HEDDLE_BAD_CALL);
  EXPECT_EQ(heddle.step(policy, 1), HEDDLE_BAD_CALL);
  EXPECT_THAT(heddle.error(policy), HasSubstr("the handle is a policy; the call needs a machine"));
}

}  // namespace
}  // namespace heddle::test
