// heddle batch plan: the size of a campaign, without a run of it.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

using Json = nlohmann::ordered_json;

class BatchPlan : public CliTest {
 protected:
  BatchPlan() { write_small(); }

  void campaign(const std::string& rest) const {
    write("c.yaml", "campaign: c\nexperiment: small.yaml\n" + rest);
  }

  static std::string list(int values) {
    std::string text = "[1";
    for (int i = 2; i <= values; ++i) text += ", " + std::to_string(i);
    return text + "]";
  }
};

TEST_F(BatchPlan, PrintsPointsAndRunsAndWritesNothing) {
  campaign("question: How?\naxes:\n  - product: {sm.count: [4, 13]}\n");
  const std::vector<std::string> before = files();
  const Outcome outcome = heddle("batch plan c.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "How?\n"
      "c: 2 points, 4 runs and the applications alone that they need\n"
      "\n"
      "point  sm.count  runs  left\n"
      "-----  --------  ----  ----\n"
      "    1  4            2     2\n"
      "    2  13           2     2\n"
      "\n"
      "results/campaigns/c, with the applications alone: 8 queued; 8 left, no estimate: no run has finished "
      "yet\n");
  EXPECT_EQ(files(), before);
}

TEST_F(BatchPlan, JsonHasEveryPoint) {
  campaign(
      "axes:\n  - list: [{policy.sm_partitioner: token}, {sm.count: 4}]\nrepeats: 2\n"
      "limits: {time: 1s}\nmetrics: [stp]\n");
  const Outcome outcome = heddle("batch plan c.yaml --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json plan = Json::parse(outcome.out);
  EXPECT_EQ(plan["schema"], "heddle-plan-1");
  EXPECT_EQ(plan["keys"], Json({"policy.sm_partitioner", "sm.count"}));
  EXPECT_EQ(plan["metrics"], Json({"stp"}));
  EXPECT_EQ(plan["time_limit_ps"], 1000000000000);
  EXPECT_TRUE(plan["memory_limit_bytes"].is_null());
  EXPECT_EQ(plan["runs"], 6);  // token alone twice, and both variants of the experiment twice
  ASSERT_EQ(plan["points"].size(), 4u);
  EXPECT_EQ(plan["points"][2]["number"], 3);
  EXPECT_EQ(plan["points"][2]["label"], "sm.count=4 seed=1");
  EXPECT_EQ(plan["points"][2]["values"], Json({{"sm.count", "4"}}));
  EXPECT_EQ(plan["points"][2]["seed"], 1);
  EXPECT_EQ(plan["points"][2]["runs"], 2);
  EXPECT_EQ(plan["points"][0]["runs"], 1);
}

TEST_F(BatchPlan, CutsALongTableUnlessAllIsAsked) {
  campaign("repeats: 51\n");
  const std::string cut = heddle("batch plan c.yaml").out;
  EXPECT_NE(cut.find("\n   20    20     2     2\nand 31 more points: --all prints them\n"), std::string::npos)
      << cut;
  const std::string all = heddle("batch plan c.yaml --all").out;
  EXPECT_NE(all.find("\n   51    51     2     2\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("more points"), std::string::npos);
  const std::string fifty = heddle("batch plan c.yaml --set repeats=50").out;
  EXPECT_NE(fifty.find("\n   50    50     2     2\n"), std::string::npos) << fifty;
}

TEST_F(BatchPlan, WhatIsLeftOfVeryManyPointsIsNotLookedUp) {
  campaign("repeats: 10001\n");
  const std::string text = heddle("batch plan c.yaml").out;
  EXPECT_NE(text.find("\nmore than 10000 points, or 1500 that differ in more than the seed: what "
                      "results/campaigns/c has is not looked up\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("left"), std::string::npos);
  EXPECT_TRUE(Json::parse(heddle("batch plan c.yaml --json").out)["left"].is_null());
}

TEST_F(BatchPlan, TenToTheTwelvePointsAreCountedAndRefusedButNotMade) {
  std::string axes = "axes:\n";
  for (const char* key : {"sm.count", "mix.index", "mix.seed", "seed"})
    axes += std::string("  - product: {") + key + ": " + list(1000) + "}\n";
  campaign(axes);
  const Outcome outcome = heddle("batch plan c.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "heddle: c.yaml:4:3: axes: 1000000000000 points (1000 x 1000 x 1000 x 1000): at most 1000000\n");
}

TEST_F(BatchPlan, PointsBeyond64BitsAreRefused) {
  std::string axes = "axes:\n";
  for (int i = 0; i < 7; ++i) axes += "  - product: {a" + std::to_string(i) + ": " + list(1000) + "}\n";
  campaign(axes);
  const Outcome outcome = heddle("batch plan c.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("c.yaml:4:3: axes: more than 2^64 points"), std::string::npos) << outcome.err;
}

TEST_F(BatchPlan, MetricsOfASummaryAreInASummary) {
  write("cycles.yaml",
        "experiment: cycles\nplatform: fermi-warped-slicer\napplications: [compute-heavy, cache-bound]\n"
        "policies: {sm_partitioner: {name: warped-slicer, warm_up: 1000}, resource_manager: zorua, "
        "block_throttle: "
        "perf-sat}\ntermination: instructions\n"
        "window: 9000cycles\ncopies: off\ncpu_phases: off\n");
  const Json run = Json::parse(heddle("run cycles.yaml --set energy=fermi --json").out)["runs"][0];
  campaign("metrics: [none]\n");
  const std::string error = heddle("batch plan c.yaml").err;
  const std::string from = "is neither one of ";
  std::string names = error.substr(error.find(from) + from.size());
  names = names.substr(0, names.find(" nor ")) + ", ";
  int known = 0;
  for (std::size_t end; (end = names.find(", ")) != std::string::npos; names.erase(0, end + 2), ++known) {
    std::string name = names.substr(0, end);
    static const std::set<std::string> others{"utilisation.int",           "utilisation.dp",
                                              "utilisation.tensor",        "utilisation.uniform",
                                              "prioritised_turnaround_ps", "resource_hit_rate.shared_memory",
                                              "resource_use.registers",    "resource_use.shared_memory"};
    // These metrics are of servers, hand-overs, flushes and single applications, whose numbers stand in
    // lists.
    static const std::set<std::string> of_lists{
        "requests",   "response", "queueing",   "service",   "deadlines", "goodput", "normalised",
        "throughput", "offered",  "unfairness", "handover",  "blocks",    "lost",    "ttft",
        "tbt",        "tpot",     "tokens",     "sequences", "cache",     "ntt"};
    if (of_lists.count(name.substr(0, name.find_first_of("_."))) != 0) continue;
    const std::string last = name.size() < 2 ? "" : name.substr(name.size() - 2);
    if (others.count(name) != 0 || last == ".2" || last == ".3")
      continue;  // of units, applications, priorities and accesses that this one has not
    std::replace(name.begin(), name.end(), '.', '/');
    const Json::json_pointer place("/" + name);
    ASSERT_TRUE(run.contains(place)) << name;
    EXPECT_TRUE(run.at(place).is_number() || run.at(place)["value"].is_number()) << name;
  }
  EXPECT_EQ(known, 694);
}

TEST_F(BatchPlan, FilesLieBesideTheCampaign) {
  campaign("");
  std::filesystem::create_directory(directory_ / "below");
  for (const char* name : {"c.yaml", "small.yaml", "tiny.yaml", "other.yaml"})
    std::filesystem::rename(directory_ / name, directory_ / "below" / name);
  const Outcome outcome = heddle("batch plan below/c.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(BatchPlan, ShippedCampaignIsSixteenRuns) {
  const Outcome outcome = heddle("batch plan schedulers-by-sms --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["runs"], 16);
}

}  // namespace

}  // namespace heddle::test
