// Several runs that write results into one folder at the same time, and what becomes of a whole result and of
// one that is interrupted.

#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

using testing::EndsWith;
using testing::MatchesRegex;

class ResultsFolder : public CliTest {
 protected:
  ResultsFolder() {
    write_small();
    std::string text = read("tiny.yaml");  // takes about a second of host time
    write("tiny.yaml", text.replace(text.find("repeat: 2"), 9, "repeat: 3000"));
    fs::create_directory(directory_ / "cache");
    fs::create_directory(directory_ / "cache" / "second");
  }

  // Runs heddle, and calls `act` while the program is stopped, once its first run writes into `draft`. Until
  // then, it may still look whether the name of the results is free.
  Outcome meanwhile(const std::string& words, const std::string& draft, const std::function<void()>& act) {
    Surroundings surroundings;
    surroundings.meanwhile = [&](pid_t program) {
      EXPECT_TRUE(eventually([&] { return exists(draft) && !fs::is_empty(directory_ / draft); }));
      kill(program, SIGSTOP);
      const fs::path first = std::exchange(captured_, directory_ / "cache" / "second");
      act();
      captured_ = first;
      kill(program, SIGCONT);
    };
    return heddle(words, surroundings);
  }

  void expect_whole(const std::string& results) const {
    EXPECT_TRUE(exists(results + "/summary.json") && exists(results + "/2-token-imbalance-2/stats.json"))
        << results;
  }
};

TEST_F(ResultsFolder, RunsThatStartTogetherHaveNamesOfTheirOwn) {
  const Outcome first = meanwhile("run small.yaml", "results/small.partial", [&] {
    const Outcome second = heddle("run small.yaml");
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_NE(second.out.find("\nresults: results/small-2\n"), std::string::npos) << second.out;
  });
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("\nresults: results/small\n"), std::string::npos) << first.out;
  expect_whole("results/small");
  expect_whole("results/small-2");
}

TEST_F(ResultsFolder, APathThatAnotherRunWritesToIsRefusedBeforeAnythingRuns) {
  const Outcome first = meanwhile("run small.yaml --out kept", "kept.partial", [&] {
    const Outcome second = heddle("run small.yaml --out kept/");
    EXPECT_EQ(second.code, 2);
    EXPECT_EQ(
        second.err,
        "heddle: kept: kept.partial exists: another run writes there, or one was killed; choose another "
        "directory with --out\n");
  });
  EXPECT_EQ(first.code, 0) << first.err;
  expect_whole("kept");
}

TEST_F(ResultsFolder, WhatAKilledRunHasLeftIsNeitherTakenNorRemoved) {
  fs::create_directories(directory_ / "results/small.partial");
  write("results/small.partial/notes", "mine");
  EXPECT_EQ(heddle("run small.yaml").code, 0);
  expect_whole("results/small-2");
  EXPECT_EQ(read("results/small.partial/notes"), "mine");
}

TEST_F(ResultsFolder, AWholeResultStaysWhereItsNameWasTaken) {
  const Outcome outcome = meanwhile("run small.yaml --out kept", "kept.partial", [&] {
    fs::create_directory(directory_ / "kept");
    write("kept/notes", "mine");
  });
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(
      outcome.err,
      "heddle: cannot rename kept.partial to kept: Directory not empty; the results stay in kept.partial\n");
  expect_whole("kept.partial");
  EXPECT_EQ(read("kept/notes"), "mine");
}

TEST_F(ResultsFolder, AnInterruptionKeepsTheRunsThatHaveEnded) {
  // The applications alone run first, then one variant after the other.
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all(directory_ / "kept");
    Surroundings surroundings;
    surroundings.meanwhile = [&](pid_t program) {
      EXPECT_TRUE(eventually([&] { return exists("kept.partial/2-token-imbalance-2"); }));
      kill(program, signal);
    };
    const Outcome outcome = heddle("run small.yaml --jobs 1 --out kept", surroundings);
    EXPECT_EQ(outcome.code, 130);
    EXPECT_THAT(outcome.err,
                EndsWith("heddle: interrupted; 1 of 2 runs were kept, missing: token, imbalance=2\n"));
    EXPECT_NE(outcome.out.find("\nMissing, because the experiment was interrupted: token, imbalance=2\n"),
              std::string::npos)
        << outcome.out;
    EXPECT_TRUE(exists("kept/1-fcfs-s/stats.json"));
    EXPECT_FALSE(exists("kept/2-token-imbalance-2"));
    EXPECT_FALSE(exists("kept.partial"));
    const auto summary = nlohmann::json::parse(read("kept/summary.json"));
    EXPECT_EQ(summary["missing"], nlohmann::json({"token, imbalance=2"}));
    ASSERT_EQ(summary["runs"].size(), 1U);
    EXPECT_EQ(nlohmann::json::parse(read("kept/provenance.json"))["runs"].size(), 1U);
    // What is kept is what the whole experiment has, and the experiment can be run from it.
    ASSERT_EQ(heddle("run kept/experiment.yaml --out whole").code, 0);
    EXPECT_EQ(read("whole/1-fcfs-s/stats.json"), read("kept/1-fcfs-s/stats.json"));
    const auto whole = nlohmann::json::parse(read("whole/summary.json"));
    EXPECT_EQ(whole["runs"][0], summary["runs"][0]);
    EXPECT_FALSE(whole.contains("missing"));
    fs::remove_all(directory_ / "whole");
  }
}

TEST_F(ResultsFolder, AnInterruptionBeforeARunHasEndedKeepsNothingButTimesAlone) {
  Surroundings surroundings;
  surroundings.meanwhile = [&](pid_t program) {
    EXPECT_TRUE(eventually([&] { return exists("kept.partial/1-fcfs-s"); }));
    kill(program, SIGINT);
  };
  const Outcome outcome = heddle("run small.yaml --jobs 1 --out kept", surroundings);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, MatchesRegex("(heddle: fcfs-s: interrupted in core cycle [0-9]+\n)?"
                                        "heddle: interrupted; nothing was kept\n"));
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(exists("kept") || exists("kept.partial"));
  const auto cached = std::distance(fs::recursive_directory_iterator(directory_ / "cache"),
                                    fs::recursive_directory_iterator());
  EXPECT_GE(cached, 3);  // of both applications, and the folder `second`
}

}  // namespace
}  // namespace heddle::test
