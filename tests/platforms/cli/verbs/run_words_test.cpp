// What a word of the command line stands for, and what a run says about choices that change nothing.

#include <gtest/gtest.h>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class RunWords : public CliTest {
 protected:
  RunWords() {
    write("two.yaml",
          "experiment: two\nplatform: gtx480\napplications: [vecadd4k, vector_add]\n"
          "compare: [{sm_partitioner: fcfs-s}, {sm_partitioner: spatial}]\n");
  }
  Outcome well(const std::string& words) const {
    Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 0) << words << ": " << outcome.err;
    return outcome;
  }
};

TEST_F(RunWords, ATraceRunsByName) {
  const Outcome outcome = well("run vecadd4k --platform gtx480 --out r");
  EXPECT_TRUE(contains(outcome.out, "Time of vecadd4k")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "ANTT")) << "nothing is beside it";
}

TEST_F(RunWords, AnApplicationRunsOnThePlatformItWasMeasuredOn) {
  const Outcome outcome = well("run sgemm --out r");
  EXPECT_EQ(outcome.out.rfind("k20-cusched\n", 0), 0u) << outcome.out;
  EXPECT_EQ(well("run sgemm --platform k40 --set sm.model=timed --out other").out.rfind("k40\n", 0), 0u);
}

TEST_F(RunWords, ChecksNamesOfEveryKind) {
  EXPECT_TRUE(contains(well("check sgemm").out, "application sgemm: "));
  EXPECT_TRUE(contains(well("check cache-bound --platform gtx1080").out, "on gtx1080\n"));
  EXPECT_TRUE(contains(well("check vecadd4k --platform gtx480").out, "\nvecadd  gtx480         1      16 "));
  EXPECT_TRUE(contains(well("check vector_add").out, "launch file vector_add: "));
  EXPECT_TRUE(contains(well("check parboil-mix").out, "run 3: token"));
  EXPECT_TRUE(contains(well("check cusched-mixes").out, "315 points"));
  EXPECT_TRUE(contains(well("check cruz").out, "paper cruz: "));
}

TEST_F(RunWords, EqualSetsOfPoliciesAreTold) {
  const Outcome outcome = well("check two.yaml --set compare=[]");
  EXPECT_FALSE(contains(outcome.out, "note: ")) << outcome.out;
  const Outcome merged = well("run two.yaml --policy sm_partitioner=spatial --out r");
  EXPECT_EQ(
      merged.err,
      "note: compare[1] has the policies of run 1, which stands for both\n"
      "note: the policies had nothing to divide; command_arbiter single-queue runs one application at a "
      "time, so nothing was shared\n");
}

TEST_F(RunWords, PoliciesThatDecideNothingAreTold) {
  EXPECT_EQ(well("run two.yaml --policy command_arbiter=single-queue --out r").err,
            "note: all 2 runs took the same time: the policies in which they differ decided nothing; "
            "command_arbiter single-queue runs one application at a time, so nothing was shared\n");
  EXPECT_EQ(well("run two.yaml --policy command_arbiter=hyper-q --set queues.count=2 --out s").err, "")
      << "the partitioners differ";
}

TEST_F(RunWords, ASeedThatDrawsNothingIsTold) {
  EXPECT_TRUE(contains(well("run vecadd4k --platform gtx480 --seed 3 --out r").err,
                       "note: --seed 3 changes nothing: only the times of measured kernels are drawn"));
  EXPECT_EQ(well("run sgemm --seed 3 --set jitter=0.1 --out s").err, "");
}

TEST_F(RunWords, SeedsOfACampaignThatDrawNothingAreTold) {
  const std::string because =
      ": only the times of measured kernels are drawn, where 'jitter' is above 0, and arrivals and "
      "parameters of requests; a mix has its own "
      "mix.seed\n";
  const auto campaign = [this](const std::string& jitter) {
    write_small();
    write("c.yaml", "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {jitter: " + jitter +
                        "}\nseeds: [1, 2]\nmetrics: [stp]\n");
  };
  campaign("[0]");
  EXPECT_EQ(well("batch plan c.yaml").err, "note: the seeds change nothing" + because);
  EXPECT_EQ(well("batch plan c.yaml --json").out.front(), '{');
  EXPECT_EQ(well("check c.yaml").err, "note: the seeds change nothing" + because);
  EXPECT_EQ(well("batch run c.yaml --quiet").err, "note: the seeds change nothing" + because);
  campaign("[0, 0.1]");
  EXPECT_EQ(well("batch plan c.yaml").err, "note: the seeds change nothing in 2 of 4 points" + because);
  campaign("[0.1]");
  EXPECT_EQ(well("batch plan c.yaml").err, "");
}

TEST_F(RunWords, AFileNeedsNoEnding) {
  write_small();
  write("mine",
        "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, 13]}\nmetrics: [stp]\n");
  write("whole", small_experiment());
  EXPECT_TRUE(contains(well("check mine").out, "c: 2 points, 4 runs"));
  EXPECT_TRUE(contains(well("check whole").out, "experiment small"));
}

TEST_F(RunWords, ANameOfTwoKindsIsTold) {
  const Outcome outcome = well("check preemption");
  EXPECT_EQ(outcome.out.rfind("experiment preemption\n", 0), 0U);
  EXPECT_TRUE(contains(outcome.err,
                       "note: another 'preemption' is a campaign: heddle batch run preemption; "
                       "heddle check "))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "/stimuli/campaigns/preemption.yaml checks it\n")) << outcome.err;
  EXPECT_EQ(well("check schedulers-by-sms").err, "");
}

TEST_F(RunWords, ThreadsThatGainNothingAreTold) {
  EXPECT_EQ(
      well("run sgemm --threads 4 --out timed").err,
      "note: --threads 4: one thread is used, because the SMs of k20-cusched are timed, and what is left of "
      "a run is little\n");
  EXPECT_EQ(
      well("run vecadd4k --platform gtx480 --set sm.count=2 --threads 2 --out small").err,
      "note: --threads 2: one thread is used, because gtx480 has 2 SMs, and fewer than 8 are not worth a "
      "second thread\n");
  EXPECT_EQ(well("run vecadd4k --platform gtx480 --threads 2 --out more").err, "");
}

TEST_F(RunWords, ThreadsAreFrom1To64) {
  for (const char* threads : {"0", "65", "-1", "two"}) {
    const Outcome outcome = heddle(std::string("run sgemm --out r --threads ") + threads);
    EXPECT_NE(outcome.code, 0) << threads;
    EXPECT_TRUE(contains(outcome.err, "--threads")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  const Outcome functional = heddle("run vector_add --functional --threads 2");
  EXPECT_TRUE(contains(functional.err, "--threads has no meaning")) << functional.err;
}

}  // namespace
}  // namespace heddle::test
