// The simulations that an experiment needs.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "platforms/cli/verbs/experiment_jobs.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

// Returns which runs alone an experiment with three applications needs, of which the first and the last are
// the same.
ExperimentJobs jobs_with(const std::string& jitter) {
  const fs::path folder = fs::path(testing::TempDir()) / ("experiment-jobs-" + jitter);
  fs::create_directories(folder);
  for (const char* name : {"a", "b"})
    std::ofstream(folder / (std::string(name) + ".yaml"))
        << "application: " << name
        << "\nmeasured_on: k20-cusched\nkernels:\n  k: {threads: 64, registers: 16, shared_memory: 0B, "
           "blocks: 2, time: 5us}\nprogram:\n  - launch: k\n";
  std::ofstream(folder / "experiment.yaml")
      << "experiment: jobs\nplatform: k20-cusched\napplications: [./a.yaml, ./b.yaml, ./a.yaml]\njitter: "
      << jitter << "\n";
  const Experiment experiment = load_experiment((folder / "experiment.yaml").string());
  ExperimentJobs jobs = make_experiment_jobs(experiment, AloneCache("none"), "out", {});
  fs::remove_all(folder);
  return jobs;
}

TEST(ExperimentJobs, ApplicationsThatAreTheSameRunAloneOnce) {
  const ExperimentJobs jobs = jobs_with("0");
  EXPECT_EQ(jobs.alone.size(), 2U);
  EXPECT_EQ(jobs.alone_jobs, (std::vector<std::size_t>{0, 1, 0}));
}

TEST(ExperimentJobs, ApplicationsWhoseTimesAreDrawnEachRunAlone) {
  const ExperimentJobs jobs = jobs_with("0.1");
  EXPECT_EQ(jobs.alone.size(), 3U);
  EXPECT_EQ(jobs.alone_jobs, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace heddle
