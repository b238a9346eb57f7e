// heddle reproduce, for a paper that takes a moment.

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

class Reproduce : public CliTest {
 protected:
  Reproduce() {
    write_small();
    write("mixes.yaml",
          "campaign: mixes\nexperiment: small.yaml\naxes:\n  - product: {stall_limit: [100000cycles], "
          "sm.count: "
          "[4, 13]}\nmetrics: [stp, antt]\nplots: [{kind: bars, x: sm.count, y: stp, series: variant}]\n");
    write("paper.yaml", R"(paper: small
title: A paper
source: nobody
campaigns: [mixes.yaml]
window: axes[0].product.stall_limit
arms: [{arm: ours}]
figures:
  - figure: Figure 1
    title: Throughput
    campaign: mixes
    value: stp
    rows: sm.count
    columns: variant
    over: fcfs-s
    theirs:
      - {row: 4, column: "token, imbalance=2", value: 1.2}
)");
  }
};

TEST_F(Reproduce, RunsAPapersCampaignsOnceAndWritesItsPage) {
  const Outcome first = heddle("reproduce paper.yaml --out there");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("8/8 ok: "), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("there/index.html"), std::string::npos) << first.out;
  EXPECT_NE(read("there/table.md").find("| 1.20 |"), std::string::npos) << read("there/table.md");
  for (const char* file : {"there/index.html", "there/small/mixes/report.html",
                           "there/small/mixes/results.csv", "there/small/figures/01.svg"})
    EXPECT_TRUE(exists(file)) << file;
  const std::string page = read("there/index.html");
  const Outcome again = heddle("reproduce paper.yaml --out there");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out.find(" ok: "), std::string::npos) << again.out;
  EXPECT_EQ(read("there/index.html"), page);
}

TEST_F(Reproduce, AWindowMakesRunsOfTheirOwn) {
  ASSERT_EQ(heddle("reproduce paper.yaml --out there --quiet").code, 0);
  const Outcome scaled = heddle("reproduce paper.yaml --out there --window 200k");
  ASSERT_EQ(scaled.code, 0) << scaled.err;
  EXPECT_NE(scaled.out.find("ok: stall_limit=200000cycles sm.count=4"), std::string::npos) << scaled.out;
  EXPECT_NE(read("there/small/mixes/campaign.yaml").find("200000cycles"), std::string::npos);
  for (const char* window : {"200x", "0", "-5", "k"})
    EXPECT_EQ(heddle(std::string("reproduce paper.yaml --out none --window ") + window).code, 2) << window;
  EXPECT_EQ(heddle("reproduce cusched --out none --window 200k").code, 2);
  EXPECT_FALSE(exists("none"));
}

TEST_F(Reproduce, AShortFormRunsSomeOfThePointsAndTheWholeRunsTheRest) {
  EXPECT_EQ(heddle("reproduce paper.yaml --out there --short").code, 2);
  EXPECT_FALSE(exists("there"));
  write("paper.yaml", read("paper.yaml") + "short: {mixes.yaml: {sm.count: [4]}}\n");
  const Outcome part = heddle("reproduce paper.yaml --out there --short");
  ASSERT_EQ(part.code, 0) << part.err;
  EXPECT_NE(part.out.find("4/4 ok: "), std::string::npos) << part.out;
  EXPECT_EQ(part.out.find("sm.count=13"), std::string::npos) << part.out;
  EXPECT_NE(read("there/index.html").find("heddle reproduce paper.yaml --short"), std::string::npos);
  const Outcome whole = heddle("reproduce paper.yaml --out there");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out.find("ok: stall_limit=100000cycles sm.count=4"), std::string::npos) << whole.out;
  EXPECT_NE(whole.out.find("ok: stall_limit=100000cycles sm.count=13"), std::string::npos) << whole.out;
}

TEST_F(Reproduce, APlanSaysWhatIsLeftAndRunsNothing) {
  const Outcome unknown = heddle("reproduce paper.yaml --out there --plan --jobs 2");
  ASSERT_EQ(unknown.code, 0) << unknown.err;
  EXPECT_NE(unknown.out.find("mixes          2     8      0     8          –\n8 runs are left. How long"),
            std::string::npos)
      << unknown.out;
  EXPECT_FALSE(exists("there"));
  write("paper.yaml", read("paper.yaml") + "run_time: 30s\n");  // of a million cycles; the window has 100,000
  const Outcome stated = heddle("reproduce paper.yaml --out there --plan --jobs 2");
  EXPECT_NE(stated.out.find("8 runs are left. How long"), std::string::npos)
      << stated.out;  // no key `window`
  ASSERT_EQ(heddle("reproduce paper.yaml --out there --quiet").code, 0);
  const Outcome there = heddle("reproduce paper.yaml --out there --plan");
  EXPECT_NE(there.out.find("mixes          2     8      8     0    0:00:00\nEvery run is there.\n"),
            std::string::npos)
      << there.out;
}

TEST_F(Reproduce, ThePapersFileStatesTheTimeOfARunThatHasNotEnded) {
  std::string paper = read("paper.yaml");
  write("paper.yaml",
        paper.erase(paper.find("window: "), std::string("window: axes[0].product.stall_limit\n").size()) +
            "run_time: 30s\n");
  const Outcome plan = heddle("reproduce paper.yaml --out there --plan --jobs 2");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("8 runs are left, about 0:02:00 with 2 at a time, by what its file states."),
            std::string::npos)
      << plan.out;
}

TEST_F(Reproduce, ResumeGoesOnInTheSizeInWhichItWasStarted) {
  write("paper.yaml", read("paper.yaml") + "short: {mixes.yaml: {sm.count: [4]}}\n");
  EXPECT_EQ(heddle("reproduce --resume --out there").err, "heddle: there: nothing was started there\n");
  ASSERT_EQ(heddle("reproduce paper.yaml --short --out there --quiet").code, 0);
  std::filesystem::remove_all(directory_ / "there/small/mixes/runs");
  const Outcome resumed = heddle("reproduce --resume --out there");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("4/4 ok: "), std::string::npos) << resumed.out;
  EXPECT_EQ(resumed.out.find("sm.count=13"), std::string::npos) << resumed.out;
  const Outcome whole = heddle("reproduce paper.yaml --out there --plan");
  EXPECT_NE(whole.err.find("--short', and these runs are others; --resume goes on with what was started\n"),
            std::string::npos)
      << whole.err;
  EXPECT_EQ(heddle("reproduce --resume --short --out there").code, 2);
  EXPECT_EQ(heddle("reproduce another --resume --out there").err,
            "heddle: there: no paper or card another was started there\n");
  EXPECT_EQ(heddle("reproduce").code, 2);
}

TEST_F(Reproduce, APageIsDrawnFromWhatIsThere) {
  write("more.yaml",
        "campaign: more\nexperiment: small.yaml\naxes:\n  - product: {stall_limit: [100000cycles], "
        "sm.count: [4, 13]}\nmetrics: [stp]\n");
  std::string paper = read("paper.yaml");
  write("paper.yaml", paper.replace(paper.find("[mixes.yaml]"), 12, "[mixes.yaml, more.yaml]"));
  ASSERT_EQ(heddle("reproduce paper.yaml --out there --quiet").code, 0);
  const std::string whole = read("there/index.html");
  // As if it had been interrupted before the second campaign started.
  std::filesystem::remove_all(directory_ / "there/small/more");
  std::filesystem::remove(directory_ / "there/index.html");
  const Outcome page = heddle("reproduce --page --out there");
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out.find(" ok: "), std::string::npos) << page.out;
  EXPECT_EQ(read("there/index.html"), whole);  // its figure is of the first campaign
  EXPECT_TRUE(read("there/small/more/results.csv").find("queued") != std::string::npos);
}

TEST_F(Reproduce, ANumberThatNoSampleIsBesideIsAnError) {
  std::string paper = read("paper.yaml");
  write("paper.yaml", paper.replace(paper.find("token, imbalance=2"), 18, "taken"));
  const Outcome outcome = heddle("reproduce paper.yaml --out there --quiet");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("taken"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("there/index.html"));
  EXPECT_EQ(heddle("reproduce nothing").code, 2);
}

TEST_F(Reproduce, StrictRefusesAPartOfTheRuns) {
  const std::string limit = " --quiet --out there";
  std::string campaign = read("mixes.yaml");
  write("mixes.yaml", campaign + "limits: {time: 1ns}\n");
  EXPECT_EQ(heddle("reproduce paper.yaml --strict" + limit).code, 3);
  EXPECT_FALSE(exists("there/index.html"));
  EXPECT_EQ(heddle("reproduce paper.yaml" + limit).code, 3);
  EXPECT_NE(read("there/index.html").find("partial"), std::string::npos);
}

}  // namespace

}  // namespace heddle::test
