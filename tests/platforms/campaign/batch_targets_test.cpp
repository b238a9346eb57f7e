// Campaigns whose runs take their instruction targets from the applications alone.

#include <nlohmann/json.hpp>

#include "tests/platforms/campaign/batch_rig.h"
#include "tests/support/sanitized.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class BatchTargets : public CliTest {
 protected:
  BatchTargets() {
    write("window.yaml",
          "experiment: window\nplatform: fermi-warped-slicer\napplications: [compute-heavy, cache-bound]\n"
          "compare: [{sm_partitioner: left-over}, {sm_partitioner: even}]\n"
          "termination: instructions\nwindow: 3000cycles\ncopies: off\ncpu_phases: off\n");
    write("targets.yaml",
          "campaign: targets\nquestion: Which?\nexperiment: ./window.yaml\n"
          "axes: [{product: {window: [3000cycles, 4000cycles]}}]\nmetrics: [antt, cycles]\n");
  }
};

TEST_F(BatchTargets, ARunWaitsForItsApplicationsAlone) {
  const Outcome outcome = heddle("batch run targets.yaml --dir kept --jobs 2");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 points, 8 runs, 8 ok"), std::string::npos) << outcome.out;
}

TEST_F(BatchTargets, TheResultIsThatOfARunOfItsOwn) {
  ASSERT_EQ(heddle("batch run targets.yaml --dir kept").code, 0);
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  const Outcome own = heddle("run window.yaml --json --cache none");
  const auto summary = nlohmann::json::parse(own.out);
  const std::string rows = rows_of(directory_ / "kept/results.sqlite", "select cycles from targets");
  EXPECT_EQ(rows.substr(0, rows.find('\n')), summary["runs"][0]["cycles"].dump() + ".0") << rows;
}

TEST_F(BatchTargets, WhereOneAloneHasFailedItsRunsSayWhich) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer needs more memory than the limit";
  write("targets.yaml", read("targets.yaml") + "limits: {memory: 64KiB}\n");  // too little for any run
  const Outcome outcome = heddle("batch run targets.yaml --dir kept");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE((outcome.out + outcome.err).find("0 ok, 8 not"), std::string::npos) << outcome.out;
  bool says = false;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / "kept/runs"))
    if (entry.path().filename() == "log")
      says = says ||
             read(fs::relative(entry.path(), directory_))
                     .find("alone: failed; it would tell how many instructions to run") != std::string::npos;
  EXPECT_TRUE(says);
}

TEST_F(BatchTargets, ResumeRunsWhatFailedAloneFirst) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer needs more memory than the limit";
  const std::string campaign = read("targets.yaml");
  write("targets.yaml", campaign + "limits: {memory: 64KiB}\n");
  EXPECT_EQ(heddle("batch run targets.yaml --dir kept").code, 3);
  write("targets.yaml", campaign);
  const Outcome outcome = heddle("batch run targets.yaml --dir kept");
  EXPECT_EQ(outcome.code, 3);  // a run that failed is not tried again
  const Outcome resumed = heddle("batch resume kept");
  EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
}

}  // namespace
}  // namespace heddle::test
