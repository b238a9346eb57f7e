// Which server goes on with whose requests, as an experiment states it.

#include "platforms/experiment/take_overs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace heddle {
namespace {

using testing::HasSubstr;

class TakeOvers : public testing::Test {
 protected:
  TakeOvers()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("heddle-take-overs-{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    for (const char* phase : {"prefill", "decode", "both"})
      std::ofstream(folder_ / fmt::format("{}.yaml", phase))
          << "application: " << phase
          << "\nmeasured_on: k20-cusched\nkernels: {k: {blocks: outputs, threads: 256, time: 45us}}\n"
             "arrivals: {kind: poisson, rate: 10Hz, requests: 5}\n"
             "parameters: {prompt: {distribution: constant, value: 9}, output: {distribution: constant, "
             "value: 3}}\n"
             "batching: {phase: "
          << phase << "}\nprogram: [{launch: k}]\n";
  }
  ~TakeOvers() override { std::filesystem::remove_all(folder_); }

  Experiment load(const std::string& applications, const std::string& lines = "") {
    const std::string file = folder_ / "experiment.yaml";
    std::ofstream(file) << "experiment: n\nplatform: k20-cusched\napplications: [" << applications << "]\n"
                        << lines;
    return load_experiment(file, {});
  }
  std::string problem_of(const std::string& applications, const std::string& lines = "") {
    try {
      load(applications, lines);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

 private:
  const std::filesystem::path folder_;
};

TEST_F(TakeOvers, AServerNamesTheOneWhoseRequestsItGoesOnWith) {
  const Experiment experiment = load(
      "./prefill.yaml, {application: ./decode.yaml, takes_over: {from: prefill, latency: 50us, token: "
      "400ns}}");
  ASSERT_TRUE(experiment.applications[1].takes_over);
  EXPECT_EQ(experiment.applications[1].takes_over->from, 0U);
  EXPECT_EQ(experiment.applications[1].takes_over->latency_ps, 50'000'000U);
  EXPECT_EQ(experiment.applications[1].takes_over->token_ps, 400'000U);
  const MachineSpec together = machine_for(experiment, experiment.variants.front());
  EXPECT_TRUE(together.processes[1].takes_over);
  EXPECT_FALSE(machine_alone(experiment, 1).processes[0].takes_over) << "alone it has requests of its own";
}

TEST_F(TakeOvers, WhatCannotBeHasOneErrorWithItsPlace) {
  const std::string decode = "{application: ./decode.yaml, takes_over: {from: ";
  EXPECT_THAT(problem_of("./prefill.yaml, " + decode + "prefil}}"), HasSubstr("no application 'prefil'"));
  EXPECT_THAT(problem_of("./both.yaml, " + decode + "both}}"), HasSubstr("'both' hands nothing over"));
  EXPECT_THAT(problem_of("./prefill.yaml, {application: ./both.yaml, takes_over: {from: prefill}}"),
              HasSubstr("'both' goes on with no request"));
  EXPECT_THAT(problem_of("./prefill.yaml, " + decode +
                         "prefill}}, {application: ./decode.yaml, name: other, "
                         "takes_over: {from: prefill}}"),
              HasSubstr("already"));
  EXPECT_THAT(problem_of("./prefill.yaml, " + decode + "prefill, latncy: 1us}}"), HasSubstr("latncy"));
}

}  // namespace
}  // namespace heddle
