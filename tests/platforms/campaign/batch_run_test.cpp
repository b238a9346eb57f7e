// The files that a campaign keeps, and the ways in which its runs end.

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "platforms/campaign/store/run_plan.h"
#include "tests/platforms/campaign/batch_rig.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class BatchRuns : public BatchTest {
 protected:
  static std::size_t count(const std::map<std::string, std::string>& states, const std::string& state) {
    return std::count_if(states.begin(), states.end(), [&](const auto& run) { return run.second == state; });
  }
  // Waits until this many simulations are in progress and this many runs exist. Returns the processes of the
  // simulations.
  static std::vector<pid_t> simulations(const BatchRun& run, std::size_t number, std::size_t runs) {
    EXPECT_TRUE(eventually([&] {
      return fs::exists("kept/runs") && children_of(run.pid).size() == number &&
             states("kept").size() == runs;
    }));
    return children_of(run.pid);
  }
  static std::size_t inputs_written() {
    const fs::directory_iterator runs("kept/runs");
    return std::count_if(begin(runs), end(runs),
                         [](const auto& run) { return fs::exists(run.path() / "platform.yaml"); });
  }
  void make_one_endless() const {
    std::string text = read("tiny.yaml");
    write("endless.yaml", text.replace(text.find("repeat: 2"), 9, "repeat: 900000000"));
    write("endless-experiment.yaml",
          "experiment: endless\nplatform: k20-cusched\napplications: [endless.yaml]\n");
  }
  // Returns a campaign of two points that end and a point between them that does not.
  static Campaign with_an_endless_one() {
    Campaign campaign = small_campaign(2);
    campaign.points.insert(campaign.points.begin() + 1, point({{"experiment", "endless-experiment.yaml"}}));
    return campaign;
  }
};

TEST_F(BatchRuns, OnSeveralThreadsKeepTheSameResults) {
  write("cycle.yaml",
        "experiment: cycle\nplatform: gtx480\napplications: [vecadd4k]\ntermination: once-each\n");
  write("sizes.yaml",
        "campaign: sizes\nexperiment: cycle.yaml\naxes:\n  - product: {sm.count: [9, 15, 12]}\n");
  const Campaign campaign = load_campaign("sizes.yaml");
  BackendOptions options = in("one", 1);
  EXPECT_EQ(run(campaign, options).code, 0);
  options.directory = "three";
  options.jobs = 12;  // at most six runs are left, so that each has two threads or three
  options.threads = 3;
  EXPECT_EQ(run(campaign, options).code, 0);
  EXPECT_EQ(results("three"), results("one"));
}

TEST_F(BatchRuns, KeepsEachRunInADirectoryOfItsOwn) {
  const Campaign campaign = small_campaign(2);
  const Outcome outcome = run(campaign);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 9) << outcome.out;
  EXPECT_NE(outcome.out.find("8/8 ok: jitter=0.2 seed="), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nspread: 2 points, 8 runs, 8 ok, 0 not; results: kept\n"), std::string::npos);
  EXPECT_EQ(count(states("kept"), "ok"), 8u);
  EXPECT_EQ(read("kept/campaign.yaml"), campaign.yaml);
  const Json points = Json::parse(read("kept/points.json"));
  ASSERT_EQ(points["points"].size(), 2u);
  EXPECT_EQ(points["points"][1]["label"], "jitter=0.2 seed=2");
  EXPECT_EQ(points["points"][1]["values"], (Json{{"jitter", "0.2"}}));
  EXPECT_EQ(points["points"][1]["seed"], 2);
  const std::string first = "kept/runs/" + points["points"][0]["runs"][0].get<std::string>();
  for (const char* file :
       {"applications/other.yaml", "applications/tiny.yaml", "checksums", "experiment.yaml", "log",
        "kernels.csv", "platform.yaml", "provenance.json", "result.json", "state.json", "stats.json"})
    EXPECT_TRUE(exists(first + "/" + file)) << file;
  EXPECT_EQ(results("kept").size(), 8u * (1 + 9 + 1) + 2 + 4 * 2 + 4);  // two runs preempt
  const Json result = Json::parse(read(first + "/result.json"));
  EXPECT_FALSE(result.contains("wall_seconds") || result.contains("cpu_seconds"));
  const Json origin = Json::parse(read(first + "/provenance.json"));
  EXPECT_GT(origin["wall_seconds"], 0.0);
  EXPECT_GE(origin["ended"], origin["started"]);
}

TEST_F(BatchRuns, ComputesWhatHeddleRunComputes) {
  Campaign campaign = small_campaign(1);
  ASSERT_EQ(run(campaign).code, 0);
  ASSERT_EQ(heddle("run small.yaml --set jitter=0.2 --seed 1 --out single --cache none").code, 0);
  const Json points = Json::parse(read("kept/points.json"))["points"][0];
  const auto result = [&](const Json& id) {
    return Json::parse(read("kept/runs/" + id.get<std::string>() + "/result.json"));
  };
  const Json summary = Json::parse(read("single/summary.json"));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(result(points["runs"][i])["cycles"], summary["runs"][i]["cycles"]);
    EXPECT_EQ(result(points["alone"][i])["applications"][0]["turnaround_ps"],
              summary["alone"][i]["turnaround_ps"]);
  }
  const std::string run_id = points["runs"][1];
  EXPECT_EQ(read("kept/runs/" + run_id + "/stats.json"), read("single/2-token-imbalance-2/stats.json"));
  const std::string alone_id = points["alone"][1];
  ASSERT_EQ(heddle("run kept/runs/" + alone_id + "/experiment.yaml --out again").code, 0);
  EXPECT_EQ(read("again/1-k20-cusched/stats.json"), read("kept/runs/" + alone_id + "/stats.json"));
}

TEST_F(BatchRuns, AnotherPointAddsItsRunsOnly) {
  ASSERT_EQ(run(small_campaign(2)).code, 0);
  const Outcome none = run(small_campaign(2));
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(std::count(none.out.begin(), none.out.end(), '\n'), 1) << none.out;
  const Outcome more = run(small_campaign(3));
  EXPECT_EQ(more.code, 0);
  EXPECT_NE(more.out.find("\n4/4 ok: "), std::string::npos) << more.out;
  EXPECT_EQ(count(states("kept"), "ok"), 12u);
}

TEST_F(BatchRuns, ARunThatTakesTooLongIsKilledAndItsSiblingsEnd) {
  make_one_endless();
  Campaign campaign = with_an_endless_one();
  campaign.time_limit_ps = 2000000000000;
  const Outcome outcome = run(campaign);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(count(states("kept"), "ok"), 8u);
  EXPECT_EQ(count(states("kept"), "timeout"), 1u);
  const Json status = Json::parse(status_of("kept", true).out);
  EXPECT_EQ(status["states"], (Json{{"ok", 8}, {"timeout", 1}}));
  EXPECT_EQ(status["failures"][0]["log"], "heddle: killed after 2 s, the limit of time");
  EXPECT_EQ(run(campaign).out.find("1/1"), std::string::npos);  // only resume tries the run again
}

TEST_F(BatchRuns, ANanosecondIsTooShortForAnyRun) {
  Campaign campaign = small_campaign(1);
  campaign.time_limit_ps = 1000;
  EXPECT_EQ(run(campaign).code, 3);
  EXPECT_EQ(count(states("kept"), "timeout"), 4u);
  campaign.time_limit_ps.reset();
  const Outcome again = run(campaign, resume("kept"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(count(states("kept"), "ok"), 4u);
}

TEST_F(BatchRuns, ARunThatTakesTooMuchMemoryIsDistinguishedFromOneThatFails) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer has its own idea of memory";
  Campaign campaign = small_campaign(1);
  campaign.memory_bytes = 1 << 20;
  write("large.yaml", "experiment: large\nplatform: gtx480\napplications: [synthetic.yaml]\n");
  write("synthetic.yaml",
        read_file(fs::path(source_directory()) / "stimuli/applications/compute-heavy.yaml"));
  campaign.points = {point({{"experiment", "large.yaml"}})};
  const Outcome outcome = run(campaign);
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  for (const auto& [id, state] : states("kept")) EXPECT_EQ(state, "out-of-memory");
  EXPECT_NE(status_of("kept", false).out.find("out-of-memory: heddle: more than 1 MiB, the limit of memory"),
            std::string::npos);
}

TEST_F(BatchRuns, ARunThatCrashesFailsAlone) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer takes the signal and ends the run with a status";
  make_one_endless();
  const BatchRun batch = start(with_an_endless_one(), in("kept", 1));
  ASSERT_TRUE(eventually([&] {  // four runs have ended, and the present one does not end
    return exists("kept/runs") && count(states("kept"), "ok") == 4 && inputs_written() == 5;
  }));
  const std::vector<pid_t> endless = children_of(batch.pid);
  ASSERT_EQ(endless.size(), 1u);
  ASSERT_EQ(kill(endless.front(), SIGSEGV), 0);
  EXPECT_EQ(await(batch).code, 3);
  EXPECT_EQ(count(states("kept"), "ok"), 8u);
  EXPECT_EQ(count(states("kept"), "failed"), 1u);
  const Json failure = Json::parse(status_of("kept", true).out)["failures"][0];
  EXPECT_EQ(failure["log"], "heddle: the simulation was ended by signal 11");
  EXPECT_TRUE(exists(failure["directory"].get<std::string>() + "/experiment.yaml"));
}

TEST_F(BatchRuns, ARunThatHangsIsKilled) {
  make_endless();
  BackendOptions options = in("kept", 4);
  options.silence = std::chrono::seconds(1);
  Campaign campaign = small_campaign(1);
  campaign.time_limit_ps = 1500000000000;  // only for applications that make progress
  const BatchRun batch = start(campaign, options);
  const std::vector<pid_t> running = simulations(batch, 4, 4);
  ASSERT_EQ(running.size(), 4u);
  kill(running.front(), SIGSTOP);
  EXPECT_EQ(await(batch).code, 3);
  EXPECT_EQ(count(states("kept"), "failed"), 1u);
  EXPECT_EQ(count(states("kept"), "timeout"), 3u);
  EXPECT_NE(status_of("kept", false).out.find("failed: heddle: killed: no message for 1 s"),
            std::string::npos);
}

TEST_F(BatchRuns, WhatCannotBeSimulatedFailsWithItsReason) {
  if (kSanitized) GTEST_SKIP() << "an exception leaves a simulation";
  std::string text = read("tiny.yaml");  // no block starts for 20 ms
  write("tiny.yaml", text.replace(text.find("20us"), 4, "20ms"));
  Campaign campaign = small_campaign(1);
  campaign.points = {point({{"starvation_limit", "1us"}}), point({})};
  EXPECT_EQ(run(campaign).code, 3);
  EXPECT_NE(status_of("kept", false).out.find("starvation_limit=1us: failed: heddle: starvation: "),
            std::string::npos)
      << status_of("kept", false).out;
  EXPECT_EQ(count(states("kept"), "ok"), 5u);  // other.yaml alone too
}

TEST_F(BatchRuns, BadInputIsFoundBeforeAnythingIsMade) {
  Campaign campaign = small_campaign(2);
  campaign.points.push_back(point({{"sm.count", "0"}}));
  const Outcome outcome = run(campaign);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.rfind("heddle: sm.count=0: --set sm.count=0: ", 0), 0u) << outcome.err;
  EXPECT_FALSE(exists("kept"));
  EXPECT_EQ(status_of("kept", false).code, 2);
}

TEST_F(BatchRuns, InterruptionKeepsWhatHasEnded) {
  make_one_endless();
  const std::map<std::string, std::string> none;
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all("kept");
    const BatchRun batch = start(with_an_endless_one(), in("kept", 1), [] { setpgid(0, 0); });
    const std::vector<pid_t> running = simulations(batch, 1, 5);
    ASSERT_EQ(running.size(), 1u);
    kill(-batch.pid, signal);  // as a terminal does
    const Outcome outcome = await(batch);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_EQ(outcome.err, "heddle: interrupted; 4 of 9 runs were done, heddle batch resume goes on\n");
    EXPECT_EQ(count(states("kept"), "ok"), 4u);
    EXPECT_EQ(states("kept").size(), 4u);  // there is no draft
    EXPECT_NE(kill(running.front(), 0), 0) << "a simulation goes on";
    EXPECT_EQ(Json::parse(status_of("kept", true).out)["states"], (Json{{"ok", 4}, {"queued", 5}}));
  }
}

TEST_F(BatchRuns, TwoDriversDoNotWorkAtOneCampaign) {
  make_endless();
  const BatchRun first = start(small_campaign(1), in("kept"));
  simulations(first, 2, 2);
  EXPECT_EQ(Json::parse(status_of("kept", true).out)["states"], (Json{{"running", 2}, {"queued", 2}}));
  const Outcome second = run(small_campaign(1), in("kept"));
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.err.rfind("heddle: kept: process " + std::to_string(first.pid) + " on ", 0), 0u)
      << second.err;
  EXPECT_EQ(children_of(first.pid).size(), 2u);
  kill(first.pid, SIGKILL);
  EXPECT_EQ(await(first).code, 128 + SIGKILL);
  EXPECT_TRUE(eventually([this] {
    const Json states = Json::parse(status_of("kept", true).out)["states"];
    return states == Json{{"lost", 2}, {"queued", 2}};
  }));
}

TEST_F(BatchRuns, FilesThatMayNotGrowLeaveNothingHalfWritten) {
  if (kSanitized) GTEST_SKIP() << "an exception leaves a simulation";
  for (const rlim_t bytes : {0, 1000, 6000, 8000}) {
    const Outcome outcome = run(small_campaign(1), in("kept"), [bytes] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(outcome.code, 3) << bytes;
    if (bytes > 0) {
      EXPECT_EQ(outcome.err.rfind("heddle: cannot write kept/", 0), 0u) << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
    if (!exists("kept/runs")) continue;
    for (const auto& [id, state] : states("kept")) EXPECT_EQ(state, "ok") << id;
  }
  EXPECT_EQ(run(small_campaign(1), in("kept")).code, 0);
  EXPECT_EQ(count(states("kept"), "ok"), 4u);
}

TEST_F(BatchRuns, AnotherPtxIsAnotherRun) {
  const std::string launch =
      "launch: k\nptx: k.ptx\nparameters: {n: 64}\nbuffers: {a: {type: u32, count: n}}\nprogram:\n"
      "  - {launch: k, grid: [1], block: [32], arguments: [a]}\n";
  const auto text = [](const std::string& value) {
    return ".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 a) {\n"
           ".reg .b64 %d; ld.param.u64 %d, [a]; st.global.u32 [%d], " +
           value + "; ret; }\n";
  };
  write("k.yaml", launch);
  write("e.yaml", "experiment: e\nplatform: gtx480\napplications: [k.yaml]\ntermination: once-each\n");
  Campaign campaign = small_campaign(0);
  campaign.experiment = "e.yaml";
  campaign.keys = {"parameters.n"};
  campaign.points = {point({{"parameters.n", "64"}})};
  write("k.ptx", text("1"));
  ASSERT_EQ(run(campaign).code, 0);
  const std::size_t runs = states("kept").size();
  ASSERT_EQ(run(campaign).code, 0);
  EXPECT_EQ(states("kept").size(), runs);
  write("k.ptx", text("2"));
  ASSERT_EQ(run(campaign).code, 0);
  EXPECT_EQ(states("kept").size(), 2 * runs);
}

TEST_F(BatchRuns, AfterAFullDiskItGoesOn) {
  if (kSanitized) GTEST_SKIP() << "an exception leaves a simulation";
  fs::create_directory("disk");
  if (mount("tmpfs", "disk", "tmpfs", 0, "size=200k") != 0) GTEST_SKIP() << "no disk of our own without root";
  const Outcome outcome = run(small_campaign(5), in("disk/kept"));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  // Runs in progress may have left a draft. The next run removes it.
  for (const auto& [id, state] : states("disk/kept"))
    EXPECT_TRUE(state == "ok" || id.find(".partial") != std::string::npos) << id << ": " << state;
  EXPECT_LT(count(states("disk/kept"), "ok"), 20u);
  ASSERT_EQ(mount("tmpfs", "disk", "tmpfs", MS_REMOUNT, "size=20m"), 0);
  EXPECT_EQ(run(small_campaign(5), resume("disk/kept")).code, 0);
  EXPECT_EQ(count(states("disk/kept"), "ok"), 20u);
  EXPECT_EQ(states("disk/kept").size(), 20u);
  EXPECT_EQ(umount("disk"), 0);
}

}  // namespace

}  // namespace heddle::test
