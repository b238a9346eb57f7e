// How runs without a label are named.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "platforms/experiment/experiment.h"

namespace heddle {
namespace {

// Loads an experiment of one application on gtx480, with these lines after it.
Experiment load(const std::string& lines, const Overrides& overrides = {}) {
  const std::string name = fmt::format("heddle-run-names-{}.yaml", ::getpid());  // tests run side by side
  const std::string file = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(file) << "experiment: n\nplatform: gtx480\napplications: [compute-heavy]\n" << lines;
  Experiment experiment = load_experiment(file, overrides);
  std::filesystem::remove(file);
  return experiment;
}

std::string name_of(const std::string& lines, const Overrides& overrides = {}) {
  return variant_label(load(lines, overrides), 0);
}

TEST(RunName, OfTheOnlyRunIsThePlatformsIfNothingDiffersFromIt) {
  EXPECT_EQ(name_of(""), "gtx480");
  EXPECT_EQ(name_of("policies: {sm_partitioner: {name: left-over, contexts: one}, warp_scheduler: gto}\n"),
            "gtx480");
  EXPECT_EQ(name_of("jitter: 0\n", {{}, {"submission=direct"}, {}, {}}), "gtx480");
}

TEST(RunName, OfTheOnlyRunIsWhatDiffersFromThePlatform) {
  EXPECT_EQ(name_of("", {{"sm.count=8"}, {}, {}, {}}), "sm.count=8");
  EXPECT_EQ(name_of("", {{}, {"sm_partitioner=token"}, {}, {}}), "token");
  EXPECT_EQ(
      name_of("", {{"sm.count=8", "jitter=0.1"}, {"warp_scheduler=lrr", "sm_partitioner=fcfs-s"}, {}, {}}),
      "fcfs-s, warp_scheduler=lrr, sm.count=8");
  EXPECT_EQ(name_of("policies: {sm_partitioner: {name: token, imbalance: 2}}\n"), "token, imbalance=2");
}

TEST(RunName, SaysTheParametersInWhichThePolicyOfThePlatformDiffers) {
  EXPECT_EQ(name_of("policies: {sm_partitioner: left-over}\n"), "left-over, contexts=several");
}

TEST(RunName, OfSeveralRunsIsWhatDiffersBetweenThem) {
  const Experiment schedulers = load("compare: [{warp_scheduler: gto}, {warp_scheduler: lrr}]\n");
  EXPECT_EQ(variant_label(schedulers, 0), "warp_scheduler=gto");
  EXPECT_EQ(variant_label(schedulers, 1), "warp_scheduler=lrr");
  const Experiment both = load(
      "policies: {preemption: switch}\n"
      "compare: [{sm_partitioner: fcfs-s}, {sm_partitioner: {name: left-over, contexts: one}, dma_arbiter: "
      "priority}]\n");
  EXPECT_EQ(variant_label(both, 0), "fcfs-s, dma_arbiter=fcfs");
  EXPECT_EQ(variant_label(both, 1), "left-over, contexts=one, dma_arbiter=priority");
}

}  // namespace
}  // namespace heddle
