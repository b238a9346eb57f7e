// The applications of Warped-Slicer's Table II, each alone: their use of the GPU compared with the
// measurements of the paper.

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class WarpedSlicerTableII : public CliTest, public testing::WithParamInterface<const char*> {};

// Returns whether the L2 misses of the application are only first touches. Their rate equals that of the
// paper after 2 M cycles and not earlier.
bool misses_by_first_touch(const std::string& application) {
  return application == "DXT" || application == "IMG" || application == "MM" || application == "NN";
}

TEST_P(WarpedSlicerTableII, UnitsAreUsedWithinTenPointsAndL2MissesWithinAQuarter) {
  longest_ = std::chrono::seconds(600);
  std::string file = GetParam();
  for (char& c : file) c = static_cast<char>(std::tolower(c));
  const Outcome outcome = heddle("run warped-slicer-alone --json --set applications=[ws-" + file +
                                 "] --set window=" + (full_size() ? "2000000" : "200000") + "cycles");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto run = nlohmann::json::parse(outcome.out)["runs"][0];
  const YAML::Node row =
      YAML::LoadFile(source_directory() + "/tests/data/papers/warped_slicer.yaml")["table_2"][GetParam()];
  for (const char* unit : {"sp", "sfu", "memory"})
    EXPECT_NEAR(100 * run["utilisation"][unit]["value"].get<double>(), row[unit].as<double>(), 10) << unit;
  if (!full_size() && misses_by_first_touch(GetParam())) return;
  const auto theirs = row["l2_mpki"].as<double>();
  EXPECT_NEAR(run["l2_mpki"]["value"].get<double>(), theirs, theirs / 4);
}

INSTANTIATE_TEST_SUITE_P(Alone, WarpedSlicerTableII,
                         testing::Values("BLK", "BFS", "DXT", "HOT", "IMG", "KNN", "LBM", "MM", "MVP", "NN"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace heddle::test
