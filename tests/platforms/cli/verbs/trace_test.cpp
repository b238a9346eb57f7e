// heddle run --trace: the hops of a load on two platforms, the same bytes on any number of threads, and
// errors.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"
#include "tests/support/trace_decoder.h"

namespace heddle::test {
namespace {

using Row = std::map<std::string, std::string>;  // by column
using Rows = std::vector<Row>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
  return cells;
}

Rows rows_of(const std::string& csv) {
  std::istringstream text(csv);
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cells_of(line);
  Rows rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const char* column) {
  return std::stod(row.at(column));
}

std::string text_of(double cycles) {
  return fmt::format("{:.4g}", cycles);
}

// Reads the tables of models/TRACE.md: of each row the first cell, and those of the two platforms.
using Page = std::map<std::string, std::vector<std::string>>;
constexpr std::size_t kGtx480 = 0;
constexpr std::size_t kGp100 = 1;

std::string stripped(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" `");
  return first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(" `") - first + 1);
}

Page page_of(const std::string& title) {
  std::ifstream file(source_directory() + "/models/TRACE.md");
  Page page;
  bool is_there = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) is_there = line.substr(3) == title;
    if (!is_there || line.rfind("| ", 0) != 0 || line.rfind("| ---", 0) == 0) continue;
    std::istringstream row(line.substr(1));
    std::vector<std::string> cells;
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(stripped(cell));
    if (cells.at(0) != "event" && cells.at(0) != "load") page[cells[0]] = {cells.at(1), cells.at(2)};
  }
  EXPECT_FALSE(page.empty()) << title;
  return page;
}

class TraceFiles : public CliTest {
 protected:
  // Returns the file of the only run in a directory of results.
  std::string file_of(const std::string& directory, const std::string& file) const {
    for (const std::string& name : files())
      if (name.rfind(directory + "/", 0) == 0 && std::filesystem::path(name).filename() == file)
        return read(name);
    ADD_FAILURE() << directory << " has no " << file;
    return "";
  }

  // Writes chase.yaml: one thread that makes so many loads, each of which waits for the one before.
  void write_chase(int loads, const std::string& pattern) const {
    write("chase.yaml",
          "application: chase\ndescription: d\nsource: s\nkernels:\n  chase: {blocks: 1, threads: 1, "
          "registers: 16, shared_memory: 0B, code: [{loop: " +
              std::to_string(loads) + ", body: [{load: global, " + pattern +
              ", dependent: true}]}]}\nprogram: [{launch: chase}]\n");
  }

  // Returns the events from the issue of the last load to its write-back.
  Rows last_load(const std::string& platform, int loads, const std::string& pattern) const {
    write_chase(loads, pattern);
    write("run.yaml",
          "experiment: run\nquestion: q\nplatform: " + platform + "\napplications: [chase.yaml]\n");
    const std::string out = "out" + std::to_string(files().size());
    const Outcome outcome = heddle("run run.yaml --trace kernel=chase --cache none --out " + out);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    Rows rows = rows_of(file_of(out, "trace.csv"));
    const auto is_load = [](const Row& row, const char* event) {
      return row.at("event") == event &&
             (event != std::string("issue") || row.at("detail").rfind("load ", 0) == 0);
    };
    const auto issue =
        std::find_if(rows.rbegin(), rows.rend(), [&](const Row& row) { return is_load(row, "issue"); });
    if (issue == rows.rend()) {
      ADD_FAILURE() << "no load was issued";
      return {};
    }
    const std::string pc = issue->at("pc");
    Rows load(issue.base() - 1, rows.end());
    const auto end = std::find_if(load.begin(), load.end(), [&](const Row& row) {
      return row.at("event") == "writeback" && row.at("pc") == pc;
    });
    if (end != load.end()) load.erase(end + 1, load.end());
    return load;
  }

  // Returns the cycles of the block's own clock between two events of the load.
  static double between(const Rows& load, const char* from, const char* to) {
    const auto of = [&load](const char* event) -> const Row& {
      static const Row kNone{{"cycle", "nan"}};
      for (const Row& row : load)
        if (row.at("event") == event) return row;
      return kNone;
    };
    return number(of(to), "cycle") - number(of(from), "cycle");
  }

  // Returns the core cycles from the issue of the load to the last event of each name, as the page has them.
  static std::map<std::string, std::string> cycles_of(const Rows& load) {
    std::map<std::string, std::string> cycles;
    for (const Row& row : load)
      if (!row.at("request").empty() || (row.at("pc") == load.front().at("pc") && row.at("event") != "wait"))
        cycles[row.at("event")] = text_of(number(row, "core_cycle") - number(load.front(), "core_cycle"));
    return cycles;
  }

  // Compares both loads with the table of models/TRACE.md under this title. A table with the issue has every
  // event of the loads.
  static void expect_page(const std::string& title, const Rows& gtx480, const Rows& gp100) {
    ASSERT_FALSE(gtx480.empty() || gp100.empty());
    const Page page = page_of(title);
    const auto of_gtx480 = cycles_of(gtx480);
    const auto of_gp100 = cycles_of(gp100);
    const auto cell = [](const std::map<std::string, std::string>& cycles, const std::string& event) {
      return cycles.count(event) == 0 ? std::string("none") : cycles.at(event);
    };
    for (const auto& [event, cells] : page)
      EXPECT_EQ(cells, (std::vector<std::string>{cell(of_gtx480, event), cell(of_gp100, event)})) << event;
    if (page.count("issue") == 0) return;
    for (const auto& cycles : {of_gtx480, of_gp100})
      for (const auto& [event, cycle] : cycles) EXPECT_EQ(page.count(event), 1u) << event << " at " << cycle;
  }

  static double page_cycles(const std::string& title, std::size_t platform) {
    return std::stod(page_of(title).at("writeback").at(platform));
  }
};

TEST_F(TraceFiles, ALoadThatHitsL1TakesTheCyclesOfThePage) {
  const char* pattern = "pattern: uniform, region: 128B";
  expect_page("A load that hits L1", last_load("gtx480", 8, pattern), last_load("gp100", 8, pattern));
}

TEST_F(TraceFiles, ALoadThatHitsL2TakesTheCyclesOfThePage) {
  expect_page("A load that misses L1 and hits L2",
              last_load("gtx480", 520, "pattern: strided, stride: 128B, region: 64KiB"),
              last_load("gp100", 1100, "pattern: strided, stride: 128B, region: 128KiB"));
}

TEST_F(TraceFiles, ALoadFromDramTakesTheCyclesOfThePage) {
  const Rows gtx480 = last_load("gtx480", 16, "pattern: strided, stride: 393216B, region: 384MiB");
  const Rows gp100 = last_load("gp100", 60, "pattern: strided, stride: 1MiB, region: 1GiB");
  expect_page("A load that misses L2", gtx480, gp100);
  EXPECT_EQ(between(gtx480, "dram_arrive", "dram_queue"), 148);  // dram.latency
  EXPECT_EQ(between(gp100, "dram_arrive", "dram_queue"), 107);
}

TEST_F(TraceFiles, OfTheLoadsAddUpToTheDocumentedLatencies) {
  const auto cells = [](const std::string& sum, double load, double documented) {
    EXPECT_NEAR(load, documented, 0.02 * documented);
    return sum + ", " + text_of(documented);
  };
  const auto of_gtx480 = [&](const char* title, double documented) {
    const double load = page_cycles(title, kGtx480);
    return cells(text_of(load), load, documented);
  };
  const auto of_gp100 = [&](const char* title, double documented) {
    const double load = page_cycles(title, kGp100);
    return cells(text_of(load) + " + 6 = " + text_of(load + 6), load + 6, documented);
  };
  using Cells = std::vector<std::string>;
  const Page sums = page_of("Sums and documented latencies");
  EXPECT_EQ(sums.at("hits L1"),
            (Cells{of_gtx480("A load that hits L1", 40), of_gp100("A load that hits L1", 81)}));
  const char* hit = "A load that misses L1 and hits L2";
  EXPECT_EQ(sums.at("hits L2"), (Cells{of_gtx480(hit, 182), of_gp100(hit, 252)}));
  const char* miss = "A load that misses L2";
  EXPECT_EQ(sums.at("misses L2"), (Cells{of_gtx480(miss, 319.5), of_gp100(miss, 486)}));
}

TEST_F(TraceFiles, OfAStepOfAPointerChaseHaveALoadAndTheAdditionOfItsAddress) {
  const Outcome outcome = heddle(
      "run pointer_chase --platform gp100 --set parameters.footprint=4096 --set parameters.steps=128 "
      "--cache none --trace kernel=pointer_chase --out chase");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<Row> issues;
  for (const Row& row : rows_of(file_of("chase", "trace.csv")))
    if (row.at("event") == "issue") issues.push_back(row);
  const auto starts = [](const Row& row, const char* words) { return row.at("detail").rfind(words, 0) == 0; };
  const auto cycles = [](const Row& from, const Row& to) {
    return number(to, "core_cycle") - number(from, "core_cycle");
  };
  // The second round through the ring, which L1 has: 32 loads in 4 KiB, eight a turn of the loop.
  std::size_t steps = 0;
  for (std::size_t i = issues.size() / 2; i + 2 < issues.size(); ++i) {
    if (!starts(issues[i], "load ") || !starts(issues[i + 1], "int_add ") || !starts(issues[i + 2], "load "))
      continue;
    EXPECT_EQ(cycles(issues[i], issues[i + 1]), page_cycles("A load that hits L1", kGp100));
    EXPECT_EQ(cycles(issues[i + 1], issues[i + 2]), 6);
    ++steps;
  }
  EXPECT_GT(steps, 32u);
}

TEST_F(TraceFiles, AreTheSameBytesOnAnyNumberOfThreadsAndChangeNoResult) {
  const std::string run = "run vector_add --set parameters.n=20000 --platform gtx480 --cache none ";
  const std::string trace = "--trace sm3 --trace kernel=vector_add,cycles=0-900 --timeline ";
  ASSERT_EQ(heddle(run + "--timeline --out plain").code, 0);
  ASSERT_EQ(heddle(run + trace + "--out one").code, 0);
  ASSERT_EQ(heddle(run + trace + "--threads 3 --build-reversed --out three").code, 0);
  EXPECT_EQ(file_of("one", "stats.json"), file_of("plain", "stats.json"));
  EXPECT_EQ(file_of("one", "kernels.csv"), file_of("plain", "kernels.csv"));
  for (const char* file : {"trace.txt", "trace.csv", "timeline.perfetto-trace", "stats.json"})
    EXPECT_TRUE(file_of("one", file) == file_of("three", file)) << file;
  std::set<std::string> blocks;
  for (const Row& row : rows_of(file_of("one", "trace.csv"))) {
    EXPECT_TRUE(row.at("sm") == "3" || number(row, "core_cycle") < 20000);
    EXPECT_TRUE(row.at("sm") != "3" || row.at("kernel") == "vector_add");
    blocks.insert(row.at("block").substr(0, 2));
  }
  EXPECT_EQ(blocks, (std::set<std::string>{"cr", "dr", "l2", "sm"}));
  std::set<std::string> tracks;
  for (const trace::Event& event : trace::Trace(file_of("one", "timeline.perfetto-trace")).events)
    if (event.track.rfind("sm3.warp0 ", 0) == 0) tracks.insert(event.track);
  EXPECT_TRUE(tracks.count("sm3.warp0 issue 1") == 1 && tracks.count("sm3.warp0 requests 1") == 1);
}

TEST_F(TraceFiles, OfWhatIsNotThereAreOneError) {
  const auto error_of = [this](const std::string& words) {
    const Outcome outcome = heddle("run vector_add --set parameters.n=2000 --out none " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("none"));
    return outcome.err;
  };
  const std::string on = "--platform gtx480 --trace ";
  EXPECT_NE(error_of(on + "sm15").find("there is no sm15; the platform has sm0 to sm14"), std::string::npos);
  EXPECT_NE(error_of(on + "sm0.warp48").find("there is no warp48"), std::string::npos);
  EXPECT_NE(error_of(on + "kernel=vector_ad").find("did you mean 'vector_add'?"), std::string::npos);
  EXPECT_NE(error_of(on + "wrap3").find("wrap3 is no part of a trace"), std::string::npos);
  const Outcome functional = heddle("run vector_add --functional --trace sm0");
  EXPECT_EQ(functional.code, 2);
  EXPECT_NE(functional.err.find("--trace has no meaning"), std::string::npos) << functional.err;
}

TEST_F(TraceFiles, OfTimedSmsAreAnErrorAndOfNothingANote) {
  write_small();
  const Outcome timed = heddle("run small.yaml --trace sm0");
  EXPECT_EQ(timed.code, 2);
  EXPECT_NE(timed.err.find("this platform has timed ones"), std::string::npos) << timed.err;
  const Outcome empty = heddle(
      "run vector_add --set parameters.n=200 --platform gtx480 --trace sm14.warp47 --out empty --cache none");
  EXPECT_EQ(empty.code, 0);
  EXPECT_NE(empty.err.find("nothing that --trace names has happened"), std::string::npos) << empty.err;
}

}  // namespace
}  // namespace heddle::test
