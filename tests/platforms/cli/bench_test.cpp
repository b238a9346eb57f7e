// heddle bench: its output, and not the times in it.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "tests/platforms/cli/cli.h"

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
                                                  {"waiting GPU cycle", 20},
                                                  {"command clocks, loaded", 2},
                                                  {"command clocks, idle", 20}}));
  EXPECT_EQ(runs["trace fma32"], 4u);
  EXPECT_EQ(runs["trace triad1m"], 4u);
  EXPECT_EQ(runs["compute-heavy on fermi-warped-slicer"], 3u);
  EXPECT_EQ(files(), std::vector<std::string>{}) << "bench leaves nothing behind";
}

}  // namespace
}  // namespace heddle::test
