// The levels of detail of the timelines that heddle run writes, as numbers of slices.

#include <set>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/trace_decoder.h"

namespace heddle::test {
namespace {

struct Slices {
  int kernels = 0;  // of the KSRs
  int on_sms = 0;   // kernels by SM, set-ups and hand-overs
  int blocks = 0;
  int copies = 0;
};

class TimelineLevels : public CliTest {
 protected:
  void keep(const std::string& words, const std::string& name) const {
    const Outcome outcome = heddle("run " + words + " --out " + name);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  Slices slices_of(const std::string& run) const {
    Slices slices;
    for (const trace::Event& event : trace::Trace(read(run + "/timeline.perfetto-trace")).events) {
      if (event.type != trace::kBegin) continue;
      const bool on_sm = event.track.rfind("SM ", 0) == 0;
      ++(event.track.rfind("KSR ", 0) == 0                 ? slices.kernels
         : !on_sm                                          ? slices.copies
         : event.track.find(" slot ") != std::string::npos ? slices.blocks
                                                           : slices.on_sms);
    }
    return slices;
  }

  // The folder of the only run in a directory of results, which is named by its policies.
  std::string folder_of_timeline(const std::string& directory) const {
    const std::string file = "/timeline.perfetto-trace";
    for (const std::string& name : files())
      if (name.rfind(directory + "/", 0) == 0 && name.find(file) != std::string::npos)
        return name.substr(0, name.size() - file.size());
    ADD_FAILURE() << directory << " has no timeline";
    return directory;
  }

  // Returns the sum of a column of kernels.csv over the launches, or for no column the number of launches.
  int sum_of_launches(const std::string& run, std::size_t column) const {
    std::istringstream table(read(run + "/kernels.csv"));
    std::string line;
    std::getline(table, line);
    int sum = 0;
    while (std::getline(table, line)) {
      std::istringstream cells(line);
      std::string cell;
      for (std::size_t i = 0; i <= column; ++i) std::getline(cells, cell, ',');
      sum += column == kLaunches ? 1 : std::stoi(cell);
    }
    return sum;
  }
  static constexpr std::size_t kLaunches = 0, kBlocks = 6;
};

TEST_F(TimelineLevels, EachLevelHasWhatTheLastOneHas) {
  write_small();
  const std::string run = "/2-token-imbalance-2";
  Slices by_level[3];
  const char* const levels[] = {"kernels", "sms", "blocks"};
  for (int i = 0; i < 3; ++i) {
    keep(std::string("small.yaml --timeline=") + levels[i], levels[i]);
    by_level[i] = slices_of(levels[i] + run);
    EXPECT_EQ(by_level[i].kernels, sum_of_launches(levels[i] + run, kLaunches)) << levels[i];
    EXPECT_GT(by_level[i].copies, 1) << levels[i];
    EXPECT_EQ(by_level[i].copies, by_level[0].copies) << levels[i];
  }
  EXPECT_EQ(by_level[0].on_sms, 0);
  EXPECT_GE(by_level[1].on_sms, 2 * by_level[1].kernels);  // at least one set-up and one SM each
  EXPECT_EQ(by_level[2].on_sms, by_level[1].on_sms);
  EXPECT_EQ(by_level[1].blocks, 0);
  EXPECT_EQ(by_level[2].blocks, sum_of_launches("blocks" + run, kBlocks));
  keep("small.yaml --timeline", "default");
  EXPECT_EQ(read("default" + run + "/timeline.perfetto-trace"),
            read("sms" + run + "/timeline.perfetto-trace"));
}

TEST_F(TimelineLevels, TheDefaultExperimentIsSmallEnoughForAViewer) {
  keep("parboil-eight --timeline", "kept");
  for (const char* run : {"kept/1-fcfs-s", "kept/2-fcfs-m", "kept/3-ppq", "kept/4-token"}) {
    const Slices slices = slices_of(run);
    EXPECT_EQ(slices.kernels, sum_of_launches(run, kLaunches)) << run;
    EXPECT_GT(slices.on_sms, 13 * slices.kernels / 2) << run;
    EXPECT_LT(slices.on_sms + slices.copies, 20'000) << run;
    EXPECT_EQ(slices.blocks, 0) << run;
    EXPECT_GT(sum_of_launches(run, kBlocks), 150'000) << run;  // which would be slices, too
  }
}

// The SM has 8 block slots, and room for 48 warps. Each block has two.
TEST_F(TimelineLevels, ShowsEveryBlockWhereAResourceManagerHasMoreBlocksThanTheSmHasSlots) {
  const std::string run = "run two_warps.yaml --platform gtx480 --set sm.count=1 --timeline=blocks";
  write("two_warps.yaml",
        "application: two_warps\nkernels:\n  k: {blocks: 60, threads: 64, registers: 16, shared_memory: 0B, "
        "code: [{op: float_fma, count: 40}]}\nprogram: [{launch: k}]\n");
  for (const std::string manager : {"static", "wlm", "zorua"}) {
    const Outcome outcome = heddle(run + " --policy resource_manager=" + manager + " --out " + manager);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string folder = folder_of_timeline(manager);
    std::set<std::string> tracks;
    for (const trace::Event& event : trace::Trace(read(folder + "/timeline.perfetto-trace")).events)
      if (event.track.find("SM 0 slot ") == 0) tracks.insert(event.track);
    EXPECT_EQ(slices_of(folder).blocks, 60) << manager;
    EXPECT_EQ(tracks.size(), manager == "static" ? 8u : 16u) << manager;
  }
}

TEST_F(TimelineLevels, AnUnknownLevelIsRefused) {
  write_small();
  const Outcome outcome = heddle("run small.yaml --timeline=fine");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "heddle: --timeline: fine not in {kernels,sms,blocks}; see heddle --help\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"other.yaml", "small.yaml", "tiny.yaml"}));
}

}  // namespace
}  // namespace heddle::test
