// A split GPU from its YAML to the results: the policies of `instances`, and the section `mig` of a platform.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class InstancesRun : public CliTest {
 protected:
  // A server and a job on the two halves of an A100.
  void write_experiment(const std::string& instances) const {
    write("halves.yaml",
          "experiment: halves\n"
          "platform: a100-timed\n"
          "applications:\n"
          "  - {application: answers, arrivals: {kind: periodic, period: 20ms, requests: 20, warm_up: 2}}\n"
          "  - training\n"
          "policies: {sm_partitioner: left-over, instances: " +
              instances + "}\n");
  }
};

TEST_F(InstancesRun, ResultsNameApplicationsInTheOrderOfTheExperimentAndRowsTheirInstance) {
  write_experiment("{name: mig, profiles: [2g.10gb, 3g.20gb], instance_of: [1, 0]}");
  const Outcome run = heddle("run halves.yaml --json --timeline --interval 10ms --out results");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json applications = Json::parse(run.out)["runs"][0]["applications"];
  EXPECT_EQ(applications[0]["application"], "answers");
  EXPECT_EQ(applications[0]["requests"]["measured"]["served"], 18);
  EXPECT_EQ(applications[1]["application"], "training");
  const std::string folder =
      "results/1-left-over-contexts-several-instances-mig-profiles-2g-10gb-3g-20gb-instance-of-1-0";
  EXPECT_THAT(read(folder + "/kernels.csv"), StartsWith("instance,launch,application,"));
  EXPECT_THAT(read(folder + "/kernels.csv"), HasSubstr("\n1,0,answers,prefill"));
  EXPECT_THAT(read(folder + "/kernels.csv"), HasSubstr("\n0,0,training,forward"));
  EXPECT_THAT(read(folder + "/requests.csv"), HasSubstr("\nanswers,0,2,"));
  EXPECT_THAT(read(folder + "/series.csv"), HasSubstr("instance1.applications.answers.prefill.blocks_done"));
  EXPECT_THAT(read(folder + "/stats.json"), HasSubstr("instance0.gpu.occupancy"));
  EXPECT_TRUE(exists(folder + "/timeline.perfetto-trace"));
}

TEST_F(InstancesRun, AProfileThatDoesNotExistIsSaidAtItsPlace) {
  write_experiment("{name: mig, profiles: [2g.10gb, 5g.25gb]}");
  const Outcome run = heddle("run halves.yaml --out results");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("halves.yaml:6:"));
  EXPECT_THAT(run.err, HasSubstr("there is no profile '5g.25gb'; the platform has 1g.5gb, 1g.10gb"));
}

TEST_F(InstancesRun, PoliciesFitEachInstance) {
  write_experiment("mig, preemption: {name: drain}");
  write("green.yaml",
        read("halves.yaml") + "compare: [{sm_partitioner: {name: green-context, sms: [50]}}]\n");
  const Outcome run = heddle("run green.yaml --out results");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("instance 0: green-context: sms take 50 SMs after rounding up"));
}

TEST_F(InstancesRun, ChannelsSplitIntoTheMemorySlices) {
  const Outcome run = heddle("check a100-timed --set mig.memory_slices=7");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("mig.memory_slices: 40 channels do not split into 7 parts"));
}

TEST_F(InstancesRun, APlatformWithoutProfilesSaysSo) {
  const Outcome run = heddle("run parboil-mix --policy instances=mig --out results");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("mig: the platform has no section mig"));
}

}  // namespace
}  // namespace heddle::test
