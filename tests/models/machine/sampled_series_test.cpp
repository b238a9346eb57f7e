// A machine that is sampled in a run computes what it computes without, and the rows add up to its totals.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "models/core/base/random.h"
#include "models/machine/machine.h"
#include "models/stats/series.h"
#include "models/stats/writers.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/random_machine.h"
#include "tests/support/machine/statistics.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

struct Sampled {
  std::string failure;
  std::uint64_t cycles = 0;  // at the end of the run
  std::string stats;         // stats.json
  std::string series;        // the CSV of all statistics, or empty
};

// Runs the machine, and samples it every `interval` core cycles unless that is 0.
Sampled run_machine(const MachineSpec& spec, std::uint64_t interval) {
  const std::string text = in_child([&] {
    Machine machine("machine", spec);
    std::ostringstream csv;
    std::optional<Series> series;
    std::optional<SeriesCsv> rows;
    const auto sample = [&] {
      machine.stats();
      series->sample();
      rows->row(machine.gpu().core().now().value + 1, 0);
    };
    if (interval != 0) {
      series.emplace(machine.stats(), std::vector<std::string>{"*"});
      rows.emplace(*series, csv);
      machine.sample_every(interval, sample);
    }
    machine.run();
    if (interval != 0) sample();
    std::ostringstream stats;
    write_json(machine.stats(), stats);
    return nlohmann::json{{"failure", machine.failure()},
                          {"cycles", machine.gpu().core().now().value},
                          {"stats", stats.str()},
                          {"series", csv.str()}}
        .dump();
  });
  const nlohmann::json result = nlohmann::json::parse(text);
  return {result["failure"], result["cycles"], result["stats"], result["series"]};
}

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::size_t formulas_in(const std::map<std::string, ReadStatistic>& stats) {
  return static_cast<std::size_t>(std::count_if(
      stats.begin(), stats.end(), [](const auto& statistic) { return statistic.second.formula != nullptr; }));
}

// A level, and the counters whose sums so far it is the difference of. Of the counters in `down`, a group has
// blocks_flushed only if its blocks may be flushed.
struct Balance {
  std::size_t level = 0;
  std::size_t up = 0;
  std::vector<std::size_t> down;
};

std::vector<Balance> balances_in(const std::vector<std::string>& head) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < head.size(); ++i) columns[head[i].substr(0, head[i].find(' '))] = i;
  std::vector<Balance> balances;
  const auto add = [&](const std::string& level, const std::string& up,
                       const std::vector<std::string>& down) {
    for (const auto& [path, column] : columns) {
      if (path.size() <= level.size() || path.substr(path.size() - level.size()) != level) continue;
      const std::string group = path.substr(0, path.size() - level.size());
      balances.push_back({column, columns.at(group + up), {}});
      for (const std::string& name : down)
        if (name != ".blocks_flushed" || columns.count(group + name) != 0)
          balances.back().down.push_back(columns.at(group + name));
    }
  };
  add(".running_blocks", ".blocks_issued", {".blocks_done"});
  add(".resident_blocks", ".blocks_started", {".blocks_done", ".blocks_saved", ".blocks_flushed"});
  return balances;
}

void expect_totals(const Sampled& sampled, std::uint64_t interval) {
  std::istringstream in(sampled.series);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const std::vector<std::string> head = split(line, ',');
  const std::vector<Balance> balances = balances_in(head);
  EXPECT_GT(balances.size(), 1u);
  std::vector<std::int64_t> sums(head.size());
  std::uint64_t rows = 0;
  while (std::getline(in, line)) {
    ++rows;
    std::vector<std::string> cells = split(line, ',');
    cells.resize(head.size());
    EXPECT_TRUE(cells[0] == std::to_string(rows * interval) || in.peek() == EOF) << cells[0];
    for (std::size_t i = 2; i < cells.size(); ++i) sums[i] += std::strtoll(cells[i].c_str(), nullptr, 10);
    for (const Balance& balance : balances) {
      std::int64_t expected = sums[balance.up];
      for (const std::size_t down : balance.down) expected -= sums[down];
      EXPECT_EQ(cells[balance.level], std::to_string(expected)) << head[balance.level] << " row " << rows;
    }
  }
  EXPECT_EQ(rows, sampled.cycles / interval + 1);
  const std::map<std::string, ReadStatistic> stats = statistics_in(sampled.stats);
  std::size_t counters = 0;
  for (std::size_t i = 2; i < head.size(); ++i) {
    const std::string path = head[i].substr(0, head[i].find(' '));
    const auto found = stats.find(path);
    if (found == stats.end() || found->second.formula) continue;  // a level or a formula
    ++counters;
    EXPECT_EQ(static_cast<std::uint64_t>(sums[i]), found->second.count) << head[i];
  }
  EXPECT_EQ(counters + formulas_in(stats), stats.size());
}

void expect_sampling_changes_nothing(const MachineSpec& spec, std::uint64_t interval) {
  const Sampled plain = run_machine(spec, 0);
  const Sampled sampled = run_machine(spec, interval);
  EXPECT_EQ(plain.failure, sampled.failure);
  EXPECT_EQ(plain.cycles, sampled.cycles);
  EXPECT_TRUE(plain.stats == sampled.stats) << "interval " << interval;
  expect_totals(sampled, interval);
}

TEST(SampledSeries, RowsOfAMixOnCycleSmsAddUpToTheTotalsAndTheRunIsTheSame) {
  for (std::uint64_t seed = 1; seed <= cases(12) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    expect_sampling_changes_nothing(random_cycle_mix(seed), 1 + random.below(3000));
  }
}

// Two long blocks are flushed for a short kernel of higher priority, and start over.
TEST(SampledSeries, RowsAddUpWhereBlocksAreFlushed) {
  MachineSpec spec;
  spec.gpu = shared_gtx480("ppq", {"sm.count=2", "policies.preemption=flush"});
  spec.starvation_limit_ps = 1'000'000'000'000;
  ApiProgram preempted = synthetic("[{loop: 2000, body: [{op: int_add, count: 8}]}]", {2, 256, 20, 6000});
  preempted.kernels[0].restartable = true;
  const ApiProgram preempting = synthetic("[{loop: 10, body: [{op: int_add, count: 8}]}]", {2, 64, 16, 0});
  spec.processes = {process_of(preempted), process_of(preempting, 1)};
  spec.processes[1].number = 1;
  spec.processes[1].start_ps = 20'000'000;
  const Sampled run = run_machine(spec, 0);
  for (const char* sm : {"gpu.sm0", "gpu.sm1"})
    EXPECT_EQ(statistics_in(run.stats).at(sm + std::string(".blocks_flushed")).count, 1u) << sm;
  expect_sampling_changes_nothing(spec, 1009);
}

TEST(SampledSeries, AMachineIsSampledInTheSameCyclesAfterAReset) {
  EXPECT_EQ(in_child([] {
              Machine machine("machine", random_cycle_mix(1));
              std::vector<std::uint64_t> cycles;
              machine.sample_every(700, [&] { cycles.push_back(machine.gpu().core().now().value); });
              machine.run();
              const std::vector<std::uint64_t> first = std::exchange(cycles, {});
              machine.reset();
              machine.run();
              if (first.size() < 3 || first.front() != 699) return std::string("too few");
              return std::string(cycles == first ? "the same" : "different");
            }),
            "the same");
}

TEST(SampledSeries, RowsOfRandomTimedMachinesAddUpToTheTotalsAndTheRunIsTheSame) {
  const GpuSpec k20 = load_platform("k20-cusched");
  for (std::uint64_t seed = 1; seed <= cases(12) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_sampling_changes_nothing(random_machine(3'000'000 + seed, k20), 100'000 + 7 * seed);
  }
}

}  // namespace
}  // namespace heddle::test
