// Runs with everything that watches a run: each timeline, a series of every statistic, its waveform, several
// threads. Whoever watches has room for all that a policy can put on an SM, and changes nothing. The gate
// runs these tests under the address sanitizer.

#include <fmt/format.h>

#include "tests/platforms/cli/cli.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

// What runs, and the interval of the series.
struct Watched {
  const char* name;
  const char* words;
  const char* interval;
  bool is_short = true;  // else it runs at full size only
};

void PrintTo(const Watched& watched, std::ostream* out) {
  *out << watched.words;
}

class ObservedRuns : public CliTest, public testing::WithParamInterface<Watched> {
 protected:
  ObservedRuns() { longest_ = std::chrono::minutes(10); }

  void run(const std::string& name, const std::string& how) const {
    const Outcome outcome = heddle(fmt::format("run {} --quiet --out {}{}", GetParam().words, name, how));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  // The statistics and tables of a run do not depend on who watches it.
  void expect_same(const std::string& one, const std::string& other) const {
    std::size_t compared = 0;
    for (const std::string& name : files()) {
      if (name.rfind(one + "/", 0) != 0 || !std::filesystem::is_regular_file(directory_ / name)) continue;
      if (name.find("provenance.json") != std::string::npos) continue;
      EXPECT_EQ(read(name), read(other + name.substr(one.size()))) << name;
      ++compared;
    }
    EXPECT_GT(compared, 2u);
  }
};

TEST_P(ObservedRuns, AreTheRunsThatNobodyWatches) {
  if (!GetParam().is_short && !full_size()) GTEST_SKIP() << "at full size";
  // Eight block slots and more blocks than that, with shared memory, barriers and phases.
  write("phases.yaml",
        "application: phases\nkernels:\n  k:\n    blocks: 40\n    threads: 64\n    registers: 20\n    "
        "shared_memory: 1KiB\n    code:\n      - {load: global, pattern: stream, region: 64KiB, to: x}\n     "
        " - {store: "
        "shared, from: x}\n      - {barrier: 0}\n      - phase: {live_registers: 8, live_shared: 1KiB}\n     "
        " - {loop: "
        "4, body: [{load: shared, to: y}, {op: float_fma, from: y, count: 4}]}\n      - {store: global, "
        "pattern: stream, "
        "region: 64KiB, from: x}\nprogram: [{launch: k}, {launch: k}, {synchronise: all}]\n");
  write_small();
  run("alone", "");
  for (const char* timeline : {"kernels", "sms", "blocks"}) {
    run(timeline, std::string(" --timeline=") + timeline);
    expect_same("alone", timeline);
  }
  run("series", fmt::format(" --interval {} --timeline=blocks --waves series.vcd", GetParam().interval));
  run("threads",
      fmt::format(" --interval {} --timeline=blocks --threads 2 --waves threads.fst", GetParam().interval));
  expect_same("series", "threads");
}

INSTANTIATE_TEST_SUITE_P(
    , ObservedRuns,
    testing::Values(
        Watched{"Static", "phases.yaml --platform gtx480 --set sm.count=1", "500cycles"},
        Watched{"Wlm", "phases.yaml --platform gtx480 --set sm.count=1 --policy resource_manager=wlm",
                "500cycles"},
        Watched{"Zorua", "phases.yaml --platform gtx480 --set sm.count=1 --policy resource_manager=zorua",
                "500cycles"},
        Watched{"Kepler",
                "phases.yaml --platform kepler-zorua --set sm.count=1 --policy resource_manager=zorua",
                "500cycles"},
        Watched{"Hbm2", "phases.yaml --platform gp100 --set sm.count=2", "500cycles"},
        Watched{"Timed", "small.yaml", "1us"},
        Watched{"Mix",
                "warped-slicer-mix --set window=5000cycles --set sm.count=2 --policy resource_manager=zorua",
                "500cycles"},
        Watched{"Servers", "answers-beside-lbm", "5ms", false},
        Watched{"Preemption", "preemption", "10us", false}, Watched{"Instances", "instances", "20ms", false}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace heddle::test
