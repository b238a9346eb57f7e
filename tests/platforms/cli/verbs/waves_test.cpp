// The waveform of a run: its values beside those of series.csv, and its files.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <tuple>

#include "tests/platforms/cli/cli.h"
#include "tests/support/rtl/waves.h"

namespace heddle::test {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Returns the cells of series.csv, the heads first.
Rows cells_of(const std::string& csv) {
  Rows rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line + ",");
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

// Returns the value that stands at the time.
std::string value_at(const WaveSignal& signal, std::uint64_t ps) {
  const auto later = [](std::uint64_t time, const auto& change) { return time < change.first; };
  const auto after = std::upper_bound(signal.changes.begin(), signal.changes.end(), ps, later);
  return after == signal.changes.begin() ? "" : std::prev(after)->second;
}

// Expects that the value at the begin of each interval is that of the interval's row.
void expect_rows(const Waves& waves, const Rows& rows) {
  ASSERT_EQ(waves.signals.size(), rows[0].size() - 2);
  for (std::size_t column = 2; column < rows[0].size(); ++column) {
    const std::string path = rows[0][column].substr(0, rows[0][column].find(' '));
    ASSERT_EQ(waves.signals.count(path), 1u) << path;
    const WaveSignal& signal = waves.signals.at(path);
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const std::uint64_t begin = row == 1 ? 0 : std::stoull(rows[row - 1][1]);
      const std::string expected = rows[row][column], value = value_at(signal, begin);
      const std::string where = fmt::format("{} at {} ps", path, begin);
      if (expected.empty())
        EXPECT_EQ(value, "nan") << where;
      else if (signal.type == "integer")
        EXPECT_EQ(std::stoull(value, nullptr, 2), std::stoull(expected)) << where;
      else
        EXPECT_DOUBLE_EQ(std::stod(value), std::stod(expected)) << where;
    }
  }
  EXPECT_EQ(waves.end, std::stoull(rows.back()[1]));
}

class WavesOfARun : public CliTest {
 protected:
  WavesOfARun() { write_small(); }
};

TEST_F(WavesOfARun, HaveTheValueOfEachIntervalFromItsBeginOn) {
  for (const char* file : {"run.fst", "run.vcd"}) {
    const Outcome outcome = heddle(
        fmt::format("run vector_add --platform gtx480 --out {0}.results --waves {0} --interval 50cycles "
                    "--series gpu.sm*.cycles.* --series gpu.l*_miss_rate --series gpu.occupancy "
                    "--series applications.*",
                    file));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(fmt::format("\nwaves: {0}\nresults: {0}.results\n", file)), std::string::npos)
        << outcome.out;
    const Rows rows = cells_of(read(fmt::format("{}.results/1-gtx480/series.csv", file)));
    EXPECT_GT(rows.size(), 20u);
    EXPECT_GT(rows[0].size(), 100u);
    expect_rows(read_waves(directory_ / file), rows);
  }
}

TEST_F(WavesOfARun, AreAFileForEachOfSeveralRuns) {
  const Outcome outcome = heddle("run small.yaml --out kept --interval 50us --waves waves.fst");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nwaves: waves-1-fcfs-s.fst\nwaves: waves-2-token-imbalance-2.fst\n"),
            std::string::npos)
      << outcome.out;
  for (const std::string run : {"1-fcfs-s", "2-token-imbalance-2"})
    expect_rows(read_waves(directory_ / ("waves-" + run + ".fst")),
                cells_of(read("kept/" + run + "/series.csv")));
  EXPECT_FALSE(exists("waves.fst"));
}

TEST_F(WavesOfARun, NeverReplaceAFile) {
  for (const auto& [file, message] :
       {std::pair{"waves-2-token-imbalance-2.vcd",
                  "waves-2-token-imbalance-2.vcd: the file exists; choose another with --waves"},
        {"waves-1-fcfs-s.vcd.partial",
         "waves-1-fcfs-s.vcd: waves-1-fcfs-s.vcd.partial exists: another run writes there, or one was "
         "killed; "
         "choose another file with --waves"}}) {
    write(file, "precious");
    const std::vector<std::string> before = files();
    const Outcome outcome = heddle("run small.yaml --out kept --interval 1us --waves waves.vcd");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, fmt::format("heddle: {}\n", message));
    EXPECT_EQ(files(), before);
    EXPECT_EQ(read(file), "precious");
    std::filesystem::remove(directory_ / file);
  }
}

TEST_F(WavesOfARun, ThatFailsAreRemoved) {
  std::string text = read("other.yaml");
  write("other.yaml", text.replace(text.find("repeat: 2"), 9, "repeat: 900000000"));  // it takes hours
  const std::vector<std::string> before = files();
  Surroundings surroundings;
  surroundings.meanwhile = [&](pid_t program) {
    EXPECT_TRUE(eventually([&] { return exists("waves-1-fcfs-s.fst.partial"); }));
    kill(program, SIGTERM);
  };
  const Outcome outcome = heddle("run small.yaml --interval 1ms --waves waves.fst", surroundings);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(files(), before);
}

TEST_F(WavesOfARun, AreOneMessageWhereTheyCannotBeWritten) {
  for (const auto& [words, code, message] :
       {std::tuple{"--waves run.fst", 2, "--waves needs --interval, the time between samples"},
        {"--interval 1us --waves run.png", 2, "--waves run.png: needs a file that ends in .fst or .vcd"},
        {"--interval 1us --waves .fst", 2, "--waves .fst: needs a file that ends in .fst or .vcd"},
        {"--interval 1us --waves none/run.fst", 2,
         "--waves none/run-1-fcfs-s.fst: there is no such folder"}}) {
    const std::vector<std::string> before = files();
    const Outcome outcome = heddle(std::string("run small.yaml --out kept ") + words);
    EXPECT_EQ(outcome.code, code) << words;
    EXPECT_EQ(outcome.err, fmt::format("heddle: {}\n", message));
    EXPECT_EQ(files(), before) << words;
  }
}

}  // namespace

}  // namespace heddle::test
