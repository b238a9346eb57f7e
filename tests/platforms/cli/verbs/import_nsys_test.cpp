// heddle import: databases of Nsight Systems, which the tests write by the documented schema, and tables.

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/platforms/cli/cli.h"
#include "tests/support/nsys_report.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

constexpr const char* kImport = "import nsys report.sqlite -o mine.yaml --measured-on k20-cusched";

class ImportNsys : public CliTest {
 protected:
  std::filesystem::path report() const { return directory_ / "report.sqlite"; }

  // A copy up, ten rounds of two kernels with the host's work between rounds, a fill, a copy down.
  void write_report() const {
    NsysReport report(this->report());
    report.copy(1'000'000, 1'100'000, 1, 1 << 20);
    std::int64_t now = 1'150'000;
    for (int round = 0; round < 10; ++round) {
      report.launch({now, now + 100'000 + 1000 * round, "scale"});
      report.launch({now + 110'000 + 1000 * round, now + 160'000 + 1000 * round, "sum"});
      now += 460'000;
    }
    report.fill(now, now + 2'000, 0x1ff, 4096);
    report.copy(now + 3'000, now + 53'000, 2, 1 << 19);
  }

  void expect_refused(const std::string& message, const std::string& words = kImport) const {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("mine.yaml"));
    EXPECT_FALSE(exists("mine.yaml.partial"));
  }
};

TEST_F(ImportNsys, MakesAnApplicationThatRunsAsItWasRecorded) {
  write_report();
  const Outcome outcome = heddle(kImport);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, outcome.out.find('\n')),
            "mine.yaml: 2 kernels, 20 launches, 1.545ms of kernels, 2.885ms of CPU time, 10 calls written");
  const std::string text = read("mine.yaml");
  EXPECT_THAT(text, HasSubstr("source: \"Nsight Systems, report.sqlite, process 4711, context 1\""));
  EXPECT_THAT(
      text, HasSubstr("  scale:  # void scale<int>(int*)\n    blocks: 64  # recorded: a grid of 64 x 1 x 1\n"
                      "    threads: 256  # recorded: a block of 256 x 1 x 1\n    registers: 24  # recorded\n"
                      "    shared_memory: 768B  # recorded: 512 B static, 256 B dynamic\n"
                      "    time: 104.5us  # mean of 10 launches, 100us to 109us\n"));
  EXPECT_THAT(text, HasSubstr("  - repeat: 10\n"));
  EXPECT_THAT(text, HasSubstr("  - {fill: data, with: 255, bytes: 4096B}\n"));
  EXPECT_EQ(heddle("check mine.yaml").code, 0);
  const Outcome run = heddle("run mine.yaml --set host.context_creation=0s --json --out out");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  const nlohmann::json& application = summary["runs"][0]["applications"][0];
  EXPECT_EQ(application["kernels_launched"], 20);
  EXPECT_EQ(application["bytes_copied"], (1 << 20) + (1 << 19));
  // kernels.csv has each launch from its first block on, without the latencies before it, which are 1.5 us.
  double kernels_ns = 0;
  std::istringstream rows;
  for (const std::string& file : files())
    if (file.rfind("out/1-", 0) == 0 && file.find("/kernels.csv") != std::string::npos) rows.str(read(file));
  std::string row;
  std::getline(rows, row);
  std::vector<std::string> head;
  std::istringstream names(row);
  for (std::string name; std::getline(names, name, ',');) head.push_back(name);
  const auto duration = std::find(head.begin(), head.end(), "duration [ns]") - head.begin();
  ASSERT_LT(duration, static_cast<std::ptrdiff_t>(head.size()));
  while (std::getline(rows, row)) {
    std::istringstream cells(row);
    std::string cell;
    for (std::ptrdiff_t i = 0; i <= duration; ++i) std::getline(cells, cell, ',');
    kernels_ns += std::stod(cell);
  }
  EXPECT_NEAR(kernels_ns, 1'545'000 - 20 * 1'500, 2'000);
  // From the first start to the last end 4.803 ms were recorded; the platform's copies and calls differ a
  // little.
  const double turnaround_us = application["turnaround_ps"].get<double>() / 1e6;
  EXPECT_NEAR(turnaround_us, 4'803, 0.05 * 4'803);
}

TEST_F(ImportNsys, GivesTheSameBytesEachTime) {
  write_report();
  ASSERT_EQ(heddle(kImport).code, 0);
  const std::string first = read("mine.yaml");
  ASSERT_EQ(heddle(kImport).code, 0);
  EXPECT_EQ(read("mine.yaml"), first);
}

TEST_F(ImportNsys, OverlapsAcrossStreamsOverlapInTheRun) {
  {
    NsysReport report(this->report());
    for (int round = 0; round < 4; ++round) {
      const std::int64_t at = 1'000'000 + 500'000 * round;
      report.launch({at, at + 400'000, "left", 13, 4});
      report.launch({at + 1'000, at + 401'000, "right", 14, 4});
    }
  }
  ASSERT_EQ(heddle(kImport).code, 0);
  EXPECT_THAT(read("mine.yaml"), HasSubstr("{launch: right, stream: s14}"));
  const Outcome run =
      heddle("run mine.yaml --set host.context_creation=0s --policy sm_partitioner=left-over --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  // One after the other they would take 3.2 ms and the gaps.
  EXPECT_LT(summary["runs"][0]["applications"][0]["turnaround_ps"].get<double>() / 1e9, 2.1);
}

TEST_F(ImportNsys, OneContextIsChosen) {
  {
    NsysReport report(this->report());
    report.launch({1000, 101000, "a"});
    report.launch({1000, 101000, "b", 7, 64, 256, 2});
    report.launch({1000, 101000, "c", 7, 64, 256, 1, std::int64_t{99} << 24});
  }
  expect_refused(
      "report.sqlite: has several contexts, and an application has one; choose: --context 1 --process 99 (1 "
      "launches), --context 1 --process 4711 (1 launches), --context 2 --process 4711 (1 launches)");
  expect_refused("report.sqlite: has several contexts", std::string(kImport) + " --context 1");
  expect_refused("report.sqlite: no such context", std::string(kImport) + " --context 3");
  ASSERT_EQ(heddle(std::string(kImport) + " --context 2").code, 0);
  EXPECT_THAT(read("mine.yaml"), HasSubstr("  b:  # void b<int>(int*)"));
  ASSERT_EQ(heddle(std::string(kImport) + " --context 1 --process 99").code, 0);
  EXPECT_THAT(read("mine.yaml"), HasSubstr("  c:  # void c<int>(int*)"));
}

TEST_F(ImportNsys, TellsWhatItLeavesOut) {
  {
    NsysReport report(this->report());
    report.launch({1000, 101000, "a"});
    report.launch({0, 0, "a"});
    report.copy(1000, 2000, 9, 100);
    report.copy(1000, 2000, 11, 65536);
    report.copy(1000, 2000, 1, 0);
  }
  const Outcome outcome = heddle(kImport);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("note: left out: 1 copies from host to host (100 bytes)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("note: left out: 1 migrations of unified memory to the GPU"));
  EXPECT_THAT(outcome.out, HasSubstr("note: left out: 1 rows without times\n"));
  EXPECT_THAT(outcome.out, HasSubstr("note: 1 copies of no bytes are left out\n"));
}

TEST_F(ImportNsys, MigrationsOfNoContextAreToldOnceEach) {
  {
    NsysReport report(this->report());
    report.launch({1'000'000, 1'101'000, "a"});
    report.launch({3'000'000, 3'101'000, "a"});
    for (const std::int64_t at : {999'000, 1'001'000, 1'002'000}) report.copy(at, at + 500, 11, 65536);
    report.copy(3'001'000, 3'002'000, 12, 4096);
    report.copy(3'003'000, 3'004'000, 1, 100);
    report.settle();
    report.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET contextId = 0");
    report.copy(3'005'000, 3'006'000, 12, 10);
  }
  const Outcome whole = heddle(kImport);
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("note: left out: 3 migrations of unified memory to the GPU, whose time is "
                                   "that of the kernels that wait for them (196608 bytes)\n"));
  EXPECT_THAT(whole.out,
              HasSubstr("note: left out: 2 migrations of unified memory to the host, whose time is "
                        "that of the kernels that wait for them (4106 bytes)\n"));
  EXPECT_THAT(whole.out, HasSubstr("note: left out: 1 copies that belong to no context (100 bytes)\n"));
  const Outcome part = heddle(std::string(kImport) + " --from 1ms");
  ASSERT_EQ(part.code, 0) << part.err;
  EXPECT_EQ(part.out.find("to the GPU"), std::string::npos) << part.out;
}

TEST_F(ImportNsys, APartOfAReportIsChosenByTime) {
  write_report();
  const Outcome outcome = heddle(std::string(kImport) + " --from 1ms --to 2ms");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 kernels, 5 launches"));
  std::filesystem::remove(directory_ / "mine.yaml");
  expect_refused("report.sqlite: has no kernel between --from and --to", std::string(kImport) + " --from 1s");
}

TEST_F(ImportNsys, AFileThatIsNoReportIsRefused) {
  expect_refused("report.sqlite: unable to open database file");
  write("report.sqlite",
        "this is no database, but a text that is long enough to look like one........................");
  expect_refused(
      "report.sqlite: file is not a database; nsys export --type sqlite writes such a file of a report");
  write("report.sqlite", "");
  expect_refused("report.sqlite: has no table CUPTI_ACTIVITY_KIND_KERNEL: the report has no kernels");
  std::filesystem::remove(report());
  std::filesystem::create_directory(report());
  expect_refused("report.sqlite");
}

TEST_F(ImportNsys, ATruncatedReportIsRefused) {
  write_report();
  const std::string whole = read("report.sqlite");
  for (const std::size_t bytes : {whole.size() / 2, whole.size() - 4096, std::size_t{100}}) {
    write("report.sqlite", whole.substr(0, bytes));
    expect_refused("report.sqlite: ");
  }
}

struct BadReport {
  std::string sql;
  std::string message;
};

TEST_F(ImportNsys, ABadReportIsOneMessageWithItsPlace) {
  const BadReport reports[] = {
      {"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL has no rows: no kernels"},
      {"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL", "report.sqlite: has no table CUPTI_ACTIVITY_KIND_KERNEL"},
      {"DROP TABLE StringIds", "report.sqlite: has no table StringIds"},
      {"DELETE FROM StringIds",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL, row 1: StringIds has no name 100"},
      {"ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX",
       "report.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL has no column 'gridX'"},
      {"ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY DROP COLUMN bytes",
       "report.sqlite: table CUPTI_ACTIVITY_KIND_MEMCPY has no column 'bytes'"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 5 WHERE rowid = 2",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL, row 2: it ends 5 ns before it starts"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -7 WHERE rowid = 1",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL, row 1: start is -7"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 0 WHERE rowid = 3",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL, row 3: a grid of 0 x 1 x 1 blocks"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET registersPerThread = 'many' WHERE rowid = 3",
       "report.sqlite: CUPTI_ACTIVITY_KIND_KERNEL, row 3: registersPerThread is no whole number"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = -1 WHERE rowid = 2",
       "report.sqlite: CUPTI_ACTIVITY_KIND_MEMCPY, row 2: bytes is -1"},
      {"UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 77 WHERE rowid = 1",
       "report.sqlite: CUPTI_ACTIVITY_KIND_MEMCPY, row 1: copyKind 77 is not known"},
      {"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET dynamicSharedMemory = 1000000 WHERE rowid = 1",
       "report.sqlite: a block of 'scale' does not fit an SM of 'k20-cusched'"},
      {"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, graphId "
       "INTEGER, "
       "contextId INTEGER, streamId INTEGER, globalPid INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE "
       "SELECT "
       "start, end, 0, 1, contextId, streamId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 3",
       "report.sqlite: CUPTI_ACTIVITY_KIND_GRAPH_TRACE has 3 launches of whole graphs"},
  };
  for (const BadReport& bad : reports) {
    {
      NsysReport report(this->report());
      for (int i = 0; i < 3; ++i) report.launch({1000 + i, 2000 + i, i == 0 ? "scale" : "sum"});
      report.copy(5000, 6000, 1, 100);
      report.copy(7000, 8000, 2, 100);
      report.settle();
      report.execute(bad.sql);
    }
    SCOPED_TRACE(bad.sql);
    expect_refused(bad.message);
  }
}

TEST_F(ImportNsys, NeedsAPlatformThatIsThere) {
  write_report();
  expect_refused("k21", "import nsys report.sqlite -o mine.yaml --measured-on k21");
  expect_refused("measured-on", "import nsys report.sqlite -o mine.yaml");
  expect_refused("a time such as", std::string(kImport) + " --least-gap 10");
}

TEST_F(ImportNsys, AnOutputInNoFolderIsRefused) {
  write_report();
  expect_refused("--out none/mine.yaml: there is no such folder",
                 "import nsys report.sqlite -o none/mine.yaml --measured-on k20-cusched");
}

TEST_F(ImportNsys, ATableOfKernelsOfAnyProfilerBecomesAnApplication) {
  write("launches.csv",
        "name,start_us,duration_us,grid,block,registers\n"
        "scale,10,100,8x8,256,24\nsum,130,50,16,128,20\nscale,200,110,8x8,256,24\n");
  const std::string words = "import kernels launches.csv -o mine.yaml --measured-on k20-cusched";
  const Outcome outcome = heddle(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("mine.yaml: 2 kernels, 3 launches, 260us of kernels"));
  EXPECT_THAT(read("mine.yaml"), HasSubstr("source: \"launches.csv\""));
  const Outcome run = heddle("run mine.yaml --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["runs"][0]["applications"][0]["kernels_launched"], 3);
  std::filesystem::remove(directory_ / "mine.yaml");
  write("launches.csv", "name,start_us,duration_us,grid,block\nscale,10,100,8x8,256\nscale,1,-1,8,256\n");
  expect_refused("launches.csv:3: ", words);
}

// At full size 10^6 launches; the short size is a tenth of them.
TEST_F(ImportNsys, LongReportsAreReadInSecondsAndInTheRoomOfTheirKernels) {
  const int launches = full_size() ? 1'000'000 : 100'000;
  {
    NsysReport report(this->report());
    std::int64_t now = 1'000'000;
    for (int i = 0; i < launches; ++i) {
      report.launch({now, now + 20'000 + i % 100, "kernel_" + std::to_string(i % 250)});
      now += 20'100 + (i % 250 == 249 ? 50'000 : 900);
    }
  }
  const Outcome outcome = heddle(kImport);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("250 kernels, " + std::to_string(launches) + " launches"));
  EXPECT_LT(read("mine.yaml").size(), 250u * 400u);
}

// At full size 10^6 launches of 10^5 shapes in an order that no loop describes; the short size is a tenth.
TEST_F(ImportNsys, AsManyShapesAsAProgramHasAreReadInSeconds) {
  const int shapes = full_size() ? 100'000 : 10'000;
  {
    NsysReport report(this->report());
    std::uint32_t draw = 1;
    for (int i = 0; i < 10 * shapes; ++i) {
      draw = draw * 1664525U + 1013904223U;
      const std::int64_t grid =
          i < shapes ? std::int64_t{i} + 1 : std::int64_t{draw % static_cast<std::uint32_t>(shapes)} + 1;
      report.launch(
          {1'000'000 + 50'000 * std::int64_t{i}, 1'040'000 + 50'000 * std::int64_t{i}, "k", 7, grid});
    }
  }
  const Outcome outcome = heddle(kImport);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("{} kernels, {} launches", shapes, 10 * shapes)));
}

}  // namespace
}  // namespace heddle::test
