// heddle batch run, status and resume as a user calls them.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

using Json = nlohmann::ordered_json;

class Batch : public CliTest {
 protected:
  Batch() {
    write_small();
    write("c.yaml", "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, 13]}\n");
  }
  Json status(const std::string& directory) const {
    const Outcome outcome = heddle("batch status " + directory + " --json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
};

TEST_F(Batch, RunsACampaignOnceAndShowsHowFarItIs) {
  const Outcome first = heddle("batch run c.yaml --dir kept --jobs 2");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("1/8 ok: "), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("c: 2 points, 8 runs, 8 ok, 0 not; results: kept\n"), std::string::npos)
      << first.out;
  const Outcome again = heddle("batch run c.yaml --dir kept");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, "c: 2 points, 8 runs, 8 ok, 0 not; results: kept\n");
  EXPECT_EQ(status("kept")["states"]["ok"], 8) << status("kept").dump(1);
}

TEST_F(Batch, ResumesFromWhatItKeptAlone) {
  ASSERT_EQ(heddle("batch run c.yaml --dir kept --quiet").code, 0);
  const std::filesystem::path runs = directory_ / "kept/runs";
  std::filesystem::remove_all(std::filesystem::directory_iterator(runs)->path());
  std::filesystem::remove(directory_ / "c.yaml");
  const Outcome outcome = heddle("batch resume kept");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1/1 ok: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("c: 2 points, 8 runs, 8 ok, 0 not; results: kept\n"), std::string::npos)
      << outcome.out;
}

TEST_F(Batch, NothingToResumeIsAnError) {
  const Outcome outcome = heddle("batch resume nowhere");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "heddle: nowhere: there is no campaign\n");
  EXPECT_EQ(heddle("batch status nowhere").code, 2);
  EXPECT_EQ(heddle("batch").code, 2);
}

}  // namespace

}  // namespace heddle::test
