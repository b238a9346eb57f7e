// What is removed from the directory of a campaign, and what stays.

#include "tests/platforms/campaign/batch_results_rig.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

TEST_F(BatchResults, NothingIsRemovedThatTheProgramHasNotWritten) {
  const std::string id(40, 'a');
  fs::create_directories("kept/runs/mine.partial");
  fs::create_directory("kept/thesis.partial");
  fs::create_directory("kept/points.json.partial-12");  // a folder is no draft of a file
  const std::vector<std::string> others{"kept/runs/mine.partial/a",      "kept/runs/" + id + ".partial.txt",
                                        "kept/runs/x" + id + ".partial", "kept/thesis.partial/a",
                                        "kept/data.partial-2024",        "kept/notes.partial.txt",
                                        "kept/points.json.partial",      "kept/points.json.partial-12/a"};
  const std::vector<std::string> drafts{"kept/runs/" + id + ".partial/a", "kept/results.csv.partial-77",
                                        "kept/campaign.yaml.partial-3"};
  const auto write_all = [&] {
    fs::create_directory("kept/runs/" + id + ".partial");
    for (const auto* names : {&others, &drafts})
      for (const std::string& name : *names) {
        write(name, "mine");
        fs::last_write_time(name, fs::file_time_type::clock::now() - std::chrono::minutes(2));
      }
    fs::last_write_time("kept/runs/" + id + ".partial",
                        fs::file_time_type::clock::now() - std::chrono::minutes(2));
  };
  const auto expect = [&](const char* after) {
    for (const std::string& name : others) EXPECT_TRUE(exists(name)) << name << " after " << after;
    for (const std::string& name : drafts) EXPECT_FALSE(exists(name)) << name << " after " << after;
  };
  write_all();
  run_campaign();
  expect("run");
  write_all();
  EXPECT_EQ(heddle("batch gc kept").code, 0);
  expect("gc");
  EXPECT_EQ(heddle("batch collect kept").code, 0);
}

TEST_F(BatchResults, GcRemovesOnlyWhatNobodyNamesOrWorksAt) {
  run_campaign();
  const std::string kept = point(0)["runs"][0];
  const std::string gone = point(1)["runs"][0];
  write("c.yaml", "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4]}\nseeds: [3]\n");
  run_campaign();
  fs::create_directory("kept/runs/" + kept + ".partial");
  fs::last_write_time("kept/runs/" + kept + ".partial",
                      fs::file_time_type::clock::now() - std::chrono::minutes(2));
  RunStore("kept").begin(std::string(40, 'a'));
  write("kept/runs/notes", "mine");
  const std::vector<std::string> before = files();
  const Outcome dry = heddle("batch gc kept --dry-run");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.out.find("\n5 of "), std::string::npos) << dry.out;
  EXPECT_EQ(files(), before);
  const Outcome outcome = heddle("batch gc kept");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("kept/runs/" + gone + ": "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n5 of "), std::string::npos) << outcome.out;
  EXPECT_FALSE(exists("kept/runs/" + gone) || exists("kept/runs/" + kept + ".partial"));
  EXPECT_TRUE(exists("kept/runs/notes"));
  EXPECT_TRUE(exists("kept/runs/" + std::string(40, 'a') + ".partial"));
  const Json named = point(0);
  for (const char* kind : {"runs", "alone"})
    for (const Json& id : named[kind])
      EXPECT_TRUE(exists("kept/runs/" + id.get<std::string>() + "/result.json"));
  EXPECT_EQ(heddle("batch gc kept").out, "0 of 0.0 KiB removed\n");
}

TEST_F(BatchResults, GcLeavesACampaignAloneThatSomebodyWorksAt) {
  run_campaign();
  const CampaignLock lock("kept", CampaignLock::Mode::kAlone);
  EXPECT_EQ(heddle("batch gc kept").code, 2);
  EXPECT_EQ(heddle("batch gc nowhere").code, 2);
  EXPECT_FALSE(exists("nowhere"));
}

}  // namespace
}  // namespace heddle::test
