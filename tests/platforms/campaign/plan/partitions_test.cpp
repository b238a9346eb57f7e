// Campaigns with every partition of an SM as an axis, with labels of policies, and with cycles as shares of a
// window.

#include "platforms/campaign/plan/partitions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "platforms/campaign/plan/campaign.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Blocks = std::vector<std::uint32_t>;

const SmLimits& fermi() {
  static const SmLimits limits = load_platform("fermi-warped-slicer").sm.limits;
  return limits;
}

BlockResources block(std::uint32_t threads, std::uint32_t registers) {
  return resources_of({threads, registers, 0}, fermi());
}

TEST(Partitions, AreAllThatFitWithABlockOfEach) {
  const std::vector<Blocks> found = partitions_of({block(512, 16), block(512, 16)}, fermi());
  EXPECT_THAT(found, ElementsAre(Blocks{1, 1}, Blocks{1, 2}, Blocks{2, 1}));
  EXPECT_THAT(partitions_of({block(512, 16)}, fermi()), ElementsAre(Blocks{1}, Blocks{2}, Blocks{3}));
  EXPECT_THAT(partitions_of({block(1024, 16), block(1024, 16)}, fermi()), IsEmpty());
}

TEST(Partitions, ByBruteForceTheSame) {
  const std::vector<BlockResources> kernels{block(192, 44), block(64, 28), block(256, 8)};
  std::vector<Blocks> expected;
  for (std::uint32_t a = 1; a <= 8; ++a)
    for (std::uint32_t b = 1; b <= 8; ++b)
      for (std::uint32_t c = 1; c <= 8; ++c) {
        BlockResources used;
        bool fit = true;
        for (const auto& [kernel, count] : {std::pair{0, a}, std::pair{1, b}, std::pair{2, c}})
          for (std::uint32_t i = 0; i < count; ++i) {
            fit = fit && fits(used, kernels[kernel], fermi());
            used += kernels[kernel];
          }
        if (fit) expected.push_back({a, b, c});
      }
  EXPECT_EQ(partitions_of(kernels, fermi()), expected);
}

class PartitionAxis : public testing::Test {
 protected:
  PartitionAxis() : directory_(std::filesystem::temp_directory_path() / "heddle-partitions-XXXXXX") {
    std::string pattern = directory_.string();
    directory_ = ::mkdtemp(pattern.data());
    write("shared.yaml",
          "experiment: shared\nplatform: fermi-warped-slicer\napplications: [compute-heavy, latency-bound]\n"
          "policies: {sm_partitioner: {name: fixed}}\ntermination: instructions\nwindow: 1000cycles\n");
  }
  ~PartitionAxis() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  Campaign load(const std::string& axes) const {
    write("c.yaml", "campaign: c\nexperiment: ./shared.yaml\naxes: " + axes + "\nmetrics: [antt]\n");
    return load_campaign((directory_ / "c.yaml").string());
  }
  std::string problem(const std::string& axes) const {
    try {
      load(axes);
      return "";
    } catch (const config::Error& error) {
      return error.problems().front();
    }
  }

  std::filesystem::path directory_;
};

TEST_F(PartitionAxis, HasAPointForEachPartitionOfEachList) {
  const Campaign campaign = load("[{partitions: [[compute-heavy, compute-heavy], [compute-heavy]]}]");
  std::size_t alone = 0;
  for (const CampaignPoint& point : campaign.points)
    if (point.values[0].value == "[compute-heavy]") ++alone;
  EXPECT_EQ(alone, 6);                        // blocks of 256 threads
  EXPECT_EQ(campaign.points.size(), 15 + 6);  // two or more of six blocks, in order
  EXPECT_EQ(campaign.keys, (std::vector<std::string>{"applications", "policies.sm_partitioner.quotas"}));
  EXPECT_EQ(label_of(campaign.points.front()),
            "applications=[compute-heavy, compute-heavy] policies.sm_partitioner.quotas=[1, 1]");
}

TEST_F(PartitionAxis, AKeptCampaignHasTheSamePointsWithoutItsExperiment) {
  const Campaign first = load("[{partitions: [[compute-heavy, latency-bound]]}]");
  std::filesystem::create_directory(directory_ / "kept");
  write("kept/campaign.yaml", first.yaml);
  std::filesystem::remove(directory_ / "shared.yaml");
  const Campaign kept = load_kept_campaign((directory_ / "kept").string());
  ASSERT_EQ(kept.points.size(), first.points.size());
  for (std::size_t i = 0; i < kept.points.size(); ++i)
    EXPECT_EQ(label_of(kept.points[i]), label_of(first.points[i]));
}

TEST_F(PartitionAxis, WhatCannotBeIsSaidAtItsPlace) {
  EXPECT_THAT(problem("[{partitions: [[compute-heavy, nobody]]}]"),
              HasSubstr("c.yaml:3:22: axes[0].partitions[0]"));
  EXPECT_THAT(problem("[{partitions: [[compute-heavy, nobody]]}]"), HasSubstr("nobody"));
  EXPECT_THAT(problem("[{partitions: []}]"), HasSubstr("no value"));
  EXPECT_THAT(problem("[{partitions: [[compute-heavy], [compute-heavy]]}]"), HasSubstr("again"));
}

Experiment load_shared(const std::string& policies) {
  Overrides overrides;
  overrides.sets = {"termination=instructions", "window=200000cycles"};
  const std::string name =
      fmt::format("heddle-window-policies-{}.yaml", ::getpid());  // tests run side by side
  const std::string file = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(file)
      << "experiment: w\nplatform: fermi-warped-slicer\napplications: [compute-heavy]\ncompare: " << policies
      << "\n";
  Experiment experiment = load_experiment(file, overrides);
  std::filesystem::remove(file);
  return experiment;
}

TEST(WindowPolicies, CyclesMayBeAShareOfTheWindow) {
  const Experiment experiment = load_shared("[{sm_partitioner: {name: warped-slicer, warm_up: 1.5%}}]");
  EXPECT_EQ(experiment.variants[0].at("sm_partitioner").parameters.at("warm_up").number(), 3000);
  for (const char* wrong : {"[{sm_partitioner: {name: warped-slicer, warm_up: 101%}}]",
                            "[{sm_partitioner: {name: warped-slicer, warm_up: x%}}]",
                            "[{sm_partitioner: {name: warped-slicer, loss: 1%}}]"})
    EXPECT_THROW(load_shared(wrong), config::Error) << wrong;
}

TEST(WindowPolicies, ALabelNamesASetOfPolicies) {
  const Experiment experiment =
      load_shared("[{label: mine, sm_partitioner: even}, {sm_partitioner: spatial}]");
  EXPECT_EQ(variant_label(experiment, 0), "mine");
  EXPECT_EQ(variant_label(experiment, 1), "spatial");
  EXPECT_THAT(resolved_yaml(experiment), HasSubstr("label: \"mine\""));
  EXPECT_THROW(load_shared("[{label: a, sm_partitioner: even}, {label: a, sm_partitioner: spatial}]"),
               config::Error);
}

}  // namespace
}  // namespace heddle
