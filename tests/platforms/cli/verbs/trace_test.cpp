// heddle run --trace: the hops of a load on two platforms, the same bytes on any number of threads, and
// errors.

#include <algorithm>
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

  static double cycles_of(const Rows& load) {
    return load.empty() ? 0 : number(load.back(), "core_cycle") - number(load.front(), "core_cycle");
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

  // The hops of the request from its making to its answer, one after the other.
  static std::string hops_of(const Rows& load) {
    std::string hops;
    double last = 0;
    for (const Row& row : load) {
      if (row.at("request").empty()) continue;
      EXPECT_GE(number(row, "ps"), last) << row.at("event");
      last = number(row, "ps");
      hops += (hops.empty() ? "" : " ") + row.at("event");
    }
    return hops;
  }
};

TEST_F(TraceFiles, ALoadThatHitsL1TakesTheDocumentedLatency) {
  EXPECT_EQ(cycles_of(last_load("gtx480", 8, "pattern: uniform, region: 128B")), 40);
  EXPECT_NEAR(cycles_of(last_load("gp100", 8, "pattern: uniform, region: 128B")), 81, 0.08 * 81);
}

TEST_F(TraceFiles, ALoadThatHitsL2TakesTheDocumentedLatencyHopByHop) {
  const Rows load = last_load("gtx480", 520, "pattern: strided, stride: 128B, region: 64KiB");
  EXPECT_NEAR(cycles_of(load), 182, 0.05 * 182);
  EXPECT_EQ(hops_of(load),
            "request send request_in request_out l2_access l2_reply reply_in reply_out answer");
  EXPECT_EQ(between(load, "dispatch", "access"), 2);  // load_store.latency
  EXPECT_EQ(between(load, "request", "send"), 35);    // caches.l1.latency
  EXPECT_EQ(between(load, "l2_access", "l2_reply"),
            3 + 8);  // l2.hit_latency, behind the first of four sectors
  EXPECT_NEAR(cycles_of(last_load("gp100", 1100, "pattern: strided, stride: 128B, region: 128KiB")), 252,
              0.05 * 252);
}

TEST_F(TraceFiles, ALoadFromDramTakesTheDocumentedLatencyHopByHop) {
  const Rows load = last_load("gtx480", 16, "pattern: strided, stride: 393216B, region: 384MiB");
  EXPECT_NEAR(cycles_of(load), 319.5, 0.05 * 319.5);
  EXPECT_EQ(between(load, "dispatch", "access"), 2);           // load_store.latency
  EXPECT_EQ(between(load, "request", "send"), 35);             // caches.l1.latency
  EXPECT_EQ(between(load, "dram_arrive", "dram_queue"), 148);  // dram.latency
  const std::string hops = hops_of(load);
  for (const char* hop : {"l2_to_dram dram_arrive", "dram_queue dram_command", "dram_reply", "l2_fill",
                          "l2_reply reply_in reply_out answer"})
    EXPECT_NE(hops.find(hop), std::string::npos) << hops;
  EXPECT_EQ(between(last_load("gp100", 16, "pattern: strided, stride: 1MiB, region: 1GiB"), "dram_arrive",
                    "dram_queue"),
            107);  // dram.latency
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
