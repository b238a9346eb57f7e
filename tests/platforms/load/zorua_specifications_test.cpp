// The specifications of Zorua's applications that the campaigns zorua-* run, beside its Table 3, and the
// blocks of each that an SM holds.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "models/core/kernel/kernel.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/launch_rig.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

using Numbers = std::vector<std::uint32_t>;

const YAML::Node& paper() {
  static const YAML::Node root = YAML::LoadFile(test::source_directory() + "/tests/data/zorua.yaml");
  return root;
}

struct Campaign {
  std::string name;
  std::string launch;
  Numbers threads;
  Numbers registers;                                               // empty: no part of the specification
  std::set<std::pair<std::uint32_t, std::uint32_t>> not_on_fermi;  // registers, threads

  std::size_t specifications() const { return threads.size() * std::max<std::size_t>(registers.size(), 1); }
};

Campaign load(const std::string& name) {
  const YAML::Node root = YAML::LoadFile(test::source_directory() + "/stimuli/campaigns/" + name + ".yaml");
  const YAML::Node axes = root["axes"][0]["product"];
  Campaign campaign;
  campaign.name = name;
  campaign.launch = axes["applications"][0][0].as<std::string>();
  campaign.threads = axes["parameters.threads"].as<Numbers>();
  if (axes["parameters.registers"]) campaign.registers = axes["parameters.registers"].as<Numbers>();
  for (const auto& excluded : root["exclude"]) {
    EXPECT_EQ(excluded["platform"].as<std::string>(), "fermi-zorua") << name;
    campaign.not_on_fermi.emplace(excluded["parameters.registers"].as<std::uint32_t>(),
                                  excluded["parameters.threads"].as<std::uint32_t>());
  }
  return campaign;
}

std::vector<Campaign> campaigns() {
  std::vector<Campaign> found;
  for (const auto& row : paper()["table_3"]) found.push_back(load(row.first.as<std::string>()));
  return found;
}

// Returns the shape of the kernel whose blocks take the most shared memory.
BlockShape shape_of(const Campaign& campaign, std::uint32_t threads) {
  const LaunchApplication loaded =
      load_launch_application(kLaunches + campaign.launch + ".yaml", {fmt::format("threads={}", threads)});
  const std::vector<ApiKernel>& kernels = loaded.application.program.kernels;
  return std::max_element(kernels.begin(), kernels.end(),
                          [](const ApiKernel& a, const ApiKernel& b) {
                            return a.shape.shared_bytes < b.shape.shared_bytes;
                          })
      ->shape;
}

TEST(ZoruaSpecifications, AreAsManyAsThePaperHas) {
  std::vector<std::size_t> counts;
  for (const Campaign& campaign : campaigns()) counts.push_back(campaign.specifications());
  const YAML::Node wanted = paper()["specifications"];
  ASSERT_EQ(counts.size(), 8U);
  EXPECT_EQ(*std::min_element(counts.begin(), counts.end()), wanted["least"].as<std::size_t>());
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), wanted["most"].as<std::size_t>());
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}),
            counts.size() * wanted["mean"].as<std::size_t>());
}

TEST(ZoruaSpecifications, ReachFromTheLeastToTheMostOfTable3) {
  for (const auto& row : paper()["table_3"]) {
    const Campaign campaign = load(row.first.as<std::string>());
    const auto threads = row.second["T"].as<Numbers>();
    EXPECT_EQ(campaign.threads.front(), threads[0]) << campaign.name;
    EXPECT_EQ(campaign.threads.back(), threads[1]) << campaign.name;
    ASSERT_EQ(campaign.registers.empty(), !row.second["R"]) << campaign.name;
    if (row.second["R"]) {
      const auto registers = row.second["R"].as<Numbers>();
      EXPECT_EQ(campaign.registers.front(), registers[0]) << campaign.name;
      EXPECT_EQ(campaign.registers.back(), registers[1]) << campaign.name;
    } else {
      const auto shared = row.second["S"].as<Numbers>();
      EXPECT_EQ(shape_of(campaign, threads[0]).shared_bytes, shared[0]) << campaign.name;
      EXPECT_EQ(shape_of(campaign, threads[1]).shared_bytes, shared[1]) << campaign.name;
    }
  }
}

// The specifications that a Fermi cannot hold are those that the campaigns leave out there. Others hold all.
TEST(ZoruaSpecifications, FitAnSmWhereTheyAreRun) {
  std::size_t left_out = 0;
  for (const char* const platform : {"fermi-zorua", "kepler-zorua", "maxwell-zorua"}) {
    const SmLimits limits = load_platform(platform).sm.limits;
    for (const Campaign& campaign : campaigns())
      for (const std::uint32_t threads : campaign.threads) {
        BlockShape shape = shape_of(campaign, threads);
        for (const std::uint32_t registers :
             campaign.registers.empty() ? Numbers{shape.registers_per_thread} : campaign.registers) {
          SCOPED_TRACE(
              fmt::format("{} on {}: {} threads, {} registers", campaign.name, platform, threads, registers));
          shape.registers_per_thread = registers;
          const bool is_run = platform != std::string("fermi-zorua") ||
                              campaign.not_on_fermi.count({registers, threads}) == 0;
          EXPECT_EQ(residency_of(shape, limits).blocks > 0, is_run);
          left_out += is_run ? 0 : 1;
        }
      }
  }
  EXPECT_EQ(left_out, 20U);
}

Numbers resident_blocks(const std::string& name, const char* platform, std::uint32_t registers) {
  const SmLimits limits = load_platform(platform).sm.limits;
  const Campaign campaign = load(name);
  Numbers blocks;
  for (const std::uint32_t threads : campaign.threads) {
    BlockShape shape = shape_of(campaign, threads);
    if (registers != 0) shape.registers_per_thread = registers;
    blocks.push_back(residency_of(shape, limits).blocks);
  }
  return blocks;
}

// Where the blocks on an SM become fewer, performance may fall off a cliff.
TEST(ZoruaSpecifications, HaveTheCliffsThatFollowFromTheSizesOfAnSm) {
  // 64, 96 .. 288 threads of 164 B, in 48 and in 64 KiB.
  EXPECT_EQ(resident_blocks("zorua-nqu", "fermi-zorua", 0), (Numbers{4, 3, 2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(resident_blocks("zorua-nqu", "kepler-zorua", 0), (Numbers{4, 3, 2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(resident_blocks("zorua-nqu", "maxwell-zorua", 0), (Numbers{6, 4, 3, 2, 2, 1, 1, 1}));
  // 256, 320 .. 1024 threads of 36 registers: 1152 a warp, 28 warps in 32,768; on Kepler 1280 and 51 in
  // 65,536.
  EXPECT_EQ(resident_blocks("zorua-mst", "fermi-zorua", 36),
            (Numbers{3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(resident_blocks("zorua-mst", "kepler-zorua", 36),
            (Numbers{6, 5, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace heddle
