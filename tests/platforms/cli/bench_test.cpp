// heddle bench: its output, and not the times in it.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "tests/platforms/cli/cli.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using Bench = CliTest;

TEST_F(Bench, EveryCostIsShownBesideItsGoal) {
  const Outcome outcome = heddle("bench --quick --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["repetitions"], 1);
  std::map<std::string, double> goals;
  std::map<std::string, std::size_t> runs;
  for (const Json& row : result["rows"]) {
    ++runs[row["run"]];
    EXPECT_GT(row["value"], 0.0) << row;
    if (!row["goal"].is_null()) goals[row["measure"]] = row["goal"];
  }
  EXPECT_EQ(goals, (std::map<std::string, double>{{"busy SM cycle", 150},
                                                  {"16 SMs for 2 million cycles", 15},
                                                  {"memory transaction", 1000},
                                                  {"waiting GPU cycle", 40},
                                                  {"idle GPU cycle", 5},
                                                  {"command clocks, loaded", 2},
                                                  {"command clocks, idle", 20}}));
  EXPECT_EQ(runs["trace fma32"], 4u);
  EXPECT_EQ(runs["trace triad1m"], 4u);
  EXPECT_EQ(runs["compute-heavy on fermi-warped-slicer"], 3u);
  EXPECT_EQ(files(), std::vector<std::string>{}) << "bench leaves nothing behind";
}

TEST_F(Bench, WhatThreadsGainIsShownBesideItsLimits) {
  if (!full_size()) GTEST_SKIP() << "it simulates for a minute";
  const Outcome outcome = heddle("bench --threads --quick --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  ASSERT_EQ(result["rows"].size(), 4u);
  for (const Json& row : result["rows"]) {
    EXPECT_GT(row["share"], 0.1) << row;
    EXPECT_LT(row["share"], 1.0) << row;
    EXPECT_EQ(row["limits"].size(), 4u) << row;
    double before = 1;
    for (const double limit : row["limits"]) {
      EXPECT_GE(limit, before) << row;
      before = limit;
    }
    EXPECT_LT(row["limits"][0], 2.0) << row;
    EXPECT_GT(row["two_threads"], 0.0) << row;
  }
}

}  // namespace
}  // namespace heddle::test
