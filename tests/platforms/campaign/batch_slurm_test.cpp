// Campaigns on a Slurm cluster with two nodes. They have the same results as on this machine, whichever
// process dies.

#include <nlohmann/json.hpp>

#include "tests/platforms/campaign/batch_rig.h"
#include "tests/platforms/campaign/slurm_rig.h"

namespace heddle::test {

namespace {

using Json = nlohmann::json;

class BatchOnSlurm : public SlurmTest {
 protected:
  // Writes c.yaml with this many seeds and four runs for each. Its applications launch `repeat` kernels.
  static void write_campaign(const SlurmCluster& slurm, int seeds, int repeat) {
    slurm.write("small.yaml", small_experiment());
    for (const auto& [name, blocks] : {std::pair{"tiny", 30}, std::pair{"other", 300}}) {
      std::string text = small_application(name, blocks);
      slurm.write(name + std::string(".yaml"),
                  text.replace(text.find("repeat: 2"), 9, "repeat: " + std::to_string(repeat)));
    }
    slurm.write("c.yaml", "campaign: c\nexperiment: small.yaml\nrepeats: " + std::to_string(seeds) +
                              "\naxes:\n  - product: {jitter: [0.2]}\nslurm: {pack: 3}\n");
  }

  static Outcome batch(const SlurmCluster& slurm, const std::vector<std::string>& words) {
    std::vector<std::string> all{slurm.program(), "batch"};
    all.insert(all.end(), words.begin(), words.end());
    return slurm.run(all);
  }

  static Json states(const SlurmCluster& slurm, const std::string& directory) {
    return Json::parse(batch(slurm, {"status", directory, "--json"}).out)["states"];
  }

  static std::uint64_t count(const SlurmCluster& slurm, const std::string& state) {
    return states(slurm, "kept").value(state, 0);
  }

  // A controller that does not answer in time, as on a busy host, says nothing of the tasks.
  static void wait_for_tasks(const SlurmCluster& slurm) {
    wait_until("all tasks to end", [&] {
      const Outcome queue = slurm.run({"squeue", "-h", "-a"});
      return queue.code == 0 && queue.out.empty();
    });
  }

  static std::map<std::string, std::string> results(const SlurmCluster& slurm, const std::string& directory) {
    return results_below(slurm.work() / directory);
  }
};

TEST_F(BatchOnSlurm, GivesTheResultsOfALocalCampaignAndTakesNoRunTwice) {
  const SlurmCluster& slurm = start({2, 3});
  write_campaign(slurm, 4, 2);
  const Outcome first = batch(slurm, {"submit", "c.yaml", "--dir", "kept"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("c: 16 runs, 0 done, 0 in the queue; 16 submitted in 6 tasks: job "),
            std::string::npos)
      << first.out;
  const Outcome second = batch(slurm, {"submit", "c.yaml", "--dir", "kept"});
  EXPECT_EQ(second.code, 0) << second.err;
  wait_for_tasks(slurm);
  EXPECT_EQ(states(slurm, "kept"), (Json{{"ok", 16}})) << slurm.run({"sh", "-c", "cat kept/*/*/*.log"}).out;
  ASSERT_EQ(batch(slurm, {"run", "c.yaml", "--dir", "here", "--quiet"}).code, 0);
  EXPECT_EQ(results(slurm, "kept"), results(slurm, "here"));
  for (const char* directory : {"kept", "here"}) EXPECT_EQ(batch(slurm, {"collect", directory}).code, 0);
  const auto tables = tables_of(slurm.work() / "kept/results.sqlite");
  EXPECT_EQ(tables.size(), 21u);
  EXPECT_EQ(tables, tables_of(slurm.work() / "here/results.sqlite"));
  EXPECT_EQ(slurm.read("kept/results.csv"), slurm.read("here/results.csv"));
  EXPECT_EQ(batch(slurm, {"submit", "c.yaml", "--dir", "kept"}).out,
            "c: 16 runs, 16 done, 0 in the queue; nothing to submit; heddle batch status kept\n");
}

TEST_F(BatchOnSlurm, WhatWaitsInTheQueueIsNotSubmittedAgain) {
  const SlurmCluster& slurm = start();
  write_campaign(slurm, 2, 2);
  const Outcome first = batch(slurm, {"submit", "c.yaml", "--dir", "kept", "--set", "slurm.extra=[--hold]"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(batch(slurm, {"submit", "c.yaml", "--dir", "kept"}).out,
            "c: 8 runs, 0 done, 8 in the queue; nothing to submit; heddle batch status kept\n");
  EXPECT_EQ(slurm.run({"scancel", "--me"}).code, 0);
  wait_for_tasks(slurm);
  EXPECT_EQ(batch(slurm, {"resume", "kept"}).code, 0);
  wait_for_tasks(slurm);
  EXPECT_EQ(states(slurm, "kept"), (Json{{"ok", 8}}));
}

TEST_F(BatchOnSlurm, ANodesDeathLosesNothingAfterResume) {
  const SlurmCluster& slurm = start();
  write_campaign(slurm, 4, 3000);
  ASSERT_EQ(batch(slurm, {"submit", "c.yaml", "--dir", "kept"}).code, 0);
  wait_until("two tasks on each node", [&] { return count(slurm, "running") == 4; });
  slurm.kill_node("n1");
  EXPECT_GT(count(slurm, "lost"), 0u) << states(slurm, "kept");
  wait_until("the death to be noticed", [&] { return slurm.state("n1").rfind("down", 0) == 0; });
  EXPECT_EQ(slurm.run({"scancel", "--me"}).code, 0);
  wait_for_tasks(slurm);
  EXPECT_LT(count(slurm, "ok"), 16u);
  slurm.revive_node("n1");
  const Outcome resumed = batch(slurm, {"resume", "kept"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  wait_for_tasks(slurm);
  EXPECT_EQ(states(slurm, "kept"), (Json{{"ok", 16}}));
  ASSERT_EQ(batch(slurm, {"run", "c.yaml", "--dir", "here", "--quiet"}).code, 0);
  EXPECT_EQ(results(slurm, "kept"), results(slurm, "here"));
}

}  // namespace

}  // namespace heddle::test
