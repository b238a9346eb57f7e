// The YAML files of papers.

#include "platforms/campaign/plan/paper_codec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "models/core/config/data_path.h"
#include "tests/platforms/campaign/plan/edited_inputs.h"

namespace heddle {

namespace {

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
  PaperTest() { inputs_.write("mixes.yaml", kCampaign); }

  Paper load(const std::string& from, const std::string& to, PaperSize size = {}) const {
    return load_paper(inputs_.write_edited("small.yaml", kPaper, from, to), size);
  }
  // Returns the only problem of a paper in which `from` is replaced by `to`, behind the name of its file.
  std::string problem(const std::string& from, const std::string& to) const {
    const std::string file = "small.yaml:";
    const std::string text = test::only_problem(file, [&] { load(from, to); });
    return text == "none" ? text : text.substr(file.size());
  }

  const test::EditedInputs inputs_{"papers"};
};

TEST_F(PaperTest, IsItsCampaignsAndItsPage) {
  const Paper paper = load("", "");
  EXPECT_EQ(paper.name, "small");
  ASSERT_EQ(paper.campaigns.size(), 1u);
  EXPECT_EQ(paper.campaigns[0].points.size(), 2u);
  const auto page = nlohmann::ordered_json::parse(paper_text(paper, "heddle reproduce small"));
  EXPECT_EQ(page["arms"][1].dump(), R"({"name":"small","where":{"mix.size":"2"},"reason":"smaller"})");
  EXPECT_EQ(page["figures"].size(), 1u);
  EXPECT_EQ(
      page["figures"][0].dump(),
      R"({"figure":"Figure 1","title":"Throughput","finding":"","campaigns":["mixes"],"value":"stp",)"
      R"("statistic":"mean","across":"","mean":"arithmetic","rows":"mix.size","columns":"variant","over":"fcfs-s",)"
      R"("ratio":"of-means","speed_up":false,"best":{},"normalise":{},"mean_row":false,)"
      R"("plot":"bars","against":"","where":{},"reason":"",)"
      R"("theirs":[{"row":"4","column":"token","over":"fcfs-s","value":1.2,"words":""}]})");
  EXPECT_TRUE(page["window"].is_null());
  EXPECT_EQ(page["command"], "heddle reproduce small");
  EXPECT_EQ(page["left_out"].dump(), "[]");
  EXPECT_EQ(nlohmann::json::parse(paper_text(load("", "", {500}), ""))["window"], 500);
}

TEST_F(PaperTest, ANumberMayHaveWordsOfItsOwn) {
  const Paper paper = load("value: 1.2}", "value: 1.2, words: as printed}");
  EXPECT_EQ(paper.figures[0].theirs[0].words, "as printed");
}

TEST_F(PaperTest, AWindowReplacesTheCampaignsOwn) {
  EXPECT_EQ(load("", "").campaigns[0].points[0].values[0].value, "1000cycles");
  const Paper paper = load("", "", {200000});
  EXPECT_TRUE(paper.has_window);
  for (const CampaignPoint& point : paper.campaigns[0].points)
    EXPECT_EQ(point.values[0], (Assignment{"stall_limit", "200000cycles"}));
  EXPECT_FALSE(load("window: axes[0].product.stall_limit\n", "").has_window);
}

TEST_F(PaperTest, AShortFormKeepsSomeValuesOfAnAxis) {
  inputs_.write("mixes.yaml",
                std::string(kCampaign).replace(std::string(kCampaign).find("[2, 4]"), 6, "[2, 4, 8]"));
  const std::string form = "short: {mixes.yaml: {mix.size: [2, 4]}}\narms:";
  const Paper whole = load("arms:", form);
  EXPECT_TRUE(whole.has_short);
  EXPECT_EQ(whole.campaigns[0].points.size(), 3u);
  const Paper part = load("arms:", form, {0, true});
  ASSERT_EQ(part.campaigns[0].points.size(), 2u);
  EXPECT_EQ(part.campaigns[0].points[1].values[1], (Assignment{"mix.size", "4"}));
  EXPECT_FALSE(load("", "", {0, true}).has_short);
  EXPECT_THAT(problem("arms:", "short: {mixer.yaml: {mix.size: [4]}}\narms:"),
              HasSubstr("short.mixer.yaml: 'mixer.yaml' is not among mixes.yaml"));
  EXPECT_THROW(load("arms:", "short: {mixes.yaml: {mix.size: [3]}}\narms:", {0, true}), config::Error);
}

TEST_F(PaperTest, AShortFormMayStateTheTimeOfItsRuns) {
  const std::string form = "run_time: 30s\nshort: {run_time: 4s, mixes.yaml: {mix.size: [2]}}\narms:";
  EXPECT_EQ(load("arms:", form).run_seconds, 30.0);
  EXPECT_EQ(load("arms:", form, {0, true}).run_seconds, 4.0);
  const std::string none = "run_time: 30s\nshort: {mixes.yaml: {mix.size: [2]}}\narms:";
  EXPECT_EQ(load("arms:", none, {0, true}).run_seconds, 30.0);
  EXPECT_THAT(problem("arms:", "short: {run_time: 4}\narms:"), HasSubstr("short.run_time"));
}

// The figures name what the whole paper has, also in its short form.
TEST_F(PaperTest, AShortFormSaysWhatItLeavesOutAndMayLeaveOutWhatFiguresName) {
  const std::string form = "short: {window: 500cycles, mixes.yaml: {mix.size: [2]}}\narms:";
  const Paper part = load("arms:", form, {0, true});
  EXPECT_EQ(part.window, 500u);
  ASSERT_EQ(part.campaigns[0].points.size(), 1u);
  EXPECT_EQ(part.campaigns[0].points[0].values[0], (Assignment{"stall_limit", "500cycles"}));
  EXPECT_EQ(part.left_out, (std::vector<std::string>{"mixes: 1 of 2 points, mix.size: [2]"}));
  EXPECT_EQ(part.figures[0].theirs[0].row, "4");  // of which nothing is run
  EXPECT_EQ(load("arms:", form, {700, true}).window, 700u);
  const Paper whole = load("arms:", form);
  EXPECT_EQ(whole.window, 0u);
  EXPECT_TRUE(whole.left_out.empty());
  EXPECT_THAT(problem("window: axes[0].product.stall_limit\n", "short: {window: 500cycles}\n"),
              HasSubstr("short.window: the paper's runs have no window"));
}

TEST_F(PaperTest, AFigureMayBeOfSeveralCampaigns) {
  inputs_.write(
      "others.yaml",
      "campaign: others\nexperiment: parboil-mix\naxes: [{product: {mix.size: [8], sm.count: [4]}}]\n"
      "metrics: [stp, antt]\n");
  std::string text = kPaper;
  text.replace(text.find("[mixes.yaml]"), 12, "[mixes.yaml, others.yaml]");
  text.replace(text.find("campaign: mixes"), 15, "campaign: [mixes, others]");
  text.replace(text.find("row: 4"), 6, "row: 8");
  inputs_.write("small.yaml", text);
  const Paper paper = load_paper((inputs_.directory() / "small.yaml").string());
  EXPECT_EQ(paper.figures[0].campaigns, (std::vector<std::string>{"mixes", "others"}));
  text.replace(text.find("value: stp"), 10, "value: antt");
  inputs_.write("small.yaml", text);
  EXPECT_THROW(load_paper((inputs_.directory() / "small.yaml").string()), config::Error);  // mixes has none
}

TEST_F(PaperTest, AFigureMayBeOfOtherStatisticsThanMeans) {
  const PaperFigure figure =
      load("over: fcfs-s", "statistic: range\n    normalise: {per: mix.size, to: least}\n    mean_row: true")
          .figures[0];
  EXPECT_EQ(figure.statistic, "range");
  EXPECT_TRUE(figure.mean_row);
  ASSERT_TRUE(figure.normalise.has_value());
  EXPECT_EQ(figure.normalise->per, "mix.size");
  EXPECT_EQ(load("over: fcfs-s", "statistic: porting-loss\n    across: stall_limit").figures[0].across,
            "stall_limit");
  EXPECT_EQ(load("over: fcfs-s", "plot: curves").figures[0].plot, "curves");
  EXPECT_EQ(load("over: fcfs-s", "plot: scatter\n    against: stp").figures[0].against, "stp");
  EXPECT_EQ(
      load("over: fcfs-s", "over: fcfs-s\n    ratio: of-values\n    statistic: most").figures[0].statistic,
      "most");
}

TEST_F(PaperTest, WhatDoesNotGoTogetherIsReportedAtItsPlace) {
  const auto changed = [&](const std::string& to) { return problem("over: fcfs-s", to); };
  EXPECT_THAT(changed("over: fcfs-s\n    statistic: range"), HasSubstr("'range' is a ratio already"));
  EXPECT_THAT(changed("statistic: porting-loss"), HasSubstr("figures[0].across: "));
  EXPECT_THAT(changed("statistic: porting-loss\n    across: mix.size"),
              HasSubstr("rows and columns are of the axis across which it is"));
  EXPECT_THAT(changed("statistic: range\n    ratio: of-values"),
              HasSubstr("ratios of values have no 'range'"));
  EXPECT_THAT(changed("over: fcfs-s\n    normalise: {per: mix.size, to: least}"),
              HasSubstr("the figure is over a column"));
  EXPECT_THAT(changed("normalise: {per: mix.sise, to: least}"), HasSubstr("'mix.sise' is not among"));
  EXPECT_THAT(changed("plot: curves\n    mean_row: true"), HasSubstr("only bars have a row that is a mean"));
  EXPECT_THAT(changed("over: fcfs-s\n    plot: box"), HasSubstr("boxes are of values"));
  EXPECT_THAT(changed("plot: scatter"), HasSubstr("figures[0].against: "));
  EXPECT_THAT(changed("plot: scatter\n    against: atp"), HasSubstr("'atp' is not among"));
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

// A number on a page is the paper's or computed from the runs of that page, so that a reason has none. Names
// of figures, tables, sections and equations may stand in it, and names with a digit: L1, HS3, K40.
TEST(Papers, TheirReasonsHaveNoNumbers) {
  const std::regex places(
      "(Figures?|Tables?|Sections?|Equations?|Algorithms?) [0-9IVX]+([-.][0-9A-Z]+)*( [1-9](?=[),]))?[a-z]?");
  const std::regex names("[A-Za-z][A-Za-z_]*-?[0-9][A-Za-z0-9]*");
  const std::regex digit("[0-9]");
  const auto has_number = [&](const std::string& reason) {
    const std::string rest = std::regex_replace(std::regex_replace(reason, places, ""), names, "");
    return std::regex_search(rest, digit);
  };
  EXPECT_TRUE(has_number("calls make it 3.71"));
  EXPECT_TRUE(has_number("the range is 58.3 %"));
  EXPECT_FALSE(has_number("As for Figure 8 and Section 6.4.1 (Section IV-B 1): HS3 on a K40 misses L1."));
  for (const std::string& name : known_data("stimuli/papers")) {
    const YAML::Node paper = YAML::LoadFile(find_data("stimuli/papers", name));
    for (const char* list : {"arms", "figures"})
      for (const YAML::Node& entry : paper[list]) {
        const std::string reason = entry["reason"] ? entry["reason"].as<std::string>() : "";
        EXPECT_FALSE(has_number(reason)) << name << ": " << reason;
      }
  }
}

// Every paper that is shipped has a short form, which is a part of it.
TEST(Papers, ThatAreShippedHaveAShortForm) {
  for (const char* name : {"cruz", "cusched", "language-models", "perf-sat", "tenants-h100", "warped-slicer",
                           "xsched", "zorua"}) {
    const Paper part = load_paper(name, {0, true});
    EXPECT_TRUE(part.has_short) << name;
    EXPECT_FALSE(part.left_out.empty()) << name;
    EXPECT_FALSE(part.figures.empty()) << name;
  }
}

TEST(Papers, OnesThatAreShippedLoad) {
  EXPECT_EQ(load_paper("cruz").figures.size(), 4u);
  const Paper paper = load_paper("cusched");
  EXPECT_EQ(paper.figures.size(), 12u);
  EXPECT_FALSE(paper.has_window);
  EXPECT_EQ(load_paper("zorua").figures.size(), 28u);
  const Paper xsched = load_paper("xsched");
  ASSERT_EQ(xsched.figures.size(), 3u);  // mean, p50, p99
  for (const PaperFigure& figure : xsched.figures)
    EXPECT_EQ(figure.theirs.size(), 15u);  // three levels of five lengths
  EXPECT_TRUE(load_paper("zorua", {0, true}).has_short);
}

}  // namespace

}  // namespace heddle
