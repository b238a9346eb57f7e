// The resident blocks of Perf-Sat's kernels, from their launch files and the platforms, beside its Table II.

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "models/core/kernel/kernel.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/launch_rig.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

const YAML::Node& table() {
  static const YAML::Node root = YAML::LoadFile(test::source_directory() + "/tests/data/perf_sat.yaml");
  static const YAML::Node table_2 = root["table_2"];
  return table_2;
}

BlockShape shape_of(const std::string& launch) {
  const LaunchApplication loaded = load_launch_application(kLaunches + launch + ".yaml", {});
  EXPECT_EQ(loaded.application.program.kernels.size(), 1U) << launch;
  return loaded.application.program.kernels.at(0).shape;
}

TEST(PerfSatResidency, EveryKernelOfTable2HasALaunchFileOfItsRegistersAndThreads) {
  ASSERT_EQ(table().size(), 16U);
  for (const auto& row : table()) {
    const auto launch = row.first.as<std::string>();
    const BlockShape shape = shape_of(launch);
    EXPECT_EQ(shape.threads, row.second["threads"].as<std::uint32_t>()) << launch;
    EXPECT_EQ(4 * shape.registers_per_thread * shape.threads,
              row.second["register_bytes"].as<std::uint32_t>())
        << launch;
  }
}

TEST(PerfSatResidency, MostResidentBlocksAreThoseOfTable2) {
  for (const char* const platform : {"m2090", "k20x"}) {
    const SmLimits limits = load_platform(platform).sm.limits;
    for (const auto& row : table()) {
      const auto launch = row.first.as<std::string>();
      const Residency residency = residency_of(shape_of(launch), limits);
      EXPECT_EQ(residency.blocks, row.second[platform].as<std::uint32_t>()) << launch << " on " << platform;
      // Section V-D: thread slots or registers limit all kernels; here, block slots limit the smallest
      // blocks.
      EXPECT_NE(residency.bound, Resource::kSharedMemory) << launch << " on " << platform;
    }
  }
}

TEST(PerfSatResidency, RegistersOfHotspotAreRoundedUpForAWarpOfKepler) {
  const BlockShape shape = shape_of("ps-hot");
  SmLimits limits = load_platform("k20x").sm.limits;
  ASSERT_EQ(limits.register_granularity, 256U);
  EXPECT_EQ(residency_of(shape, limits).blocks, 6U);
  limits.register_granularity = 64;
  EXPECT_EQ(residency_of(shape, limits).blocks, 7U);
}

}  // namespace
}  // namespace heddle
