// The YAML files of papers.

#include "platforms/campaign/plan/paper_codec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace heddle {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kCampaign = R"(campaign: mixes
experiment: parboil-mix
axes:
  - product: {stall_limit: [1000cycles], mix.size: [2, 4]}
metrics: [stp]
)";

constexpr const char* kPaper = R"(paper: small
title: A paper
source: nobody
campaigns: [mixes.yaml]
window: axes[0].product.stall_limit
arms:
  - {arm: ours}
  - {arm: small, where: {mix.size: 2}, reason: smaller}
figures:
  - figure: Figure 1
    title: Throughput
    campaign: mixes
    value: stp
    rows: mix.size
    columns: variant
    over: fcfs-s
    theirs:
      - {row: 4, column: token, value: 1.2}
)";

class PaperTest : public testing::Test {
 protected:
  PaperTest() : directory_(fs::path(testing::TempDir()) / fmt::format("papers{}", ::getpid())) {
    fs::create_directories(directory_);
    write("mixes.yaml", kCampaign);
  }
  ~PaperTest() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  Paper load(const std::string& from, const std::string& to, std::uint64_t window = 0) const {
    std::string text = kPaper;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    write("small.yaml", text);
    return load_paper((directory_ / "small.yaml").string(), window);
  }
  // Returns the only problem of a paper in which `from` is replaced by `to`.
  std::string problem(const std::string& from, const std::string& to) const {
    try {
      load(from, to);
    } catch (const config::Error& error) {
      EXPECT_EQ(error.problems().size(), 1u) << error.what();
      const std::string text = error.problems().front();
      return text.substr(text.find("small.yaml:") + 11);
    }
    return "none";
  }

  const fs::path directory_;
};

TEST_F(PaperTest, IsItsCampaignsAndItsPage) {
  const Paper paper = load("", "");
  EXPECT_EQ(paper.name, "small");
  ASSERT_EQ(paper.campaigns.size(), 1u);
  EXPECT_EQ(paper.campaigns[0].points.size(), 2u);
  const auto page = nlohmann::ordered_json::parse(paper_text(paper, 0, "heddle reproduce small"));
  EXPECT_EQ(page["arms"][1].dump(), R"({"name":"small","where":{"mix.size":"2"},"reason":"smaller"})");
  EXPECT_EQ(page["figures"].size(), 1u);
  EXPECT_EQ(page["figures"][0].dump(),
            R"({"figure":"Figure 1","title":"Throughput","finding":"","campaign":"mixes","value":"stp",)"
            R"("mean":"arithmetic","rows":"mix.size","columns":"variant","over":"fcfs-s",)"
            R"("ratio":"of-means","speed_up":false,"best":{},"where":{},"reason":"",)"
            R"("theirs":[{"row":"4","column":"token","over":"fcfs-s","value":1.2,"words":""}]})");
  EXPECT_TRUE(page["window"].is_null());
  EXPECT_EQ(page["command"], "heddle reproduce small");
  EXPECT_EQ(nlohmann::json::parse(paper_text(paper, 500, ""))["window"], 500);
}

TEST_F(PaperTest, ANumberMayHaveWordsOfItsOwn) {
  const Paper paper = load("value: 1.2}", "value: 1.2, words: as printed}");
  EXPECT_EQ(paper.figures[0].theirs[0].words, "as printed");
}

TEST_F(PaperTest, AWindowReplacesTheCampaignsOwn) {
  EXPECT_EQ(load("", "").campaigns[0].points[0].values[0].value, "1000cycles");
  const Paper paper = load("", "", 200000);
  EXPECT_TRUE(paper.has_window);
  for (const CampaignPoint& point : paper.campaigns[0].points)
    EXPECT_EQ(point.values[0], (Assignment{"stall_limit", "200000cycles"}));
  EXPECT_FALSE(load("window: axes[0].product.stall_limit\n", "").has_window);
}

TEST_F(PaperTest, WhatTheCampaignDoesNotHaveIsReportedAtItsPlace) {
  EXPECT_EQ(
      problem("rows: mix.size", "rows: mix.sise"),
      "14:11: figures[0].rows: 'mix.sise' is not among stall_limit, mix.size, variant, application, all; did "
      "you mean 'mix.size'?");
  EXPECT_THAT(problem("value: stp", "value: antt"),
              HasSubstr("13:12: figures[0].value: 'antt' is not among stp"));
  EXPECT_THAT(problem("row: 4", "row: 8"),
              HasSubstr("18:15: figures[0].theirs[0].row: '8' is not among 2, 4"));
  EXPECT_THAT(problem("campaign: mixes", "campaign: mix"),
              HasSubstr("12:15: figures[0].campaign: 'mix' is not"));
  EXPECT_THAT(problem("mix.size: 2}, reason", "mix.size: 3}, reason"),
              HasSubstr("8:36: arms[1].where.mix.size"));
  EXPECT_THAT(problem("where: {mix.size", "where: {mix.sise"), HasSubstr("no axis varies 'mix.sise'"));
}

TEST_F(PaperTest, WhatIsMissingOrUnknownIsReportedAtItsPlace) {
  EXPECT_THAT(problem("[mixes.yaml]", "[mixer.yaml]"), HasSubstr("there is no file 'mixer.yaml'"));
  EXPECT_THAT(problem("title: A paper\n", ""), HasSubstr("title"));
  EXPECT_THAT(problem("over: fcfs-s", "order: fcfs-s"), HasSubstr("figures[0].order: unknown key"));
  EXPECT_THAT(problem("arm: small", "arm: ours"), HasSubstr("8:11: arms[1].arm: another arm has this name"));
  EXPECT_THAT(problem("columns: variant", "columns: application"), HasSubstr("figures[0].columns: "));
  EXPECT_THAT(problem("rows: mix.size", "rows: application"),
              HasSubstr("figures[0].value: 'stp' is not among"));
  EXPECT_THAT(problem("value: 1.2", "value: -1"), HasSubstr("figures[0].theirs[0].value"));
  EXPECT_THAT(problem("over: fcfs-s", "mean: harmonic"), HasSubstr("figures[0].mean"));
}

TEST(Papers, OnesThatAreShippedLoad) {
  EXPECT_EQ(load_paper("cruz").figures.size(), 4u);
  const Paper paper = load_paper("cusched");
  EXPECT_EQ(paper.figures.size(), 8u);
  EXPECT_FALSE(paper.has_window);
}

}  // namespace

}  // namespace heddle
