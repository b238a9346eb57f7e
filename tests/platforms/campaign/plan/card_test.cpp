// The YAML files of cards, and their tables.

#include "platforms/campaign/plan/card.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/card_table.h"
#include "tests/platforms/campaign/plan/edited_inputs.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = "# Made up\nsuite,benchmark,launch,parameters,us,launch_bound\n";
constexpr const char* kRows =
    "polybench,mvt,polybench_mvt,n=32;block_x=8,10,0\n"
    "polybench,mvt,polybench_mvt,n=64;block_x=8,40,0\n"
    "polybench,mvt,polybench_mvt,n=64;block_x=16,20,0\n"
    "polybench,gemm,polybench_gemm,n=32;block_x=32,15,1\n";
constexpr const char* kCard = R"(card: small
title: A card
platform: gtx480
table: small.csv
points: {longest: 30}
changed: {of_each: 1}
run_time: 2s
short: {points: {without: [gemm]}, changed: {longest: 10}, run_time: 1s}
mechanisms:
  - {mechanism: flits, change: {crossbar.flit: 8B}, meaning: A flit has 8 bytes.}
)";

class CardTest : public testing::Test {
 protected:
  CardTest() { inputs_.write("small.csv", std::string(kHead) + kRows); }

  Card load(const std::string& from = "", const std::string& to = "", bool is_short = false) const {
    return load_card(inputs_.write_edited("small.yaml", kCard, from, to), is_short);
  }
  // Returns the only problem of a card in which `from` is replaced by `to`, behind the folder of its file.
  std::string problem(const std::string& from, const std::string& to) const {
    return test::only_problem("small.", [&] { load(from, to); });
  }
  std::string problem_of_row(const std::string& row) const {
    inputs_.write("small.csv", std::string(kHead) + row);
    return problem("", "");
  }

  const test::EditedInputs inputs_{"cards"};
};

TEST_F(CardTest, TheLongestAndTheNumberOfEachBenchmarkChooseThePoints) {
  const Card card = load();
  EXPECT_THAT(card.points, ElementsAre(0, 2, 3));  // at most 30 us
  EXPECT_THAT(card.changed, ElementsAre(0, 3));    // the median of each benchmark
  EXPECT_EQ(card.points_words, "3 of the table's 4 points, which took the card at most 30 us");
  EXPECT_EQ(
      card.changed_words,
      "2 of the table's 4 points, which took the card at most 30 us, and are at most 1 of each benchmark");
  EXPECT_EQ(card.run_seconds, 2);
  EXPECT_TRUE(card.has_short);
}

TEST_F(CardTest, AShortFormChoosesOthers) {
  const Card card = load("", "", true);
  EXPECT_THAT(card.points, ElementsAre(0, 1, 2));
  EXPECT_THAT(card.changed, ElementsAre(0));
  EXPECT_EQ(card.changed_words,
            "1 of the table's 4 points, which took the card at most 10 us, and are not of gemm");
  EXPECT_EQ(card.run_seconds, 1);
}

TEST_F(CardTest, TwoOfEachAreTheShortestAndTheLongest) {
  EXPECT_THAT(load("points: {longest: 30}", "points: {of_each: 2}").points, ElementsAre(0, 1, 3));
}

TEST_F(CardTest, ACampaignHasAllPointsAndOneForEachMechanismHasTheChange) {
  const Card card = load();
  ASSERT_EQ(card.campaigns.size(), 2u);
  EXPECT_EQ(card.campaigns[0].name, "points");
  EXPECT_EQ(card.campaigns[1].name, "flits");
  ASSERT_EQ(card.campaigns[0].points.size(), 3u);
  ASSERT_EQ(card.campaigns[1].points.size(), 2u);
  const std::vector<Assignment>& values = card.campaigns[1].points[1].values;
  EXPECT_THAT(values, testing::Contains(Assignment{"crossbar.flit", "8B"}));
  EXPECT_THAT(values, testing::Contains(Assignment{"platform", "gtx480"}));
  EXPECT_THAT(values, testing::Contains(Assignment{"host.launch_latency", "0s"}));
  EXPECT_THAT(values, testing::Contains(Assignment{"parameters.block_x", "32"}));
  EXPECT_THAT(values,
              testing::Contains(Assignment{
                  "experiment",
                  fs::path(find_data("stimuli/launches", "polybench_gemm")).lexically_normal().string()}));
}

TEST_F(CardTest, TheTextForThePageHasTheRowsAndTheChanges) {
  const nlohmann::json text = nlohmann::json::parse(card_text(load(), "heddle reproduce small"));
  EXPECT_EQ(text["points"], (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(text["changed"], (std::vector<int>{0, 3}));
  EXPECT_EQ(text["table"], (inputs_.directory() / "small.csv").string());
  EXPECT_EQ(text["command"], "heddle reproduce small");
  EXPECT_EQ(text["mechanisms"][0]["change"], "crossbar.flit=8B");
}

TEST_F(CardTest, EachProblemHasItsPlace) {
  EXPECT_THAT(problem("gtx480", "gtx48"),
              HasSubstr("small.yaml:3:11: platform: 'gtx48' is not in platforms; did you"));
  EXPECT_THAT(
      problem("crossbar.flit", "crossbar.flits"),
      testing::AllOf(HasSubstr("small.yaml:10:"), HasSubstr("crossbar.flits=8B"), HasSubstr("did you mean")));
  EXPECT_THAT(problem("8B}", "40B}"), HasSubstr("changes nothing: the platform has this value"));
  EXPECT_THAT(problem("crossbar.flit: 8B", "crossbar.flit: 8B, l2.width: 32B"),
              HasSubstr("states one key of the platform and its value"));
  EXPECT_THAT(problem("mechanism: flits", "mechanism: points"),
              HasSubstr("another campaign of the card has this name"));
  EXPECT_THAT(problem("[gemm]", "[gem]"),
              HasSubstr("the table has no benchmark 'gem'; did you mean 'gemm'?"));
  EXPECT_THAT(problem("longest: 30", "longest: 3"), HasSubstr("points: no point is left"));
  EXPECT_THAT(problem("run_time: 2s", "run_times: 2s"), HasSubstr("run_times"));
  EXPECT_THAT(problem("table: small.csv", "table: small.cvs"), HasSubstr("small.cvs"));
}

TEST_F(CardTest, AMissingTableOrPlatformIsOneProblem) {
  EXPECT_THAT(problem("table: small.csv\n", ""), HasSubstr("small.yaml:1:1: table: missing key"));
  EXPECT_THAT(problem("small.csv", "''"), HasSubstr("small.yaml:4:8: table: names no file"));
  EXPECT_THAT(problem("platform: gtx480\n", ""), HasSubstr("small.yaml:1:1: platform: missing key"));
  EXPECT_THAT(problem("gtx480", "[gtx480]"), HasSubstr("small.yaml:3:11: platform: needs a text"));
}

TEST_F(CardTest, AWrongRowIsNamedByItsLine) {
  EXPECT_THAT(problem_of_row("s,b,polybench_mvt,n=32,10\n"),
              HasSubstr("small.csv:3: 5 columns instead of 6"));
  EXPECT_THAT(problem_of_row("s,b,polybench_mvt,n,10,0\n"),
              HasSubstr("small.csv:3: parameters have the form"));
  EXPECT_THAT(problem_of_row("s,b,polybench_mvt,n=[1,10,0\n"),
              HasSubstr("small.csv:3: parameters have the form"));
  EXPECT_THAT(problem_of_row("s,b,polybench_mvt,n=32,-1,0\n"),
              HasSubstr("small.csv:3: us is a time above 0, not '-1'"));
  EXPECT_THAT(problem_of_row(""), HasSubstr("small.csv: there are no points"));
  inputs_.write("small.csv", "launch,us\n");
  EXPECT_THAT(problem("", ""), HasSubstr("small.csv: the head of the table is not suite,benchmark,"));
}

TEST_F(CardTest, APointThatDoesNotLoadIsNamedByItsLine) {
  inputs_.write("small.csv", std::string(kHead) + "s,gemm,polybench_gemm,m=32,10,0\n");
  EXPECT_THAT(problem("", ""), HasSubstr("small.csv:3: polybench_gemm: "));
  inputs_.write("small.csv", std::string(kHead) + "s,gemm,polybench_gem,n=32,10,0\n");
  EXPECT_THAT(
      problem("", ""),
      HasSubstr("small.csv:3: polybench_gem: 'polybench_gem' is not in stimuli/launches; did you mean"));
}

TEST(Cards, ThatComeWithHeddleLoadInBothForms) {
  for (const auto& [name, points] :
       {std::pair<std::string, std::size_t>{"a100", 17}, {"h100", 258}, {"v100", 17}}) {
    const Card whole = load_card(name);
    EXPECT_EQ(read_card_table(whole.table).points.size(), points) << name;
    EXPECT_TRUE(whole.has_short) << name;
    EXPECT_TRUE(whole.run_seconds) << name;
    EXPECT_GE(whole.mechanisms.size(), 5u) << name;
    const Card part = load_card(name, true);
    EXPECT_LE(part.points.size() + part.changed.size(), whole.points.size() + whole.changed.size()) << name;
    EXPECT_EQ(part.campaigns.size(), whole.campaigns.size()) << name;
  }
}

}  // namespace

}  // namespace heddle
