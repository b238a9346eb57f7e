// The output of a run, its files, and the repetition of a run from them.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/machine/statistics.h"
#include "tests/support/paths.h"

namespace heddle::test {

namespace {

using Json = nlohmann::json;

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Run : public CliTest {
 protected:
  Run() { write_small(); }
  Outcome run(const std::string& words) const {
    Outcome outcome = heddle("run small.yaml " + words);
    EXPECT_EQ(outcome.code, 0) << words << ": " << outcome.err;
    return outcome;
  }
  Json summary(const std::string& directory) const { return Json::parse(read(directory + "/summary.json")); }
};

TEST_F(Run, PrintsTheTableAndWhereTheResultsAre) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.rfind("Which?\nk20-cusched\n", 0), 0u) << outcome.out;
  for (const char* part : {"alone (ms)", "tiny *", "other", "token, imbalance=2", "ANTT"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\nresults: results/small\n"));
  EXPECT_TRUE(contains(run("").out, "\nresults: results/small-2\n"));
}

TEST_F(Run, KeepsACompleteDirectoryAndNothingElse) {
  run("--out kept --timeline");
  const std::vector<std::string> expected{"kept",
                                          "kept/1-fcfs-s",
                                          "kept/1-fcfs-s/kernels.csv",
                                          "kept/1-fcfs-s/stats.json",
                                          "kept/1-fcfs-s/timeline.perfetto-trace",
                                          "kept/2-token-imbalance-2",
                                          "kept/2-token-imbalance-2/handovers.csv",
                                          "kept/2-token-imbalance-2/kernels.csv",
                                          "kept/2-token-imbalance-2/stats.json",
                                          "kept/2-token-imbalance-2/timeline.perfetto-trace",
                                          "kept/applications",
                                          "kept/applications/other.yaml",
                                          "kept/applications/tiny.yaml",
                                          "kept/experiment.yaml",
                                          "kept/platform.yaml",
                                          "kept/provenance.json",
                                          "kept/summary.json",
                                          "other.yaml",
                                          "small.yaml",
                                          "tiny.yaml"};
  EXPECT_EQ(files(), expected);
  const Json provenance = Json::parse(read("kept/provenance.json"));
  EXPECT_EQ(keys_of(provenance),
            (std::set<std::string>{"version", "revision", "build_id", "host", "argv", "runs"}));
  EXPECT_EQ(provenance["argv"].back(), "--timeline");
  ASSERT_EQ(provenance["runs"].size(), 2u);
  EXPECT_GT(provenance["runs"][0]["cycles_per_second"], 0.0);
}

TEST_F(Run, FullStatisticsAreALineForEachAndFollowFromTheCompactFile) {
  run("--out kept --stats full");
  for (const std::string variant : {"kept/1-fcfs-s/", "kept/2-token-imbalance-2/"}) {
    const std::string table = read(variant + "stats.csv");
    EXPECT_EQ(table.rfind("path,value,unit,description\n", 0), 0u);
    EXPECT_TRUE(contains(table, "\ngpu.engine.driver.drains,"));
    EXPECT_LT(read(variant + "stats.json").size(), table.size());
    const Outcome outcome = heddle("stats " + variant + "stats.json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out == table) << variant;
  }
}

TEST_F(Run, StatisticsOfAnotherSchemaAreRefusedInOneMessage) {
  write("stats.json", R"({"schema": "heddle-stats-2", "statistics": []})");
  write("old.json", "{\n  \"gpu.cycles\": {\"value\": 3, \"unit\": \"cycle\", \"description\": \"d\"}\n}\n");
  write("damaged.json", R"({"schema": "heddle-stats-1", )");
  EXPECT_EQ(heddle("stats stats.json").err,
            "heddle: stats.json: is of the schema heddle-stats-2; this program reads heddle-stats-1\n");
  EXPECT_EQ(heddle("stats old.json").err,
            "heddle: old.json: has no schema; this program reads heddle-stats-1\n");
  EXPECT_EQ(heddle("stats damaged.json").err.rfind("heddle: damaged.json: is damaged: ", 0), 0u);
  EXPECT_EQ(heddle("stats stats.json").code, 2);
  EXPECT_EQ(heddle("run small.yaml --stats all").code, 2);
}

TEST_F(Run, JsonIsTheSummaryAndNothingElse) {
  const Outcome outcome = run("--json --out kept");
  EXPECT_EQ(outcome.err, "");
  ASSERT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json, summary("kept"));
  EXPECT_EQ(keys_of(json), (std::set<std::string>{"schema", "experiment", "question", "platform", "mix",
                                                  "seed", "prioritised", "alone", "runs"}));
  EXPECT_EQ(json["schema"], "heddle-summary-1");
  EXPECT_EQ(json["prioritised"], "tiny");
  ASSERT_EQ(json["alone"].size(), 2u);
  EXPECT_EQ(keys_of(json["alone"][0]), (std::set<std::string>{"application", "turnaround_ps"}));
  ASSERT_EQ(json["runs"].size(), 2u);
  for (const Json& one : json["runs"]) {
    std::set<std::string> keys{"label",
                               "policies",
                               "simulated_ps",
                               "cycles",
                               "warp_instructions",
                               "core_hz",
                               "pcie_hz",
                               "antt",
                               "stp",
                               "fairness",
                               "minimum_speedup",
                               "harmonic_speedup",
                               "sequential_speedup",
                               "shared_cycles",
                               "shared_minimum_speedup",
                               "completions_per_second",
                               "occupancy",
                               "fill",
                               "engine_busy",
                               "sm_busy",
                               "prioritised_turnaround_ps",
                               "applications"};
    if (one["label"] != "fcfs-s") keys.insert("handovers");  // which preempts nothing
    EXPECT_EQ(keys_of(one), keys);
    EXPECT_EQ(keys_of(one["fill"]), (std::set<std::string>{"value", "numerator", "denominator"}));
    ASSERT_EQ(one["applications"].size(), 2u);
    const Json& application = one["applications"][0];
    EXPECT_EQ(keys_of(application),
              (std::set<std::string>{"application", "turnaround_ps", "ntt", "completions", "kernels_launched",
                                     "bytes_copied", "warp_instructions", "shared_ps", "shared_instructions",
                                     "kernels"}));
    EXPECT_EQ(keys_of(application["kernels"][0]),
              (std::set<std::string>{"kernel", "ended", "cycles", "wait_cycles", "blocks_done",
                                     "warp_instructions"}));
    EXPECT_EQ(one["prioritised_turnaround_ps"], application["turnaround_ps"]);
    EXPECT_GE(application["kernels"][0]["ended"], 2);
  }
  EXPECT_EQ(json["runs"][1]["policies"]["sm_partitioner"], (Json{{"name", "token"}, {"imbalance", 2.0}}));
}

TEST_F(Run, ResolvedConfigurationShowsWhatWasUsed) {
  run("--out kept --set sm.count=4 --set jitter=0.25 --seed 7 --policy dma_arbiter=priority --jobs 1");
  const std::string experiment = read("kept/experiment.yaml");
  for (const char* part :
       {"seed: 7", "jitter: 0.25", "dma_arbiter: {name: priority}",
        "sm_partitioner: {name: fcfs-s, settle: 0}", "sm_partitioner: {name: token, imbalance: 2}",
        "command_arbiter: {name: hyper-q}", "preemption: {name: drain}", "termination: first-completions",
        "prioritised: tiny", "application: applications/tiny.yaml, priority: 1"})
    EXPECT_TRUE(contains(experiment, part)) << part << " in\n" << experiment;
  EXPECT_TRUE(contains(read("kept/platform.yaml"), "\n  count: 4\n"));
}

TEST_F(Run, ParametersOfPoliciesAreResolvedToo) {
  run("--out kept --policy sm_partitioner=token");
  EXPECT_TRUE(contains(read("kept/experiment.yaml"), "{name: token, imbalance: 1}"));
  EXPECT_EQ(summary("kept")["runs"].size(), 1u);  // both runs are now equal
  EXPECT_EQ(summary("kept")["runs"][0]["policies"]["sm_partitioner"]["imbalance"], 1.0);
}

TEST_F(Run, RepeatsFromItsOwnResults) {
  run("--out kept --set sm.count=4 --set jitter=0.25 --seed 7 --policy dma_arbiter=priority");
  write("platform.yaml", "not the one");  // the results do not name the file in the working directory
  const Outcome again = heddle("run kept/experiment.yaml --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  for (const char* file : {"summary.json", "experiment.yaml", "platform.yaml", "1-fcfs-s/stats.json"})
    EXPECT_EQ(read(std::string("again/") + file), read(std::string("kept/") + file)) << file;
}

TEST_F(Run, QuotasAreKeptShownAndRepeated) {
  std::string lists = read("small.yaml");
  lists += "  - {sm_partitioner: {name: fixed, quotas: [3, all]}}\n  - {sm_partitioner: fixed}\n";
  write("small.yaml", lists);
  run("--out kept --timeline");
  const Json runs = summary("kept")["runs"];
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[2]["label"], "fixed, quotas=[3, all]");
  EXPECT_EQ(runs[2]["policies"]["sm_partitioner"], (Json{{"name", "fixed"}, {"quotas", {{3, -1}}}}));
  EXPECT_EQ(runs[3]["label"], "fixed");
  EXPECT_EQ(runs[3]["policies"]["sm_partitioner"]["quotas"], Json::array());
  EXPECT_TRUE(exists("kept/3-fixed-quotas-3-all/stats.json"));
  const Outcome again = heddle("run kept/experiment.yaml --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  for (const char* file : {"summary.json", "experiment.yaml", "3-fixed-quotas-3-all/stats.json"})
    EXPECT_EQ(read(std::string("again/") + file), read(std::string("kept/") + file)) << file;
}

TEST_F(Run, ALongListOfQuotasMakesNoLongFileName) {
  std::string quotas = "[[1, 1]";
  for (int sm = 1; sm < 13; ++sm) quotas += ", [1000, " + std::to_string(1000 + sm) + "]";
  write("small.yaml", small_experiment() + "  - {sm_partitioner: {name: fixed, quotas: " + quotas + "]}}\n");
  run("--out kept");
  int folders = 0;
  for (const std::string& file : files())
    if (file.rfind("kept/3-fixed-", 0) == 0 && file.find("/stats.json") != std::string::npos) ++folders;
  EXPECT_EQ(folders, 1);
}

TEST_F(Run, AMixRepeatsFromItsOwnResults) {
  write("mixed.yaml",
        "experiment: mixed\nplatform: k20-cusched\nprioritised: first\n"
        "mix: {size: 1, seed: 3, index: 1, from: [tiny.yaml, other.yaml]}\n");
  ASSERT_EQ(heddle("run mixed.yaml --out kept").code, 0);
  EXPECT_EQ(summary("kept")["mix"].get<std::string>().rfind("mix 1 of size 1, seed 3: ", 0), 0u);
  ASSERT_EQ(heddle("run kept/experiment.yaml --out again").code, 0);
  EXPECT_EQ(read("again/summary.json"), read("kept/summary.json"));
}

TEST_F(Run, SameSeedSameBytesInAnyOrderOfConstruction) {
  run("--out one --set jitter=0.3 --timeline=blocks");
  run("--out two --set jitter=0.3 --timeline=blocks --jobs 1 --cache none");
  run("--out three --set jitter=0.3 --timeline=blocks --build-reversed --cache none");
  for (const std::string& file : files()) {
    if (file.rfind("one/", 0) != 0 || file == "one/provenance.json" ||
        !std::filesystem::is_regular_file(directory_ / file))
      continue;
    EXPECT_EQ(read("two" + file.substr(3)), read(file)) << file;
    EXPECT_EQ(read("three" + file.substr(3)), read(file)) << file;
  }
  run("--out four --set jitter=0.3 --seed 2");
  EXPECT_NE(read("four/1-fcfs-s/stats.json"), read("one/1-fcfs-s/stats.json"));
  EXPECT_NE(summary("four")["runs"][0]["applications"][0]["turnaround_ps"],
            summary("one")["runs"][0]["applications"][0]["turnaround_ps"]);
}

TEST_F(Run, TimelineIsNotEmpty) {
  run("--out kept --timeline");
  const std::string timeline = read("kept/1-fcfs-s/timeline.perfetto-trace");
  EXPECT_GT(timeline.size(), 4000u);
  for (const char* part : {"tiny", "other", "first"}) EXPECT_TRUE(contains(timeline, part)) << part;
}

TEST_F(Run, TheTableOfKernelsHasARowForEachLaunch) {
  run("--out kept");
  std::uint64_t launched = 0;
  for (const auto& [path, statistic] : statistics_in(read("kept/1-fcfs-s/stats.json")))
    if (path.rfind("applications.", 0) == 0 && path.size() > 9 && path.substr(path.size() - 9) == ".launched")
      launched += statistic.count;
  std::istringstream in(read("kept/1-fcfs-s/kernels.csv"));
  std::string line;
  std::getline(in, line);
  const auto cells = [](const std::string& text) { return std::count(text.begin(), text.end(), ','); };
  const auto columns = cells(line);
  EXPECT_EQ(line.rfind("launch,application,kernel,", 0), 0u);
  std::uint64_t rows = 0;
  for (; std::getline(in, line); ++rows) EXPECT_EQ(cells(line), columns) << line;
  EXPECT_EQ(rows, launched);
  EXPECT_GT(rows, 1u);
}

TEST_F(Run, RowsOfASeriesAddUpToTheStatistics) {
  run("--out kept --interval 3us --series *.blocks_done --series gpu.occupancy --series *.blocks_done");
  for (const char* variant : {"kept/1-fcfs-s/", "kept/2-token-imbalance-2/"}) {
    std::istringstream in(read(variant + std::string("series.csv")));
    std::string line;
    std::getline(in, line);
    std::vector<std::string> head;
    std::istringstream columns(line);
    for (std::string column; std::getline(columns, column, ',');) head.push_back(column);
    EXPECT_EQ(head[0] + "," + head[1], "cycle,ps");
    EXPECT_TRUE(contains(line, ",gpu.occupancy [1]"));
    std::map<std::string, std::uint64_t> sums;
    int rows = 0;
    for (; std::getline(in, line); ++rows) {
      std::istringstream cells(line);
      for (std::size_t i = 0; std::getline(cells, line, ','); ++i)
        sums[head[i].substr(0, head[i].find(' '))] += std::strtoull(line.c_str(), nullptr, 10);
    }
    EXPECT_GT(rows, 5);
    int counters = 0;
    for (const auto& [path, statistic] : statistics_in(read(variant + std::string("stats.json")))) {
      if (path.size() < 12 || path.substr(path.size() - 12) != ".blocks_done") continue;
      EXPECT_EQ(sums.at(path), statistic.count) << path;
      ++counters;
    }
    EXPECT_EQ(head.size(), static_cast<std::size_t>(3 + counters));
  }
}

TEST_F(Run, ATimelineHasTheSeriesBesideBlocksAndKernels) {
  run("--out kept --timeline --interval 1us");
  const std::string timeline = read("kept/1-fcfs-s/timeline.perfetto-trace");
  for (const char* part : {"tiny", "gpu.occupancy", "applications.tiny.first.blocks_done"})
    EXPECT_TRUE(contains(timeline, part)) << part;
}

TEST_F(Run, ASeriesChangesNoOtherFile) {
  run("--out with --interval 1000cycles");
  run("--out without");
  EXPECT_TRUE(exists("with/1-fcfs-s/series.csv"));
  EXPECT_FALSE(exists("without/1-fcfs-s/series.csv"));
  for (const char* file : {"/1-fcfs-s/stats.json", "/2-token-imbalance-2/stats.json", "/summary.json"})
    EXPECT_EQ(read("with" + std::string(file)), read("without" + std::string(file))) << file;
}

TEST_F(Run, ASeriesThatCannotBeSampledIsOneMessageAndLeavesNothing) {
  const std::string needs =
      ": needs a number of cycles such as 1000cycles or a time such as 1.5us, and above zero\n";
  const std::map<std::string, std::string> messages{
      {"--interval 0cycles", "heddle: --interval 0cycles" + needs},
      {"--interval 0us", "heddle: --interval 0us" + needs},
      {"--interval -1us", "heddle: --interval -1us" + needs},
      {"--interval 1000", "heddle: --interval 1000" + needs},
      {"--series gpu.*", "heddle: --series needs --interval, the time between samples\n"},
      {"--interval 1us --series gpu.* --series gpu.sm.*",
       "heddle: --series gpu.sm.*: no statistic of this machine matches; heddle list counters has their "
       "paths\n"}};
  for (const auto& [words, message] : messages) {
    const Outcome outcome = heddle("run small.yaml --out kept " + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.err, message) << words;
    EXPECT_FALSE(exists("kept")) << words;
    EXPECT_FALSE(exists("kept.partial")) << words;
  }
}

TEST_F(Run, ApplicationsAloneAreRemembered) {
  run("--out first");
  std::vector<std::filesystem::path> remembered;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "cache"))
    remembered.push_back(entry.path());
  ASSERT_EQ(remembered.size(), 2u);
  run("--out second");
  EXPECT_EQ(read("second/summary.json"), read("first/summary.json"));
  for (const auto& path : remembered) std::ofstream(path) << "1000000 ps 0 0 0 0 0 end\n";
  run("--out third");  // uses the cache
  EXPECT_EQ(summary("third")["alone"][0]["turnaround_ps"], 1000000);
  for (const auto& path : remembered) std::ofstream(path) << "12";  // truncated entries are computed again
  run("--out fourth");
  EXPECT_EQ(read("fourth/summary.json"), read("first/summary.json"));
}

TEST_F(Run, WhatTheCommandLineHoldsNeedNotBeUtf8) {
  const Outcome outcome = execute({"run", "small.yaml", "--out", "caf\xe9"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(exists("caf\xe9/provenance.json"));
}

TEST_F(Run, StandardOutputThatIsFullIsAFailure) {
  Surroundings full;
  full.out_path = "/dev/full";
  const Outcome outcome = heddle("run small.yaml", full);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "heddle: cannot write to the standard output\n");
}

TEST_F(CliTest, EveryFileThatIsShippedIsRight) {
  int checked = 0;
  for (const char* folder : {"platforms", "stimuli/applications", "stimuli/experiments", "stimuli/campaigns"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(source_directory()) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const Outcome outcome = execute({"check", entry.path()});
      EXPECT_EQ(outcome.code, 0) << entry.path() << ": " << outcome.err;
      EXPECT_EQ(outcome.err, "");
      EXPECT_GT(outcome.out.size(), 100u);
      ++checked;
    }
  EXPECT_GE(checked, 14);
}

TEST_F(CliTest, ShippedExperimentRuns) {
  const Outcome outcome = heddle("run parboil-eight --out kept --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["runs"].size(), 4u);
}

TEST_F(CliTest, Lists) {
  for (const auto& [what, name] : {std::pair{"policies", "imbalance"},
                                   {"policies", "(default all blocks, -1 .. 1024)"},
                                   {"platforms", "k20-cusched"},
                                   {"applications", "sgemm"},
                                   {"experiments", "parboil-eight"},
                                   {"campaigns", "schedulers-by-sms"}}) {
    const Outcome outcome = heddle(std::string("list ") + what);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, name)) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(CliTest, HelpAndVersion) {
  for (const char* words :
       {"--help", "run --help", "check --help", "batch --help", "batch plan --help", "list --help"}) {
    const Outcome outcome = heddle(words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "Usage: heddle")) << words;
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome version = heddle("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("0.", 0), 0u);
}

TEST_F(CliTest, CheckTakesAFileWithoutAnEnding) {
  write_small();
  std::filesystem::rename(directory_ / "small.yaml", directory_ / "experiment");
  const Outcome outcome = heddle("check experiment");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(CliTest, ReplaysFreeWhatTheProgramLeavesAllocated) {
  write_small();
  std::string leaky = read("tiny.yaml");
  leaky.replace(leaky.find("16KiB"), 5, "2GiB");  // two of the five GiB of the platform
  leaky.replace(leaky.find("  - free: data\n"), 15, "");
  for (const char* call : {"  - copy_up: data\n", "  - copy_down: data\n"})
    leaky.replace(leaky.find(call), std::string(call).size(), "");
  write("tiny.yaml", leaky);
  std::string longer = read("other.yaml");
  write("other.yaml", longer.replace(longer.find("repeat: 2"), 9, "repeat: 1000"));
  // An execution maps its memory in 4.6 ms, and is shorter than the creation of a context.
  const Outcome outcome = heddle("run small.yaml --json --set host.context_creation=0s");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_GT(Json::parse(outcome.out)["runs"][1]["applications"][0]["completions"], 2);
}

}  // namespace

}  // namespace heddle::test
