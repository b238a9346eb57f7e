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
