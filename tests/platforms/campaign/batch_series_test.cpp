// Series and launches of kernels in a campaign: in the directories of the runs, and in its database.

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "platforms/campaign/results/csv_file.h"
#include "platforms/campaign/results/tables.h"
#include "platforms/campaign/store/run_files.h"
#include "tests/platforms/campaign/batch_results_rig.h"
#include "tests/support/machine/statistics.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSeries =
    "campaign: s\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, 13]}\nseeds: [3]\n"
    "metrics: [antt]\ninterval: 300us\n"
    "series: ['applications.*.blocks_*', gpu.occupancy, 'applications.*.running_blocks']\n";

class BatchSeries : public BatchResults {
 protected:
  BatchSeries() { write("c.yaml", kSeries); }

  void collect() const {
    run_campaign();
    const Outcome outcome = heddle("batch collect kept");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  // Returns the value of a counter of a run.
  static std::uint64_t counter(const std::string& run, const std::string& path) {
    return statistics_in(read_file(run + "/stats.json")).at(path).count;
  }

  void sum_up(const std::string& run) const { write_checksums((directory_ / run).string()); }
};

TEST_F(BatchSeries, EachRunHasItsSeriesAndItsKernels) {
  run_campaign();
  std::size_t runs = 0;
  for (const auto& run : fs::directory_iterator("kept/runs")) {
    for (const char* file : {"kernels.csv", "series.csv", "series_columns.csv"})
      EXPECT_TRUE(fs::exists(run.path() / file)) << run.path() << file;
    ++runs;
  }
  EXPECT_EQ(runs, 8u);
}

TEST_F(BatchSeries, CountersInTheDatabaseAddUpToThoseOfTheRun) {
  collect();
  for (const char* kind : {"runs", "alone"})
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string run = run_path(1, kind, i);
      const std::string id = fs::path(run).filename();
      std::istringstream sums(csv("SELECT path, CAST(sum(value) AS INTEGER) FROM series WHERE run = '" + id +
                                  "' AND kind = 'counter' GROUP BY path"));
      std::size_t paths = 0;
      for (std::string line; std::getline(sums, line); ++paths) {
        const std::string path = line.substr(0, line.find('|'));
        EXPECT_EQ(line, path + "|" + std::to_string(counter(run, path)));
      }
      EXPECT_EQ(paths, std::string(kind) == "runs" ? 6u : 3u);
    }
}

TEST_F(BatchSeries, TheDatabaseHasTheRowsOfTheFiles) {
  collect();
  const std::string run = run_path(0, "runs", 1);
  const std::string id = fs::path(run).filename();
  std::string rows;
  std::size_t empty = 0;
  CsvFile file(run + "/series.csv");
  const std::size_t column = file.column("gpu.occupancy [1]");
  while (file.next()) {
    const std::string& cell = file.row()[column];
    empty += cell.empty() ? 1 : 0;
    if (!cell.empty()) rows += file.row()[0] + "|" + file.row()[1] + "|" + cell + "\n";
  }
  EXPECT_GT(empty, 0u);  // intervals without a kernel
  std::istringstream expected(rows);
  Database database("kept/results.sqlite");
  Statement found(database,
                  "SELECT cycle, ps, value, unit, kind FROM series WHERE path = 'gpu.occupancy' AND "
                  "run = '" +
                      id + "' ORDER BY cycle");
  for (std::string line; std::getline(expected, line);) {
    ASSERT_TRUE(found.step());
    EXPECT_EQ(fmt::format("{}|{}|{}", found.integer(0), found.integer(1), found.real(2)), line);
    EXPECT_EQ(found.text(3) + found.text(4), "1formula");
  }
  EXPECT_FALSE(found.step());
  EXPECT_EQ(csv("SELECT DISTINCT unit, kind FROM series WHERE path LIKE '%.running_blocks'"),
            "block|level\n");
}

TEST_F(BatchSeries, LaunchesInTheDatabaseAddUpToTheCountersOfTheRun) {
  collect();
  const std::string run = run_path(1, "runs", 0);
  const std::string id = fs::path(run).filename();
  std::istringstream sums(
      csv("SELECT application || '.' || kernel, count(*), sum(blocks_done) FROM kernels WHERE run = '" + id +
          "' GROUP BY 1"));
  std::size_t kernels = 0;
  for (std::string line; std::getline(sums, line); ++kernels) {
    const std::string path = "applications." + line.substr(0, line.find('|'));
    EXPECT_EQ("applications." + line, fmt::format("{}|{}|{}", path, counter(run, path + ".launched"),
                                                  counter(run, path + ".blocks_done")));
  }
  EXPECT_EQ(kernels, 2u);
  EXPECT_EQ(csv("SELECT count(DISTINCT run) FROM kernels"), "8\n");
  EXPECT_EQ(csv("SELECT DISTINCT typeof(kernel), typeof(\"start [cycle]\"), typeof(\"start [ns]\") FROM "
                "kernels"),
            "text|integer|real\n");
}

// The page of campaigns has these queries.
TEST_F(BatchSeries, TheQueriesOfThePageHaveRows) {
  collect();
  const std::string page = read_file(fs::path(source_directory()) / "platforms/CAMPAIGNS.md");
  const std::size_t begin = page.find("```sql\n") + 7;
  const std::string queries = page.substr(begin, page.find("```", begin) - begin);
  const std::size_t second = queries.find(';') + 2;
  const std::string kernels = csv(queries.substr(0, second));
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), '\n'), 12);  // 4 runs of two kernels, 4 of one
  EXPECT_NE(kernels.find("sm.count=4 seed=3, fcfs-s|tiny|first|"), std::string::npos) << kernels;
  const std::string occupancy = csv(queries.substr(second));
  EXPECT_EQ(
      std::count(occupancy.begin(), occupancy.end(), '\n'),
      std::stoi(csv("SELECT count(*) FROM series JOIN runs ON run = id WHERE path = 'gpu.occupancy' AND "
                    "NOT alone")));
  EXPECT_EQ(occupancy.rfind("1|fcfs-s|", 0), 0u) << occupancy;
}

TEST_F(BatchSeries, FurtherColumnsOfKernelsAreColumnsOfTheTable) {
  run_campaign();
  const std::string run = run_path(0, "runs", 0);
  std::istringstream lines(read(run + "/kernels.csv"));
  std::string text;
  bool is_head = true;
  for (std::string line; std::getline(lines, line); is_head = false)
    text += (is_head ? "energy [nJ]," + line : "1.5," + line) + "\n";
  write(run + "/kernels.csv", text);
  sum_up(run);
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  const std::string id = fs::path(run).filename();
  EXPECT_EQ(csv("SELECT DISTINCT \"energy [nJ]\" FROM kernels WHERE run = '" + id + "'"), "1.5\n");
  EXPECT_EQ(csv("SELECT DISTINCT \"energy [nJ]\" IS NULL FROM kernels WHERE run != '" + id + "'"), "1\n");
  EXPECT_EQ(csv("SELECT min(launch) FROM kernels WHERE run = '" + id + "'"), "0\n");
}

TEST_F(BatchSeries, RunsWithoutTheFilesHaveNoRows) {
  run_campaign();  // as a program that knew neither file had run it
  for (const auto& run : fs::directory_iterator("kept/runs")) {
    for (const char* file : {"kernels.csv", "series.csv", "series_columns.csv"})
      fs::remove(run.path() / file);
    write_checksums(run.path());
  }
  EXPECT_EQ(heddle("batch collect kept --strict").code, 0);
  EXPECT_EQ(csv("SELECT (SELECT count(*) FROM kernels) + (SELECT count(*) FROM series)"), "0\n");
}

TEST_F(BatchSeries, AChangedDigitIsNoticedAndALostFileIsRunAgain) {
  run_campaign();
  const std::string run = run_path(0, "runs", 0);
  for (const char* name : {"/kernels.csv", "/series.csv", "/series_columns.csv"}) {
    const std::string whole = read(run + name);
    std::string text = whole;
    text[text.size() / 2] = text[text.size() / 2] == '1' ? '2' : '1';
    write(run + name, text);
    const Outcome outcome = heddle("batch collect kept");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "heddle: " + run + name + ": is damaged: its content does not agree with " + run +
                               "/checksums\n");
    EXPECT_FALSE(exists("kept/results.sqlite"));
    write(run + name, whole);
  }
  EXPECT_EQ(std::system(("cd " + run + " && sha1sum --check --quiet checksums").c_str()), 0);
  const std::string whole = read(run + "/series.csv");
  write(run + "/series.csv", "");
  EXPECT_EQ(heddle("batch collect kept").out.rfind("partial: 7 of 8 runs ok; missing: 1 lost\n", 0), 0u);
  EXPECT_EQ(heddle("batch run c.yaml --quiet --dir kept").code, 0);
  EXPECT_EQ(read(run + "/series.csv"), whole);
}

TEST_F(BatchSeries, DamageThatTheChecksumsAgreeWithIsNamed) {
  run_campaign();
  const std::string run = run_path(0, "runs", 0);
  const std::string series = run + "/series.csv";
  const std::string whole = read(series);
  const std::string head = whole.substr(0, whole.find('\n') + 1);
  const std::array cases{
      std::pair{head + "1000,2\n", std::string("a row has 2 cells in place of")},
      std::pair{head + "1000,x" + std::string(std::count(head.begin(), head.end(), ',') - 1, ',') + "\n",
                std::string("row 1 has a cell that is no number")},
      std::pair{whole.substr(0, whole.size() - 1), std::string("it ends within a line")},
      std::pair{std::string("cycle,ps\n"), std::string("it has 2 columns in place of")}};
  for (const auto& [text, problem] : cases) {
    write(series, text);
    sum_up(run);
    const Outcome outcome = heddle("batch collect kept");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.rfind("heddle: " + series + ": is damaged: " + problem, 0), 0u) << outcome.err;
    EXPECT_FALSE(exists("kept/results.sqlite"));
  }
}

TEST_F(BatchSeries, ACampaignRunAgainWithASeriesKeepsTheOldRuns) {
  write("plain.yaml", kCampaign);
  ASSERT_EQ(heddle("batch run plain.yaml --quiet --dir kept").code, 0);
  const auto before = results("kept");
  ASSERT_EQ(heddle("batch run plain.yaml --quiet --dir kept --set interval=300us").code, 0);
  const auto after = results("kept");
  EXPECT_EQ(point(0)["runs"].size(), 2u);
  EXPECT_TRUE(exists(run_path(0, "runs", 0) + "/series.csv"));
  for (const auto& [path, text] : before) EXPECT_EQ(after.at(path), text) << path;
  // Without it the old runs are those of the campaign again.
  EXPECT_EQ(heddle("batch run plain.yaml --dir kept").out,
            "c-1: 2 points, 8 runs, 8 ok, 0 not; results: kept\n");
  EXPECT_FALSE(exists(run_path(0, "runs", 0) + "/series.csv"));
}

TEST_F(BatchSeries, APatternThatMatchesNothingIsOneMessageBeforeAnythingRuns) {
  std::string text = kSeries;
  write("c.yaml", text.replace(text.find("gpu.occupancy"), 13, "gpu.occupancy, 'gpu.sm*.blocks'"));
  for (const char* words :
       {"batch run c.yaml --quiet --dir kept", "batch plan c.yaml --dir kept", "check c.yaml"}) {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find("c.yaml: series: no statistic of any machine of this campaign matches "
                               "gpu.sm*.blocks; heddle list counters has their paths\n"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("kept"));
  }
}

TEST_F(BatchSeries, APatternMayMatchTheMachineOfOnePointAlone) {
  write("one.yaml", "experiment: one\nplatform: k20-cusched\napplications: [tiny.yaml]\n");
  write("c.yaml",
        "campaign: s\nexperiment: one.yaml\naxes:\n  - product: {experiment: [./one.yaml, ./small.yaml]}\n"
        "interval: 300us\nseries: ['applications.other.*.blocks_done']\n");
  const Outcome outcome = heddle("batch plan c.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(BatchSeries, ACampaignNamedAsATableOfSeriesHasAViewOfItsOwn) {
  EXPECT_EQ(view_of("Series"), "results_Series");
  EXPECT_EQ(view_of("kernels"), "results_kernels");
  EXPECT_EQ(view_of("series-1"), "series-1");
}

TEST(CsvFile, ReadsQuotedCells) {
  const std::string file = testing::TempDir() + "quoted.csv";
  std::ofstream(file) << "a,\"b, \"\"c\"\"\"\n\"line\nbreak\",\n,\"\"\n";
  CsvFile csv(file);
  EXPECT_EQ(csv.head(), (std::vector<std::string>{"a", "b, \"c\""}));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.row(), (std::vector<std::string>{"line\nbreak", ""}));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.row(), (std::vector<std::string>{"", ""}));
  EXPECT_FALSE(csv.next());
  fs::remove(file);
}

}  // namespace

}  // namespace heddle::test
