#include "platforms/campaign/plan/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() : directory_(fs::temp_directory_path() / ("heddle_campaign." + std::to_string(::getpid()))) {
    fs::create_directory(directory_);
    write("one.yaml",
          "experiment: one\nplatform: k20-cusched\napplications: [sgemm]\n"
          "compare:\n  - {sm_partitioner: fcfs-s}\n  - {sm_partitioner: token}\n");
  }
  ~CampaignTest() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }

  Campaign load(const std::string& rest, const std::vector<std::string>& sets = {}) const {
    write("c.yaml", "campaign: c\nexperiment: one.yaml\n" + rest);
    return load_campaign((directory_ / "c.yaml").string(), sets);
  }

  static std::vector<std::string> labels(const Campaign& campaign) {
    std::vector<std::string> labels;
    for (const CampaignPoint& point : campaign.points) labels.push_back(label_of(point));
    return labels;
  }

  const fs::path directory_;
};

TEST_F(CampaignTest, WithoutAxesIsTheExperimentOnce) {
  const Campaign campaign = load("");
  ASSERT_EQ(campaign.points.size(), 1u);
  EXPECT_EQ(label_of(campaign.points[0]), "base");
  EXPECT_EQ(campaign.points[0].seed, std::nullopt);
  EXPECT_EQ(campaign.time_limit_ps, std::nullopt);
  EXPECT_EQ(campaign.memory_bytes, std::nullopt);
  EXPECT_THAT(campaign.metrics, ElementsAre("antt", "stp", "fairness"));
}

TEST_F(CampaignTest, ProductVariesItsLastKeyFastest) {
  const Campaign campaign = load("axes:\n  - product: {sm.count: [4, 8], jitter: [0, 0.1]}\n");
  EXPECT_THAT(campaign.keys, ElementsAre("sm.count", "jitter"));
  EXPECT_THAT(labels(campaign), ElementsAre("sm.count=4 jitter=0", "sm.count=4 jitter=0.1",
                                            "sm.count=8 jitter=0", "sm.count=8 jitter=0.1"));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(campaign.points[i].number, i + 1);
}

TEST_F(CampaignTest, ZipGoesThroughItsKeysTogether) {
  const Campaign campaign = load("axes:\n  - zip: {sm.count: [4, 8, 13], jitter: [0, 0.1, 0.2]}\n");
  EXPECT_THAT(labels(campaign),
              ElementsAre("sm.count=4 jitter=0", "sm.count=8 jitter=0.1", "sm.count=13 jitter=0.2"));
}

TEST_F(CampaignTest, ListWritesItsPointsOut) {
  const Campaign campaign = load(
      "axes:\n  - list: [{policy.sm_partitioner: token}, {policy.sm_partitioner: fcfs-s, jitter: 0.1}, "
      "{}]\n");
  EXPECT_THAT(campaign.keys, ElementsAre("policy.sm_partitioner", "jitter"));
  EXPECT_THAT(labels(campaign),
              ElementsAre("policy.sm_partitioner=token", "policy.sm_partitioner=fcfs-s jitter=0.1", "base"));
}

TEST_F(CampaignTest, ASeriesHasAnIntervalAndPatternsOrTheUsualOnes) {
  EXPECT_FALSE(load("").series.is_wanted());
  const Campaign usual = load("interval: 1000cycles\n");
  EXPECT_EQ(usual.series.cycles, 1000u);
  EXPECT_TRUE(usual.has_default_series);
  EXPECT_EQ(usual.series.patterns, default_series());
  const Campaign own = load("interval: 1.5us\nseries: ['gpu.sm*.cycles.*', gpu.fill]\n");
  EXPECT_EQ(own.series.cycles, 0u);
  EXPECT_EQ(own.series.ps, 1500000u);
  EXPECT_FALSE(own.has_default_series);
  EXPECT_THAT(own.series.patterns, ElementsAre("gpu.sm*.cycles.*", "gpu.fill"));
}

TEST_F(CampaignTest, SeedsVaryFastestOfAll) {
  const Campaign campaign = load("axes:\n  - product: {sm.count: [4, 8]}\nseeds: [7, 5]\n");
  EXPECT_THAT(campaign.keys, ElementsAre("sm.count"));
  EXPECT_THAT(labels(campaign), ElementsAre("sm.count=4 seed=7", "sm.count=4 seed=5", "sm.count=8 seed=7",
                                            "sm.count=8 seed=5"));
  EXPECT_EQ(campaign.points[2].seed, 7u);
  EXPECT_EQ(overrides_of(campaign.points[2]).seed, 7u);
}

TEST_F(CampaignTest, RepeatsAreSeedsFromOne) {
  EXPECT_THAT(labels(load("repeats: 3\n")), ElementsAre("seed=1", "seed=2", "seed=3"));
}

TEST_F(CampaignTest, ExclusionsLeaveOutPointsAndNumbersStayConsecutive) {
  const Campaign campaign = load(
      "axes:\n  - product: {sm.count: [4, 8], jitter: [0, 0.1]}\n"
      "exclude: [{sm.count: 4, jitter: 0.1}, {seed: 2, sm.count: 8}]\nseeds: [1, 2]\n");
  EXPECT_THAT(labels(campaign), ElementsAre("sm.count=4 jitter=0 seed=1", "sm.count=4 jitter=0 seed=2",
                                            "sm.count=8 jitter=0 seed=1", "sm.count=8 jitter=0.1 seed=1"));
  EXPECT_EQ(campaign.points[3].number, 4u);
}

TEST_F(CampaignTest, OnlyTheListedValuesOfAnAxisAreLeft) {
  const std::string axes = "axes:\n  - product: {sm.count: [4, 8, 13], jitter: [0, 0.1]}\n";
  EXPECT_THAT(labels(load(axes + "only: [{sm.count: [4, 13]}, {jitter: [0.1]}]\n")),
              ElementsAre("sm.count=4 jitter=0.1", "sm.count=13 jitter=0.1"));
  EXPECT_THAT(labels(load(axes + "exclude: [{sm.count: 8, jitter: 0}]\nonly: [{sm.count: [8]}]\n")),
              ElementsAre("sm.count=8 jitter=0.1"));
}

TEST_F(CampaignTest, ListsAndQuotedTextsAreValuesAsSetTakesThem) {
  const Campaign campaign = load("axes:\n  - product: {applications: [[sgemm, bfs], [\"sgemm\"]]}\n");
  EXPECT_THAT(labels(campaign), ElementsAre("applications=[sgemm, bfs]", "applications=[\"sgemm\"]"));
  const Experiment two = load_experiment(campaign.experiment, overrides_of(campaign.points[0]));
  EXPECT_EQ(two.applications.size(), 2u);
  const Experiment one = load_experiment(campaign.experiment, overrides_of(campaign.points[1]));
  EXPECT_EQ(one.applications.size(), 1u);
}

TEST_F(CampaignTest, LongListsStayOnOneLine) {
  std::string list = "sgemm";
  for (const char* name : {"bfs", "cutcp", "histo", "lbm", "mri-gridding", "mri-q", "sad", "spmv", "stencil"})
    list += std::string(", ") + name;
  const Campaign campaign = load("axes:\n  - product: {applications: [[" + list + ", tpacf]]}\n");
  EXPECT_EQ(label_of(campaign.points[0]), "applications=[" + list + ", tpacf]");
}

TEST_F(CampaignTest, KeysGoWhereTheyBelong) {
  write("other.yaml", "experiment: other\nplatform: k20-cusched\napplications: [compute-heavy]\n");
  const Campaign campaign = load(
      "axes:\n  - list: [{experiment: other.yaml, platform: k20, policy.sm_partitioner: token, sm.count: "
      "8}]\n");
  const CampaignPoint& point = campaign.points[0];
  EXPECT_EQ(experiment_of(campaign, point), (directory_ / "other.yaml").string());
  const Overrides overrides = overrides_of(point);
  EXPECT_EQ(overrides.platform, "k20");
  EXPECT_THAT(overrides.policies, ElementsAre("sm_partitioner=token"));
  EXPECT_THAT(overrides.sets, ElementsAre("sm.count=8"));
  EXPECT_EQ(load_experiment(experiment_of(campaign, point), overrides).platform.sm.count, 8u);
}

TEST_F(CampaignTest, ALabelNamesAStepAndSetsNothing) {
  const Campaign campaign = load(
      "axes:\n  - list: [{label: few SMs, sm.count: 4}, {label: many, sm.count: 8}]\n"
      "only: [{label: [few SMs]}]\n");
  EXPECT_THAT(campaign.keys, ElementsAre("label", "sm.count"));
  EXPECT_THAT(labels(campaign), ElementsAre("label=few SMs sm.count=4"));
  EXPECT_THAT(overrides_of(campaign.points[0]).sets, ElementsAre("sm.count=4"));
  EXPECT_THAT(labels(make_campaign(campaign.yaml, "again")), ElementsAre("label=few SMs sm.count=4"));
}

TEST_F(CampaignTest, PolicyAxisReplacesTheVariantsOfTheExperiment) {
  const Campaign campaign = load("axes:\n  - product: {policy.sm_partitioner: [fcfs-m]}\n");
  EXPECT_EQ(load_experiment(campaign.experiment).variants.size(), 2u);
  EXPECT_EQ(load_experiment(campaign.experiment, overrides_of(campaign.points[0])).variants.size(), 1u);
}

TEST_F(CampaignTest, ResolvedYamlLoadsFromAnywhereAsTheSameCampaign) {
  fs::copy_file(heddle::test::source_directory() + "/platforms/k20-cusched.yaml", directory_ / "gpu.yaml");
  const Campaign campaign = load(
      "axes:\n  - product: {platform: [./gpu.yaml, k20-cusched], sm.count: [4, 8]}\n"
      "exclude: [{platform: gpu.yaml, sm.count: 4}]\nrepeats: 2\nlimits: {time: 60s, memory: 2GiB}\n"
      "metrics: [stp, gpu.sm_cycles.active]\nplots: [{kind: cdf, x: ntt, series: platform}]\n",
      {"repeats=3"});
  EXPECT_EQ(campaign.points.size(), 9u);
  fs::create_directory(directory_ / "elsewhere");
  write("elsewhere/again.yaml", campaign.yaml);
  const Campaign again = load_campaign((directory_ / "elsewhere/again.yaml").string());
  EXPECT_EQ(labels(again), labels(campaign));
  EXPECT_EQ(again.experiment, campaign.experiment);
  EXPECT_EQ(again.yaml, campaign.yaml);
  EXPECT_EQ(again.time_limit_ps, 60000000000000u);
  EXPECT_EQ(again.memory_bytes, 2147483648u);
  EXPECT_THAT(again.metrics, ElementsAre("stp", "gpu.sm_cycles.active"));
  ASSERT_EQ(again.plots.size(), 1u);
  EXPECT_EQ(again.plots[0].kind, "cdf");
  EXPECT_EQ(again.plots[0].x, "ntt");
  EXPECT_EQ(again.plots[0].y, "");
  EXPECT_EQ(again.plots[0].series, "platform");
  fs::remove(directory_ / "gpu.yaml");
  fs::rename(directory_ / "elsewhere/again.yaml", directory_ / "elsewhere/campaign.yaml");
  const Campaign kept = load_kept_campaign((directory_ / "elsewhere").string());
  EXPECT_EQ(kept.name, campaign.name);
  EXPECT_EQ(kept.keys, campaign.keys);
  EXPECT_EQ(kept.metrics, campaign.metrics);
  EXPECT_EQ(kept.plots.size(), 1u);
}

TEST_F(CampaignTest, ATimelineNeedsNeitherAxesNorMetrics) {
  const Campaign campaign = load("plots: [{kind: timeline}]\n");
  ASSERT_EQ(campaign.plots.size(), 1u);
  EXPECT_EQ(campaign.plots[0].kind, "timeline");
  EXPECT_EQ(campaign.plots[0].x, "");
  EXPECT_THROW(load("plots: [{kind: timeline, x: antt}]\n"), config::Error);
}

TEST_F(CampaignTest, EveryWrongValueIsReportedAtItsPlaceAtOnce) {
  try {
    load(
        "axes:\n"
        "  - product: {sm.count: [0, 4, 5000], jitter: [2, 0.1], sm.cuont: [1, 2]}\n"
        "  - list: [{policy.sm_partitioner: tokn}, {policy.sm_partitioner: token}]\n"
        "repeats: 2\n");
    FAIL() << "loads";
  } catch (const config::Error& error) {
    const std::vector<std::string>& problems = error.problems();
    ASSERT_EQ(problems.size(), 5u) << error.what();
    EXPECT_THAT(problems[0], HasSubstr("c.yaml:4:26: axes[0].product.sm.count[0]: is 0, must be"));
    EXPECT_THAT(problems[1], HasSubstr("c.yaml:4:32: axes[0].product.sm.count[2]: is 5000"));
    EXPECT_THAT(problems[2], HasSubstr("c.yaml:4:48: axes[0].product.jitter[0]: is 2"));
    EXPECT_THAT(problems[3], HasSubstr("sm.cuont[0]: unknown key; did you mean 'count'?"));
    EXPECT_THAT(problems[4], HasSubstr("c.yaml:5:36: axes[1].list[0].policy.sm_partitioner: "));
  }
}

TEST_F(CampaignTest, ValueThatFailsForAnotherReasonIsFoundByLeavingItOut) {
  write("mix.yaml", "experiment: m\nplatform: k20-cusched\nmix: {size: 2, from: [bfs, sgemm, spmv, sad]}\n");
  try {
    load("axes:\n  - product: {sm.count: [4, 8], mix.size: [9, 2], mix.index: [0, 1]}\n",
         {"experiment=" + (directory_ / "mix.yaml").string()});
    FAIL() << "loads";
  } catch (const config::Error& error) {
    ASSERT_EQ(error.problems().size(), 1u) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("c.yaml:4:44: axes[0].product.mix.size[0]: "));
    EXPECT_THAT(error.what(), HasSubstr("a mix of 9 from 4"));
  }
}

}  // namespace
}  // namespace heddle
