// Which kernels may have blocks that start over, as their application and the experiment state it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"
#include "tests/support/synthetic.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

class Restartable : public testing::Test {
 protected:
  Restartable() { std::filesystem::create_directory(folder_); }
  ~Restartable() override { std::filesystem::remove_all(folder_); }

  // Loads an experiment of one application.
  Experiment load(const std::string& application) const {
    const std::string file = folder_ / "stated.yaml";
    std::ofstream(file) << "experiment: stated\nplatform: gtx480\napplications: [" << application
                        << "]\ntermination: once-each\n";
    return load_experiment(file, {});
  }
  static bool is_restartable(const Experiment& experiment) {
    return experiment.applications[0].application.program.kernels[0].restartable;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heddle-restartable-" + std::to_string(getpid()));
};

bool of_code(const std::string& code, const std::string& more = "") {
  const std::string text =
      "application: a\nbuffers: {x: 1MiB, y: 1MiB}\nkernels:\n  k: {blocks: 4, threads: 64, registers: 24, "
      "code: " +
      code + more + "}\nprogram: [{launch: k}]\n";
  return test::application_of(text).program.kernels[0].restartable;
}

TEST(SyntheticRestart, StoresMustNotMeetLoadsAndNothingMayBeAtomic) {
  const std::string load = "{load: global, pattern: stream, buffer: x}";
  EXPECT_TRUE(of_code("[{op: int_add}]"));
  EXPECT_TRUE(of_code("[" + load + ", {store: global, pattern: stream, buffer: y}]"));
  EXPECT_FALSE(of_code("[" + load + ", {store: global, pattern: stream, buffer: x}]"));
  EXPECT_FALSE(of_code("[" + load + ", {loop: 3, body: [{store: global, pattern: stream, buffer: x}]}]"));
  EXPECT_FALSE(of_code("[{atomic: global, pattern: stream, buffer: y}]"));
}

TEST(SyntheticRestart, TheKeyOverridesTheRule) {
  EXPECT_FALSE(of_code("[{op: int_add}]", ", restartable: off"));
  EXPECT_TRUE(of_code("[{atomic: global, pattern: stream, buffer: y}]", ", restartable: on"));
}

TEST_F(Restartable, AnExperimentStatesItForAllKernelsOfAnApplication) {
  EXPECT_TRUE(is_restartable(load("compute-heavy")));
  const Experiment off = load("{application: compute-heavy, restartable: off}");
  EXPECT_FALSE(is_restartable(off));
  EXPECT_FALSE(is_restartable(load("{application: triad1m, restartable: off}")));
  EXPECT_FALSE(is_restartable(load("triad1m")));
  EXPECT_TRUE(is_restartable(load("{application: triad1m, restartable: on}")));
}

TEST_F(Restartable, OfExecutedKernelsWhatTheyWriteDecides) {
  try {
    load("{application: vector_add, restartable: on}");
    FAIL() << "accepted";
  } catch (const config::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("stated.yaml:3:"));
    EXPECT_THAT(error.what(), HasSubstr("what they write decides whether they are restartable"));
  }
}

}  // namespace
}  // namespace heddle
