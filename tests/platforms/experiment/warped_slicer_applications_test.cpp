// The shipped applications of Warped-Slicer's Table II: the share of an SM that their blocks use.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>

#include "platforms/experiment/experiment.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

std::string file_of(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  return "[ws-" + name + "]";
}

class WarpedSlicerApplications : public testing::TestWithParam<const char*> {
 protected:
  WarpedSlicerApplications() {
    Overrides overrides;
    overrides.sets = {"applications=" + file_of(GetParam())};
    experiment_ = load_experiment("warped-slicer-alone", overrides);
  }
  const ApiKernel& kernel() const { return experiment_.applications[0].application.program.kernels.at(0); }

  const YAML::Node paper_ =
      YAML::LoadFile(heddle::test::source_directory() + "/tests/data/papers/warped_slicer.yaml");
  Experiment experiment_;
};

TEST_P(WarpedSlicerApplications, HaveTheGridAndTheBlocksOfTableII) {
  const YAML::Node needs = paper_["kernels"][GetParam()];
  EXPECT_EQ(experiment_.applications[0].application.program.name, GetParam());
  EXPECT_EQ(kernel().blocks, paper_["table_2"][GetParam()]["blocks"].as<std::uint64_t>());
  EXPECT_EQ(kernel().shape.threads, needs["threads"].as<std::uint32_t>());
  EXPECT_EQ(kernel().shape.registers_per_thread, needs["registers"].as<std::uint32_t>());
  EXPECT_EQ(kernel().shape.shared_bytes, needs["shared_bytes"].as<std::uint32_t>());
}

// The share of registers is resident blocks x warps x 32 x registers per thread / 32768 and agrees with the
// paper within two percentage points. An SM allocates registers in units of 64 per warp, which increases the
// share for BFS alone. Shared memory agrees in all printed digits.
TEST_P(WarpedSlicerApplications, FillAnSmAsTableIIHasIt) {
  const SmLimits& limits = experiment_.platform.sm.limits;
  const YAML::Node row = paper_["table_2"][GetParam()];
  const Residency residency = residency_of(kernel().shape, limits);
  EXPECT_EQ(residency.blocks, paper_["kernels"][GetParam()]["resident"].as<std::uint32_t>());
  const BlockResources block = resources_of(kernel().shape, limits);
  const auto percent = [&](std::uint32_t held, std::uint32_t all) {
    return 100.0 * residency.blocks * held / all;
  };
  const std::uint32_t registers = block.warps * limits.warp_size * kernel().shape.registers_per_thread;
  EXPECT_NEAR(percent(registers, limits.registers), row["registers"].as<double>(), 2);
  EXPECT_EQ(std::lround(percent(block.shared_bytes, limits.shared_bytes)), row["shared"].as<long>());
}

INSTANTIATE_TEST_SUITE_P(TableII, WarpedSlicerApplications,
                         testing::Values("BLK", "BFS", "DXT", "HOT", "IMG", "KNN", "LBM", "MM", "MVP", "NN"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace heddle
