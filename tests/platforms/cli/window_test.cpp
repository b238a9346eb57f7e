// Termination by instruction counts: an application alone in a window, and its instructions beside others.

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kExperiment =
    "experiment: window\nplatform: fermi-warped-slicer\napplications: [compute-heavy, cache-bound]\n"
    "compare: [{sm_partitioner: left-over}, {sm_partitioner: even}]\n"
    "termination: instructions\nwindow: 9000cycles\ncopies: off\ncpu_phases: off\n";

// ^Instructions beyond a target until the SMs are notified: two per cycle and SM.
constexpr std::uint64_t kOvershoot = 16 * 2 * 20;

class Window : public CliTest {
 protected:
  Window() { write("window.yaml", kExperiment); }
  Json run(const std::string& words) {
    const Outcome outcome =
        heddle("run window.yaml --json --out out" + std::to_string(++runs_) + " " + words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  Json alone(const std::string& application) {
    return run("--set applications=[" + application + "] --policy sm_partitioner=fcfs-s");
  }

 private:
  int runs_ = 0;
};

TEST_F(Window, AloneAnApplicationRunsForTheWindowToTheCycle) {
  const Json summary = alone("compute-heavy");
  EXPECT_EQ(summary["cycles"], 9000);
  EXPECT_GT(summary["warp_instructions"], 100000);
}

TEST_F(Window, BesideAnotherItEndsAtTheInstructionsThatItHadIssuedThen) {
  const Json together = run("--cache none");
  for (const char* name : {"compute-heavy", "cache-bound"}) {
    const std::uint64_t target = alone(name)["warp_instructions"];
    for (const Json& one : together["runs"])
      for (const Json& application : one["applications"]) {
        if (application["application"] != name) continue;
        const std::uint64_t issued = application["warp_instructions"];
        EXPECT_GE(issued, target);
        EXPECT_LE(issued, target + kOvershoot);
        EXPECT_GE(application["ntt"], 0.999);
        EXPECT_EQ(application["completions"], 1);
      }
  }
  EXPECT_GT(together["runs"][0]["cycles"], 9000);
}

TEST_F(Window, WhatWasIssuedAloneIsRememberedWithTheTime) {
  const Json first = run("--cache kept");
  EXPECT_EQ(run("--cache kept"), first);
  EXPECT_NE(run("--cache kept --set window=8000cycles")["runs"], first["runs"]);
}

TEST_F(Window, ARunRepeatsFromItsOwnDirectory) {
  const Json first = run("");
  const Outcome again = heddle("run out1/experiment.yaml --json --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out), first);
}

TEST_F(Window, TheOrderOfConstructionLeavesNoTrace) {
  EXPECT_EQ(run("--build-reversed --cache none"), run("--cache none"));
}

// The end of an application cuts one profile short.
TEST_F(Window, AProfilesShareOfARunIsFromItsStartToWhatEndsIt) {
  write("sliced.yaml",
        "experiment: sliced\nplatform: fermi-warped-slicer\napplications: [compute-heavy, cache-bound]\n"
        "compare:\n"
        "  - {sm_partitioner: {name: warped-slicer, sample: 250, warm_up: 1000, profile: 500}}\n"
        "  - {sm_partitioner: {name: warped-slicer, sample: 250, warm_up: 1000, profile: 90000}}\n"
        "termination: instructions\nwindow: 6000cycles\ncopies: off\ncpu_phases: off\n");
  const Outcome outcome = heddle("run sliced.yaml --json --out sliced --cache none");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json runs = Json::parse(outcome.out)["runs"];
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& decisions = runs[i]["decisions"];
    ASSERT_EQ(decisions.size(), 2) << decisions;
    EXPECT_EQ(decisions[0]["kind"], "profile");
    EXPECT_EQ(decisions[1]["kind"] == "alone", i == 1) << decisions[1];
    const double profile = decisions[1]["cycle"].get<double>() - decisions[0]["cycle"].get<double>();
    EXPECT_GT(profile, i == 0 ? 1500 : 9000);
    EXPECT_DOUBLE_EQ(runs[i]["profiled"], profile / runs[i]["cycles"].get<double>());
  }
}

// The faster application has done its share then, and the other one less. The least speed-up of that time is
// more than that of the whole run, which is the window over its length.
TEST_F(Window, TheLeastSpeedupWhileAllRunIsThatOfTheTimeUntilTheFirstTarget) {
  const Json together = run("--cache none");
  for (const Json& run : together["runs"]) {
    const Json& both = run["applications"];
    double least = 1e9;
    std::size_t done = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(both[i]["shared_ps"], both[0]["shared_ps"]);
      const double share =
          both[i]["shared_instructions"].get<double>() / both[i]["warp_instructions"].get<double>();
      if (share > 0.99) ++done;
      least = std::min(least, share * together["alone"][i]["turnaround_ps"].get<double>() /
                                  both[i]["shared_ps"].get<double>());
    }
    EXPECT_EQ(done, 1u);
    EXPECT_DOUBLE_EQ(run["shared_minimum_speedup"], least);
    EXPECT_NE(run["shared_minimum_speedup"], run["minimum_speedup"]);
  }
}

TEST_F(Window, AWindowInWhichNothingIsIssuedFailsTheRun) {
  const Outcome outcome = heddle("run window.yaml --cache none --set window=100cycles");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("compute-heavy alone issues no instruction within the window"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Window, WhatCannotBeIsSaid) {
  const Outcome none = heddle("check window.yaml --set window=0cycles");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("window"), std::string::npos) << none.err;
  const Outcome timed = heddle("check window.yaml --set platform=k20-cusched --set applications=[lbm]");
  EXPECT_EQ(timed.code, 2);
  EXPECT_NE(timed.err.find("timed SMs execute no instructions"), std::string::npos) << timed.err;
  const Outcome unused = heddle("check window.yaml --set termination=once-each");
  EXPECT_EQ(unused.code, 2);
  EXPECT_NE(unused.err.find("window"), std::string::npos) << unused.err;
}

}  // namespace
}  // namespace heddle::test
