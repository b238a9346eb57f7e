// The identity of runs: which runs are the same, and which are different.

#include <fstream>
#include <set>

#include "platforms/campaign/store/run_id.h"
#include "platforms/campaign/store/run_plan.h"
#include "tests/platforms/campaign/batch_rig.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

class RunIdentity : public BatchTest {
 protected:
  static Experiment load(const Overrides& overrides = {}) { return load_experiment("small.yaml", overrides); }
  static std::string id(const Experiment& experiment, std::size_t variant = 0) {
    return RunIds("build").of(variant_run(experiment, variant));
  }
  static std::string alone(const Experiment& experiment, std::size_t application) {
    return RunIds("build").of(alone_run(experiment, application));
  }
  static Overrides set(const std::string& assignment) { return {{assignment}, {}, {}, {}}; }
};

TEST_F(RunIdentity, IsTheSameForTheSameInputs) {
  EXPECT_EQ(id(load()), id(load()));
  EXPECT_EQ(id(load()).size(), 40u);
  EXPECT_EQ(alone(load(), 1), alone(load(), 1));
}

TEST_F(RunIdentity, IsAnotherForEveryInputThatIsChanged) {
  std::set<std::string> ids{id(load()), id(load(), 1), alone(load(), 0), alone(load(), 1)};
  ids.insert(RunIds("another build").of(variant_run(load(), 0)));
  for (const char* assignment :
       {"sm.count=4", "jitter=0.1", "starvation_limit=2s", "copies=off", "cpu_phases=off",
        "replay_priority=keep", "termination=once-each", "prioritised=none", "prioritised=other",
        "applications=[other.yaml, tiny.yaml]", "applications=[tiny.yaml]"})
    ids.insert(id(load(set(assignment))));
  ids.insert(id(load({{}, {"dma_arbiter=priority"}, {}, {}})));
  ids.insert(
      // Its imbalance differs from that of the second variant.
      id(load({{}, {"sm_partitioner=token"}, {}, {}})));
  ids.insert(id(load({{"sm.model=timed"}, {}, "k20", {}})));
  ids.insert(id(load({{}, {}, {}, 2})));
  EXPECT_EQ(ids.size(), 4u + 1 + 11 + 4);
  write("tiny.yaml", small_application("tiny", 31));
  EXPECT_TRUE(ids.insert(id(load())).second);
  EXPECT_TRUE(ids.insert(alone(load(), 0)).second);
  EXPECT_FALSE(ids.insert(alone(load(), 1)).second);  // the other application is unchanged
}

TEST_F(RunIdentity, IsAnotherForEverySeriesThatIsAskedFor) {
  const auto with = [](const SeriesRequest& series) {
    return RunIds("build", series).of(variant_run(load(), 0));
  };
  EXPECT_EQ(with({}), id(load()));
  EXPECT_EQ(with({0, 0, {"gpu.occupancy"}}), id(load()));  // nothing is sampled
  const std::set<std::string> ids{id(load()),
                                  with({1000, 0, {"gpu.occupancy"}}),
                                  with({2000, 0, {"gpu.occupancy"}}),
                                  with({0, 1000, {"gpu.occupancy"}}),
                                  with({1000, 0, {"gpu.*"}}),
                                  with({1000, 0, {"gpu.occupancy", "gpu.fill"}}),
                                  with({1000, 0, {"gpu.occupancygpu.fill"}})};
  EXPECT_EQ(ids.size(), 7u);
  EXPECT_EQ(with({1000, 0, {"gpu.*"}}), with({1000, 0, {"gpu.*"}}));
}

TEST_F(RunIdentity, DependsOnThePlatformThatTimesWereMeasuredOn) {
  const std::string platform = read_file(fs::path(source_directory()) / "platforms/k20-cusched.yaml");
  write("measured.yaml", platform);
  std::string tiny = small_application("tiny", 30);
  write("tiny.yaml", tiny.replace(tiny.find("k20-cusched"), 11, "measured.yaml"));
  const std::string before = id(load());
  std::string slower = platform;
  const std::size_t frequency = slower.find("MHz");
  ASSERT_NE(frequency, std::string::npos);
  slower[frequency - 1] = slower[frequency - 1] == '1' ? '2' : '1';
  write("measured.yaml", slower);
  EXPECT_NE(id(load()), before);
}

TEST_F(RunIdentity, OfATraceIsWhatItHolds) {
  const fs::path traces = fs::path(source_directory()) / "stimuli/traces";
  fs::path source;
  for (const auto& entry : fs::directory_iterator(traces))
    if (fs::exists(entry.path() / "kernelslist.g") && (source.empty() || entry.path() < source))
      source = entry.path();
  fs::copy(source, "trace", fs::copy_options::recursive);
  fs::copy(source, "copied", fs::copy_options::recursive);
  const auto of = [&](const std::string& folder) {
    return id(load_experiment(folder + "/kernelslist.g", {{}, {}, "gtx480", {}}));
  };
  EXPECT_EQ(of("trace"), of("copied"));  // the identity does not depend on the folder
  for (const auto& entry : fs::directory_iterator("copied"))
    if (entry.path().filename() != "kernelslist.g") std::ofstream(entry.path(), std::ios::app) << "\n";
  EXPECT_NE(of("trace"), of("copied"));
}

TEST_F(RunIdentity, OfAnApplicationAloneIsTheSameInEveryMix) {
  const Experiment two = load();
  const Experiment reversed = load(set("applications=[other.yaml, tiny.yaml]"));
  EXPECT_EQ(alone(two, 0), alone(reversed, 1));
  EXPECT_EQ(alone(two, 0), alone(load({{}, {"sm_partitioner=token"}, {}, 5}), 0));
  EXPECT_NE(alone(load(set("jitter=0.1")), 0), alone(load({{"jitter=0.1"}, {}, {}, 2}), 0));
}

// The process that runs an application alone reads the text of its platform.
TEST_F(RunIdentity, AnApplicationAloneHasTheWholeMemoryWhateverContextsHaveTogether) {
  Overrides overrides;
  overrides.sets = {"l2.ways_of=[8]", "crossbar.outstanding_of=[0, 96]", "dram.channels_of=[[0], [1]]"};
  const Experiment divided = load_experiment("noisy-neighbours", overrides);
  const Experiment alone = alone_run(divided, 1);
  EXPECT_FALSE(alone.platform.memory->has_shares());
  const config::Document text = config::Document::implied(alone.platform_yaml, "alone");
  EXPECT_TRUE(text.root().section("l2").list("ways_of").empty());
  EXPECT_TRUE(text.root().section("crossbar").list("outstanding_of").empty());
  EXPECT_TRUE(text.root().section("dram").list("channels_of").empty());
  EXPECT_TRUE(variant_run(divided, 0).platform.memory->has_shares());
}

TEST_F(RunIdentity, AServerAloneHasItsOwnArrivalsAndTakesNothingOver) {
  const Experiment split = load_experiment("serving-policies", Overrides{});
  EXPECT_TRUE(variant_run(split, 0).applications[1].takes_over);
  EXPECT_FALSE(alone_run(split, 1).applications.front().takes_over);
}

TEST_F(RunIdentity, OfTheOnlyApplicationIsItsRunAlone) {
  const Experiment one = load_experiment(
      "small.yaml", {{"applications=[tiny.yaml]", "prioritised=none"}, {"sm_partitioner=fcfs-s"}, {}, {}});
  ASSERT_EQ(one.platform.policies.at("sm_partitioner").name, "fcfs-s");
  EXPECT_EQ(id(one), alone(one, 0));
}

TEST_F(RunIdentity, PointsShareTheRunsThatAreAlike) {
  Campaign campaign = small_campaign(3);
  campaign.points.push_back(point({{"jitter", "0.20"}}, 2));  // the second point in another spelling
  campaign.points.push_back(point({{"policy.sm_partitioner", "spatial"}}));
  campaign.points.push_back(point({{"policy.sm_partitioner", "pq"}}));
  const RunPlan plan = plan_runs(campaign, 2);
  ASSERT_EQ(plan.points.size(), 6u);
  EXPECT_EQ(plan.points[3].variants, plan.points[1].variants);
  EXPECT_EQ(plan.points[3].alone, plan.points[1].alone);
  EXPECT_EQ(plan.points[4].alone, plan.points[5].alone);
  EXPECT_NE(plan.points[4].variants, plan.points[5].variants);
  EXPECT_EQ(plan.runs.size(), 3u * 4 + 2 + 2);
  EXPECT_EQ(plan.loaded[0], plan.loaded[2]);  // points that differ only by seed are loaded once
  EXPECT_EQ(plan.runs[plan.points[1].variants[1]].label, "jitter=0.2 seed=2, token, imbalance=2");
  const RunPlan again = plan_runs(campaign, 1);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) EXPECT_EQ(again.runs[i].id, plan.runs[i].id);
}

}  // namespace

}  // namespace heddle::test
