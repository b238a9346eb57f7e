// What a run with servers and preemption keeps beside its summary: hand-overs, lost work, the timeline of
// requests, unfairness and counters over time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/trace_decoder.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using Rows = std::vector<std::vector<std::string>>;

// A server whose kernel fills the GPU beside a program whose long blocks are flushed for it.
class ServerResults : public CliTest {
 protected:
  ServerResults() {
    write("server.yaml",
          "application: server\nmeasured_on: k20-cusched\n"
          "kernels: {answer: {blocks: 104, threads: 256, registers: 20, time: 1ms}}\n"
          "arrivals: {kind: periodic, period: 10ms, requests: 30, warm_up: 5, deadline: 2ms}\n"
          "program: [{launch: answer}, {synchronise: all}]\n");
    write("batch.yaml",
          "application: batch\nmeasured_on: k20-cusched\n"
          "kernels: {work: {blocks: 416, threads: 256, registers: 20, time: 24ms}}\n"
          "program: [{repeat: 10, body: [{launch: work}]}, {synchronise: all}]\n");
    write("both.yaml",
          "experiment: both\nplatform: k20-cusched\napplications:\n"
          "  - {application: ./server.yaml, priority: 1}\n  - {application: ./batch.yaml, restartable: on}\n"
          "compare: [{sm_partitioner: ppq, preemption: flush}]\n");
  }

  Json run(const std::string& options = "", const std::string& out = "kept") const {
    const Outcome outcome = heddle("run both.yaml --json --out " + out + " " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["runs"][0];
  }

  // Returns the file of this name of the only run.
  std::string file(const std::string& name, const std::string& out = "kept") const {
    for (const std::string& path : files())
      if (path.rfind(out + "/1-", 0) == 0 && path.substr(path.rfind('/') + 1) == name) return read(path);
    ADD_FAILURE() << "no file " << name;
    return "";
  }

  // The first row is the head.
  Rows rows(const std::string& name, const std::string& out = "kept") const {
    Rows table;
    std::istringstream lines(file(name, out));
    for (std::string line; std::getline(lines, line);) {
      table.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) table.back().push_back(cell);
      if (!line.empty() && line.back() == ',') table.back().emplace_back();
    }
    return table;
  }
};

TEST_F(ServerResults, EachHandOverIsARowAndTheSummaryHasTheirPercentiles) {
  const Json summary = run();
  const Rows table = rows("handovers.csv");
  const std::vector<std::string> head{"handover",        "sm",          "application",
                                      "kernel",          "launch",      "way",
                                      "decided [cycle]", "end [cycle]", "latency [ns]"};
  ASSERT_EQ(table.front(), head);
  std::vector<double> ns;
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_EQ(table[i][0], std::to_string(i - 1));
    EXPECT_EQ(table[i][2], "batch");  // nothing is taken from the server
    EXPECT_EQ(table[i][3], "work");
    EXPECT_EQ(table[i][5], "flush");
    ns.push_back(std::stod(table[i][8]));
    const double cycles = std::stod(table[i][7]) - std::stod(table[i][6]);
    EXPECT_NEAR(ns.back(), cycles * 1e9 / summary["core_hz"].get<double>(), 1e-3 * ns.back());
  }
  ASSERT_GE(ns.size(), 13U * 25);
  const Json& all = summary["handovers"][0];
  EXPECT_EQ(all["way"], "all");
  EXPECT_EQ(all["count"], ns.size());
  EXPECT_EQ(summary["handovers"][1]["way"], "flush");
  EXPECT_NEAR(all["latency"]["max_ps"].get<double>(), 1e3 * *std::max_element(ns.begin(), ns.end()), 2);
  std::sort(ns.begin(), ns.end());
  const double median = ns[(ns.size() + 1) / 2 - 1] * 1e3;
  EXPECT_GE(all["latency"]["percentiles"][0]["value_ps"].get<double>(), median - 1);
  EXPECT_LE(all["latency"]["percentiles"][0]["value_ps"].get<double>(), median * (1 + 1.0 / 1024) + 1);
}

TEST_F(ServerResults, TheWorkThatFlushesThrowAwayIsThatOfTheLaunches) {
  const Json summary = run();
  const Rows table = rows("kernels.csv");
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), name) - table[0].begin());
  };
  std::uint64_t blocks = 0;
  std::uint64_t cycles = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    blocks += std::stoull(table[i][column("blocks_flushed")]);
    cycles += std::stoull(table[i][column("lost [block*cycle]")]);
  }
  const Json& server = summary["applications"][0]["kernels"][0]["lost"];
  const Json& batch = summary["applications"][1]["kernels"][0]["lost"];
  EXPECT_EQ(server["blocks_flushed"], 0);
  EXPECT_GT(blocks, 25U);
  EXPECT_EQ(batch["blocks_flushed"], blocks);
  EXPECT_EQ(batch["block_cycles"], cycles);
}

TEST_F(ServerResults, TheTablesHavePercentilesThroughputAndHandOvers) {
  const Outcome outcome = heddle("run both.yaml --out kept");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* column : {"p90", "p95", "p99.9", "throughput", "/ alone", "blocks flushed", "cycles lost"})
    EXPECT_THAT(outcome.out, HasSubstr(column));
}

// Without a blocking batch program nothing is handed over, and there is no file of it.
TEST_F(ServerResults, ARunWithoutHandOversHasNoneToTell) {
  const Outcome outcome = heddle("run server.yaml --json --out alone");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(Json::parse(outcome.out)["runs"][0].contains("handovers"));
  for (const std::string& path : files()) EXPECT_EQ(path.find("handovers.csv"), std::string::npos);
}

TEST_F(ServerResults, TheTimelineHasTheRequests) {
  for (const char* level : {"kernels", "sms", "blocks"}) {
    const Json summary = run(std::string("--timeline=") + level, level);
    const Json& requests = summary["applications"][0]["requests"];
    std::map<std::string, std::uint64_t> services;
    std::uint64_t changes = 0;
    for (const trace::Event& event : trace::Trace(file("timeline.perfetto-trace", level)).events) {
      if (event.track == "server service" && event.type == trace::kBegin) ++services[event.name];
      if (event.track == "server queue" && event.type == trace::kCounter) ++changes;
    }
    const std::uint64_t in_time = requests["in_time"];
    const std::uint64_t measured = requests["measured"]["served"];
    EXPECT_EQ(services["in time"], in_time) << level;
    EXPECT_EQ(services["late"], measured - in_time) << level;
    EXPECT_EQ(services["in time (not measured)"] + services["late (not measured)"], 5U) << level;
    EXPECT_GE(changes, 1U) << level;
  }
}

TEST_F(ServerResults, UnfairnessHasTheWindowsOfTheInterval) {
  const Json summary = run("--interval 10ms");
  const Json& unfairness = summary["unfairness"];
  const Rows table = rows("unfairness.csv");
  const std::vector<std::string> head{"begin [ps]", "end [ps]", "unfairness", "slowdown.0", "slowdown.1"};
  ASSERT_EQ(table.front(), head);
  const double window = unfairness["window_ps"];
  EXPECT_NEAR(window, 1e10, 1e5);  // rounded to core cycles
  ASSERT_EQ(table.size() - 1, unfairness["windows"].size());
  EXPECT_EQ(table.size() - 1, rows("series.csv").size() - 1);
  double sum = 0;
  int valued = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_EQ(std::stod(table[i][0]), window * static_cast<double>(i - 1));
    if (table[i][2].empty()) continue;
    const double a = std::stod(table[i][3]);
    const double b = std::stod(table[i][4]);
    EXPECT_NEAR(std::stod(table[i][2]), std::max(a, b) / std::min(a, b), 1e-9);
    sum += std::stod(table[i][2]);
    ++valued;
  }
  ASSERT_GT(valued, 10);
  EXPECT_NEAR(unfairness["mean"].get<double>(), sum / valued, 1e-9);
  EXPECT_EQ(std::stod(table.back()[1]), summary["simulated_ps"].get<double>());
}

TEST_F(ServerResults, ASeriesHasTheRequestsOverTime) {
  const Json summary = run("--interval 10ms --series applications.server.requests.*");
  const Rows table = rows("series.csv");
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), name) - table[0].begin());
  };
  const std::size_t served = column("applications.server.requests.served [request]");
  const std::size_t service = column("applications.server.requests.service_time [ns]");
  ASSERT_LT(std::max(served, service), table[0].size()) << file("series.csv").substr(0, 500);
  std::uint64_t requests = 0;
  double ns = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    requests += std::stoull(table[i][served]);
    ns += std::stod(table[i][service]);
  }
  EXPECT_EQ(requests, summary["applications"][0]["requests"]["all"]["served"]);
  EXPECT_EQ(requests, 30U);
  EXPECT_NEAR(ns / 30, summary["applications"][0]["requests"]["service"]["mean_ps"].get<double>() / 1e3,
              0.1 * ns / 30);  // of the measured ones
}

}  // namespace
}  // namespace heddle::test
