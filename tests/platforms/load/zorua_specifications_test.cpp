// The specifications of Zorua's applications that the campaigns zorua-* run, beside its Table 3, and the
// blocks of each that an SM holds.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <set>
#include <sstream>

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

// The blocks on an SM at each specification of a campaign: a row for each value of registers, a column for
// each value of threads.
struct ResidentBlocks {
  Numbers registers;  // 0: no part of the specification
  std::vector<Numbers> blocks;
  std::vector<Numbers> warps;
};

ResidentBlocks resident_blocks(const Campaign& campaign, const char* platform) {
  const SmLimits limits = load_platform(platform).sm.limits;
  ResidentBlocks of{campaign.registers.empty() ? Numbers{0} : campaign.registers, {}, {}};
  of.blocks.resize(of.registers.size());
  of.warps.resize(of.registers.size());
  for (const std::uint32_t threads : campaign.threads) {
    BlockShape shape = shape_of(campaign, threads);
    for (std::size_t row = 0; row < of.registers.size(); ++row) {
      if (of.registers[row] != 0) shape.registers_per_thread = of.registers[row];
      of.blocks[row].push_back(residency_of(shape, limits).blocks);
      of.warps[row].push_back(of.blocks[row].back() * (threads / 32));
    }
  }
  return of;
}

// A cliff is a step to the next larger value, of threads or of registers, that leaves fewer warps on an SM.
// A step to a specification that does not fit is none: it is not run.
bool is_cliff(std::uint32_t before, std::uint32_t after) {
  return after > 0 && after < before;
}

// The steps to more threads that are cliffs, and those to more registers.
std::pair<std::size_t, std::size_t> cliffs_of(const ResidentBlocks& of) {
  std::pair<std::size_t, std::size_t> cliffs;
  for (std::size_t row = 0; row < of.warps.size(); ++row)
    for (std::size_t column = 0; column < of.warps[row].size(); ++column) {
      const std::uint32_t warps = of.warps[row][column];
      if (column > 0 && is_cliff(of.warps[row][column - 1], warps)) ++cliffs.first;
      if (row > 0 && is_cliff(of.warps[row - 1][column], warps)) ++cliffs.second;
    }
  return cliffs;
}

// "4 3 **2** 1^ -": cliffs of threads are bold, those of registers have a mark, what does not fit is a dash.
std::string blocks_text(const ResidentBlocks& of, std::size_t row) {
  std::string text;
  for (std::size_t column = 0; column < of.blocks[row].size(); ++column) {
    const std::uint32_t warps = of.warps[row][column];
    const bool of_threads = column > 0 && is_cliff(of.warps[row][column - 1], warps);
    const bool of_registers = row > 0 && is_cliff(of.warps[row - 1][column], warps);
    const std::string blocks = warps == 0 ? "-" : std::to_string(of.blocks[row][column]);
    text +=
        (column == 0 ? "" : " ") + (of_threads ? "**" + blocks + "**" : blocks) + (of_registers ? "^" : "");
  }
  return text;
}

// The rows of the two tables of cliffs in tests/RESULTS.md.
std::vector<std::string> cliff_rows() {
  std::vector<std::string> counts;
  std::vector<std::string> blocks;
  for (const Campaign& campaign : campaigns()) {
    std::string count = fmt::format("| {} | {} |", campaign.name, campaign.specifications());
    std::vector<ResidentBlocks> of;
    for (const char* const platform : {"fermi-zorua", "kepler-zorua", "maxwell-zorua"}) {
      of.push_back(resident_blocks(campaign, platform));
      const auto [threads, registers] = cliffs_of(of.back());
      count += fmt::format(" {} + {} |", threads, registers);
    }
    counts.push_back(count);
    for (std::size_t row = 0; row < of[0].registers.size(); ++row) {
      const std::uint32_t registers = of[0].registers[row];
      blocks.push_back(
          fmt::format("| {} | {} |", campaign.name, registers == 0 ? "" : std::to_string(registers)));
      for (const ResidentBlocks& each : of) blocks.back() += " " + blocks_text(each, row) + " |";
    }
  }
  counts.insert(counts.end(), blocks.begin(), blocks.end());
  return counts;
}

// Where the warps on an SM become fewer, performance may fall off a cliff.
TEST(ZoruaSpecifications, HaveTheCliffsOfTheTableInTheResults) {
  std::ostringstream results;
  results << std::ifstream(test::source_directory() + "/tests/RESULTS.md").rdbuf();
  for (const std::string& row : cliff_rows()) {
    if (std::getenv("HEDDLE_PRINT_TABLE") != nullptr) std::cout << row << "\n";
    EXPECT_NE(results.str().find(row + "\n"), std::string::npos) << row;
  }
}

Numbers resident_blocks(const char* name, const char* platform, std::uint32_t registers) {
  const ResidentBlocks of = resident_blocks(load(name), platform);
  const auto row = std::find(of.registers.begin(), of.registers.end(), registers) - of.registers.begin();
  return of.blocks.at(static_cast<std::size_t>(row));
}

TEST(ZoruaSpecifications, HaveTheBlocksThatFollowFromTheSizesOfAnSm) {
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
