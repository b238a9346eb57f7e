// Several runs that write results into one folder at the same time, and what becomes of a whole result.

#include <csignal>
#include <utility>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace heddle::test
