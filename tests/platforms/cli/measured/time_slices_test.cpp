// The defaults of `time-slice` by platform, beside measurements of processes that share a card in time.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class TimeSlices : public CliTest {
 protected:
  Json runs_of(const std::string& words) const {
    const Outcome run = heddle("run " + words + " --json --out results");
    EXPECT_EQ(run.code, 0) << run.err;
    std::filesystem::remove_all(directory_ / "results");
    return run.code == 0 ? Json::parse(run.out)["runs"] : Json::array();
  }
  // Writes share.yaml, which runs the application of app.yaml so often under time slices without parameters.
  void write_share(const std::string& platform, int processes, const std::string& ends) const {
    std::string applications;
    for (int i = 0; i < processes; ++i) applications += std::string(i == 0 ? "" : ", ") + "./app.yaml";
    write("share.yaml", "experiment: share\nplatform: " + platform + "\napplications: [" + applications +
                            "]\npolicies: {sm_partitioner: time-slice, preemption: switch}\n" + ends);
  }
};

// One inference of YOLOS-small without a pause in each pod on an A100: seconds by the number of pods, of
// nebuly-ai/nos, gpu-sharing-comparison.
TEST_F(TimeSlices, OfAnA100LieWithinThreePerCentOfRequestsOfSeveralPods) {
  write("app.yaml",
        "application: yolos\nmeasured_on: a100-timed\n"
        "kernels: {layer: {blocks: 1080, threads: 256, registers: 64, time: 0.87ms}}\n"
        "arrivals: {kind: closed, think_time: 0s, requests: 2, warm_up: 1}\n"
        "program: [{repeat: 100, body: [{launch: layer}]}, {synchronise: all}]\n");
  double alone = 0;
  for (const auto& [pods, seconds] : {std::pair{1, 0.08815}, std::pair{3, 0.29314}, std::pair{7, 0.68488}}) {
    write_share("a100-timed", pods, "");
    const Json runs = runs_of("share.yaml");
    ASSERT_EQ(runs.size(), 1u);
    const double mean = runs[0]["applications"][0]["requests"]["response"]["mean_ps"].get<double>() * 1e-12;
    if (pods == 1) alone = mean;
    // The time alone is an input: what is compared is how it grows.
    EXPECT_NEAR(mean / alone / (seconds / 0.08815), 1, 0.03) << pods;
  }
}

// Six processes on an RTX 5090, kernels of 12.96 ms (eunomia-bpf/gpu_ext): those that wait for six turns of
// the others take 82.3 ms, those that wait for seven 93.5.
TEST_F(TimeSlices, OfCardsSinceVoltaLieWithinThreePerCentOfKernelsBesideFiveOtherProcesses) {
  write("app.yaml",
        "application: six\nmeasured_on: gv100-timed\n"
        "kernels: {work: {blocks: 640, threads: 256, registers: 32, time: 12.96ms}}\n"
        "arrivals: {kind: closed, think_time: 0s, requests: 14, warm_up: 2}\n"
        "program: [{launch: work}, {synchronise: all}]\n");
  write_share("gv100-timed", 6, "copies: off\ncpu_phases: off\n");
  const Json runs = runs_of("share.yaml");
  ASSERT_EQ(runs.size(), 1u);
  // Of 400 launches 247 wait for six turns and 137 for seven.
  const double mean = runs[0]["applications"][0]["requests"]["response"]["mean_ps"].get<double>() * 1e-9;
  EXPECT_GT(mean, 0.97 * 82.3);
  EXPECT_LT(mean, 1.03 * 93.5);
}

TEST_F(TimeSlices, AChoiceThatStatesAParameterKeepsTheOthersOfThePlatform) {
  write("app.yaml", small_application("app", 4));
  write("share.yaml",
        "experiment: share\nplatform: k40-timed\napplications: [./app.yaml]\n"
        "compare:\n  - {sm_partitioner: time-slice}\n"
        "  - {sm_partitioner: {name: time-slice, quantum: 1ms}}\n");
  const Outcome run = heddle("run share.yaml --out results");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string resolved = read("results/experiment.yaml");
  EXPECT_THAT(resolved, HasSubstr("quantum: 2000"));
  EXPECT_THAT(resolved, HasSubstr("quantum: 1000"));
  EXPECT_THAT(resolved, HasSubstr("switch_cost: 50"));
}

TEST_F(TimeSlices, BadDefaultsOfAPlatformAreErrorsAtTheirPlace) {
  const auto error_of = [&](const std::string& defaults) {
    write("card.yaml", "platform: card\ndescription: d\nbase: k40-timed\npolicy_defaults: {sm_partitioner: " +
                           defaults + "}\n");
    const Outcome outcome = heddle("check ./card.yaml");
    EXPECT_EQ(outcome.code, 2) << defaults;
    return outcome.err;
  };
  EXPECT_THAT(error_of("{time-slices: {quantum: 1ms}}"), HasSubstr("card.yaml:4:"));
  EXPECT_THAT(error_of("{time-slices: {quantum: 1ms}}"), HasSubstr("did you mean 'time-slice'?"));
  EXPECT_THAT(error_of("{time-slice: {quantums: 1}}"), HasSubstr("did you mean 'quantum'?"));
  EXPECT_THAT(error_of("{time-slice: {quantum: 0us}}"), HasSubstr("it must lie in 1 .. "));
}

}  // namespace
}  // namespace heddle::test
