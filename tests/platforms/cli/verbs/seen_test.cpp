// What a run tells of its own accord: where the time of requests goes, what changes nothing, and what
// policies have decided.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream of(line);
  for (std::string cell; std::getline(of, cell, ',');) cells.push_back(cell);
  return cells;
}

class SeenTest : public CliTest {
 protected:
  // A server whose requests copy 64 KiB and run a kernel of 1 ms, beside a job that copies 64 MiB again and
  // again: about 12 ms of the link each.
  void write_copies(int rounds = 60) const {
    write("server.yaml",
          "application: server\nmeasured_on: k20-cusched\nbuffers: {prompt: 64KiB}\n"
          "kernels: {work: {blocks: 13, threads: 256, registers: 20, time: 1ms}}\n"
          "arrivals: {kind: periodic, period: 20ms, requests: 30}\n"
          "program:\n  - allocate: prompt\n  - copy_up: prompt\n  - launch: work\n  - synchronise: all\n");
    write("job.yaml",
          "application: job\nmeasured_on: k20-cusched\nbuffers: {data: 64MiB}\n"
          "kernels: {step: {blocks: 13, threads: 256, registers: 20, time: 100us}}\n"
          "program:\n  - allocate: data\n  - repeat: " +
              std::to_string(rounds) +
              "\n    body: [{copy_up: data}, {launch: step}, "
              "{synchronise: all}]\n");
    write("both.yaml",
          "experiment: both\nplatform: k20-cusched\n"
          "applications:\n  - {application: server.yaml, priority: 1}\n  - job.yaml\n");
  }

  std::vector<Row> rows_of(const std::string& file) const {
    std::istringstream lines(read(file));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> titles = cells_of(line);
    std::vector<Row> rows;
    while (std::getline(lines, line)) {
      const std::vector<std::string> cells = cells_of(line);
      EXPECT_EQ(cells.size(), titles.size()) << line;
      Row& row = rows.emplace_back();
      for (std::size_t i = 0; i < std::min(titles.size(), cells.size()); ++i) row[titles[i]] = cells[i];
    }
    return rows;
  }

  // The file of that name of the first run below kept/, whatever the run is called.
  std::string file_of_first_run(const std::string& name) const {
    for (const std::string& path : files())
      if (path.rfind("kept/1-", 0) == 0 && path.substr(path.rfind('/') + 1) == name) return path;
    return name;
  }

  void write_pair(const std::string& rest) const {
    write_small();
    write("pair.yaml",
          "experiment: pair\nplatform: k20-cusched\napplications: [tiny.yaml, other.yaml]\n" + rest);
  }
  std::string notes_of(const std::string& words) const {
    const Outcome run = heddle("run " + words + " --cache none --out kept");
    EXPECT_EQ(run.code, 0) << run.err;
    std::filesystem::remove_all(directory_ / "kept");
    return run.err;
  }
};

TEST_F(SeenTest, ThePartsOfEachRequestAddUpToItsResponseAndNameWhoseCopyItWaitedFor) {
  write_copies();
  const Outcome run = heddle("run both.yaml --out kept");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::vector<Row> rows = rows_of(file_of_first_run("requests.csv"));
  ASSERT_EQ(rows.size(), 30U);
  std::size_t waited = 0;
  for (const Row& row : rows) {
    const auto number = [&row](const std::string& title) { return std::stoull(row.at(title)); };
    std::uint64_t service = 0;
    std::uint64_t queue = 0;
    for (const std::string part :
         {"host", "submission", "copying", "executing", "copy_wait.server", "copy_wait.job", "sm_wait.server",
          "sm_wait.job", "slowed.server", "slowed.job"}) {
      service += number(part + " [ps]");
      queue += number("queue." + part + " [ps]");
    }
    EXPECT_EQ(queue, number("queue [ps]"));
    EXPECT_EQ(queue, number("start [ps]") - number("arrival [ps]"));
    EXPECT_EQ(service, number("end [ps]") - number("start [ps]"));
    if (row.at("mostly") == "copy_wait" && row.at("mostly_application") == "job") ++waited;
  }
  EXPECT_GT(waited, 10U);  // the job's copies have the engine most of the time
  EXPECT_NE(run.out.find("slowest 1 %"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" % waits for a copy of job"), std::string::npos) << run.out;
}

TEST_F(SeenTest, UnderPriorityACopyWaitsForABurstOfTheOtherAlone) {
  write_copies();
  const Outcome run = heddle("run both.yaml --policy dma_arbiter=priority --json --out kept");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json requests = Json::parse(run.out)["runs"][0]["applications"][0]["requests"];
  const Json all = requests["accounts"][0];
  EXPECT_EQ(all["requests"], 30);
  double sum = 0;
  double waits = 0;
  for (const Json& part : all["parts"]) {
    sum += part["queue_ps"].get<double>() + part["service_ps"].get<double>();
    if (part["part"] == "copy_wait") waits += part["service_ps"].get<double>();
  }
  EXPECT_NEAR(sum, requests["response"]["mean_ps"].get<double>(), 1);
  EXPECT_NEAR(sum, all["response_ps"].get<double>(), 1);
  EXPECT_LT(waits, 5e6);  // a burst of 4 KiB takes less than a microsecond
}

TEST_F(SeenTest, SettingsThatTimedSmsDoNotHaveAreToldToChangeNothing) {
  write_small();
  const std::string notes =
      notes_of("small.yaml --platform t4 --set sm.model=timed --set caches.l1.ways=2 --set l2.ways=8");
  EXPECT_NE(notes.find("note: --set caches.l1.ways=2 changes nothing: the SMs are timed"), std::string::npos)
      << notes;
  EXPECT_NE(notes.find("note: --set l2.ways=8 changes nothing: the SMs are timed"), std::string::npos)
      << notes;
  EXPECT_EQ(notes_of("small.yaml --set sm.count=4").find("changes nothing"), std::string::npos);
}

TEST_F(SeenTest, APolicyThatEachEntryOfCompareReplacesIsToldToChangeNothing) {
  write_pair(
      "policies: {sm_partitioner: spatial}\ncompare: [{sm_partitioner: fcfs-s}, {sm_partitioner: ppq}]\n");
  EXPECT_NE(notes_of("pair.yaml")
                .find("note: policies.sm_partitioner changes nothing: each entry of compare has its own"),
            std::string::npos);
  write_pair(
      "policies: {sm_partitioner: spatial}\ncompare: [{dma_arbiter: fcfs}, {dma_arbiter: priority}]\n");
  EXPECT_EQ(notes_of("pair.yaml").find("policies.sm_partitioner"), std::string::npos);
}

TEST_F(SeenTest, PoliciesThatHadNothingToDivideSayWhyAndStartTogetherAlignsTheFirstLaunches) {
  write_copies(1);
  // The second application begins when the first has long ended.
  write("apart.yaml",
        "experiment: apart\nplatform: k20-cusched\ntermination: once-each\n"
        "applications:\n  - {application: job.yaml, name: first}\n"
        "  - {application: job.yaml, name: second, start: 100ms}\n");
  const std::string notes = notes_of("apart.yaml");
  EXPECT_NE(notes.find("no two kernels were on the GPU at once"), std::string::npos) << notes;
  const Outcome together = heddle("run apart.yaml --set start=together --json --cache none --out kept");
  ASSERT_EQ(together.code, 0) << together.err;
  EXPECT_EQ(together.err.find("no two kernels"), std::string::npos) << together.err;
  const Json run = Json::parse(together.out)["runs"][0];
  EXPECT_GT(run["shared_cycles"], 0);
  // Both copied their data before.
  for (const Json& application : run["applications"]) EXPECT_EQ(application["bytes_copied"], 64 << 20);
  const Outcome again = heddle("run kept/experiment.yaml --json --cache none --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["runs"], Json::parse(together.out)["runs"]);
}

TEST_F(SeenTest, TheSetsOfMpsAreOnTheScreen) {
  write_pair("policies: {sm_partitioner: {name: mps, active_threads: [50, 25]}}\n");
  const Outcome run = heddle("run pair.yaml --out kept");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("What the policies decided"), std::string::npos) << run.out;
  // Of 13 SMs half is 7, a quarter 4, both rounded up to pairs.
  EXPECT_NE(run.out.find("8 SMs: 0-7"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("4 SMs: 8-11"), std::string::npos) << run.out;
  write_pair("policies: {sm_partitioner: {name: mps, acts_on: threads, active_threads: [50]}}\n");
  const Outcome threads = heddle("run pair.yaml --out other");
  ASSERT_EQ(threads.code, 0) << threads.err;
  EXPECT_NE(threads.out.find("every SM, 50 % of its threads"), std::string::npos) << threads.out;
  EXPECT_NE(threads.out.find("every SM, 100 % of its threads"), std::string::npos) << threads.out;
}

TEST_F(SeenTest, RunsWhosePercentilesHaveIntervalsThatOverlapDoNotDiffer) {
  write_copies();
  write("three.yaml",
        "experiment: three\nplatform: k20-cusched\napplications: [{application: server.yaml, priority: 1, "
        "arrivals: "
        "{kind: poisson, rate: 60Hz, requests: 40}}, job.yaml]\n"
        "compare:\n  - {label: a, sm_partitioner: fcfs-s}\n  - {label: b, sm_partitioner: left-over}\n"
        "  - {label: c, sm_partitioner: fcfs-s, dma_arbiter: priority}\n");
  const Outcome run = heddle("run three.yaml --out kept");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("p50 of server: these do not differ, their intervals overlap: a and b\n"),
            std::string::npos)
      << run.out;
}

}  // namespace
}  // namespace heddle::test
