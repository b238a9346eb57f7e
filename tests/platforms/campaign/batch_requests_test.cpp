// The requests of servers in a campaign: in its database, and on its page.

#include <filesystem>

#include "platforms/campaign/results/csv_file.h"
#include "platforms/campaign/store/run_files.h"
#include "tests/platforms/campaign/batch_results_rig.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExperiment =
    "experiment: servers\nplatform: k20-cusched\napplications:\n"
    "  - {application: control, priority: 1, arrivals: {kind: periodic, period: 5ms, requests: 30, warm_up: "
    "10}}\n"
    "  - {application: ./batch.yaml, name: batch}\ncompare:\n  - {sm_partitioner: left-over}\n  - "
    "{sm_partitioner: ppq}\n";
constexpr const char* kBatch =
    "application: batch\nmeasured_on: k20-cusched\n"
    "kernels: {work: {blocks: 416, threads: 256, registers: 20, time: 24ms}}\n"
    "program: [{repeat: 10, body: [{launch: work}]}, {synchronise: all}]\n";
constexpr const char* kCampaign =
    "campaign: s\nexperiment: servers.yaml\naxes:\n  - product: {sm.count: [13]}\n"
    "metrics: [response_p50_ps.0]\nplots:\n  - {kind: cdf, x: response_ps, series: variant}\n"
    "  - {kind: box, x: application, y: queueing_ps, series: variant}\n"
    "  - {kind: cdf, x: handover_ps, series: way}\n"
    "  - {kind: bars, x: variant, y: response_p50_ps}\n";

class BatchRequests : public BatchResults {
 protected:
  BatchRequests() {
    write("servers.yaml", kExperiment);
    write("batch.yaml", kBatch);
    write("c.yaml", kCampaign);
  }
};

TEST_F(BatchRequests, TheDatabaseHasTheRowsOfTheFiles) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string run = run_path(0, "runs", i);
    std::string rows;
    CsvFile file(run + "/requests.csv");
    const std::size_t request = file.column("request");
    const std::size_t end = file.column("end [ps]");
    while (file.next()) rows += file.row()[request] + "|" + file.row()[end] + "|served|control\n";
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 20);
    EXPECT_EQ(csv("SELECT request, \"end [ps]\", outcome, application FROM requests WHERE run = '" +
                  std::string(fs::path(run).filename()) + "' ORDER BY request"),
              rows);
  }
}

TEST_F(BatchRequests, TheDatabaseHasHandOversAndUnfairness) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  std::string rows;
  const std::string run = run_path(0, "runs", 1);  // under ppq
  CsvFile file(run + "/handovers.csv");
  const std::size_t end = file.column("end [cycle]");
  const std::size_t way = file.column("way");
  while (file.next()) rows += file.row()[end] + "|" + file.row()[way] + "|batch\n";
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 20);
  EXPECT_EQ(csv("SELECT \"end [cycle]\", way, application FROM handovers WHERE run = '" +
                std::string(fs::path(run).filename()) + "' ORDER BY handover"),
            rows);
  EXPECT_EQ(
      csv("SELECT count(*) > 0, min(value) >= 1, min(end_ps > begin_ps) FROM unfairness WHERE sample = 2"),
      "1|1|1\n");
}

TEST_F(BatchRequests, AChangedTimeIsNoticed) {
  run_campaign();
  const std::string file = requests_file_of(run_path(0, "runs", 0));
  std::string text = read_file(file);
  text[text.find("served") - 4] ^= 1;
  write(file, text);
  const Outcome outcome = heddle("batch collect kept");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("requests.csv"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
