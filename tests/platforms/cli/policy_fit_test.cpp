// Policies of a platform that do not fit it as it is set, where every run of an experiment has another one.

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class PolicyFit : public CliTest {
 protected:
  PolicyFit() {
    write_small();
    write("own.yaml",
          "base: k20-cusched\nplatform: own\ndescription: one queue\nqueues: {count: 1}\n"
          "policies: {command_arbiter: single-queue}\n");
    experiment("", "  - {sm_partitioner: fcfs-s}\n  - {sm_partitioner: ppq}\n");
  }
  void experiment(const std::string& policies, const std::string& compare) const {
    write("small.yaml", "experiment: small\nplatform: own.yaml\napplications: [tiny.yaml, other.yaml]\n" +
                            policies + (compare.empty() ? "" : "compare:\n" + compare));
  }
  Json run(const std::string& words) const {
    const Outcome outcome =
        heddle("run small.yaml --json --cache none --set queues.count=8 --out kept " + words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::filesystem::remove_all(directory_ / "kept");
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
  void expect_refused(const std::string& words, const std::string& message) const {
    const Outcome outcome = heddle("check small.yaml " + words);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_EQ(outcome.err, "heddle: " + message + "\n");
  }
};

constexpr const char* kQueues = "command_arbiter single-queue needs queues.count: 1, which is 8";

TEST_F(PolicyFit, OneThatSomeRunHasIsRefusedWhereThePlatformNamesIt) {
  const std::string message = "own.yaml:5:29: policies.command_arbiter: " + std::string(kQueues);
  expect_refused("--set queues.count=8", message);
  experiment("", "  - {sm_partitioner: fcfs-s}\n  - {sm_partitioner: ppq, command_arbiter: hyper-q}\n");
  expect_refused("--set queues.count=8", message);
}

TEST_F(PolicyFit, OneThatEveryRunReplacesGivesWayInApplicationsAloneToo) {
  const std::string own = read("own.yaml");
  write("own.yaml",
        "base: k20-cusched\nplatform: own\ndescription: one queue\nqueues: {count: 1}\n"
        "policies: {command_arbiter: hyper-q}\n");
  const Json expected = run("");
  ASSERT_EQ(expected["runs"].size(), 2u);
  write("own.yaml", own);
  EXPECT_EQ(run("--policy command_arbiter=hyper-q"), expected);
  experiment("policies: {command_arbiter: hyper-q}\n",
             "  - {sm_partitioner: fcfs-s}\n  - {sm_partitioner: ppq}\n");
  EXPECT_EQ(run(""), expected);
  experiment("",
             "  - {sm_partitioner: fcfs-s, command_arbiter: hyper-q}\n"
             "  - {sm_partitioner: ppq, command_arbiter: hyper-q}\n");
  EXPECT_EQ(run(""), expected);
}

TEST_F(PolicyFit, OneThatOnlyApplicationsAloneHaveIsRefused) {
  write("own.yaml",
        "base: k20-cusched\nplatform: own\ndescription: quotas for three SMs\n"
        "policies: {sm_partitioner: {name: fixed, quotas: [[8], [8], [8]]}}\n");
  expect_refused(
      "--set sm.count=2",
      "small.yaml:1:1: applications alone run under the platform's policies: fixed: quotas has 3 lists for "
      "2 SMs");
  experiment("policies: {sm_partitioner: ppq}\n", "");
  EXPECT_EQ(heddle("check small.yaml --set sm.count=2").code, 0);
}

}  // namespace
}  // namespace heddle::test
