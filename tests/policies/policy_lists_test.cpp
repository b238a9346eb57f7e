// Policy parameters that are lists: how they are read from YAML, refused, printed and written back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/experiment/experiment.h"
#include "platforms/load/platform_loader.h"
#include "tests/support/problems.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kAll = PolicyValue::kAll;

std::string policy_of(const std::string& quotas) {
  return "sm_partitioner: {name: fixed, quotas: " + quotas + "}\n";
}

PolicyValue read(const std::string& quotas) {
  const config::Document document = config::Document::parse(policy_of(quotas), "p.yaml");
  std::map<std::string, PolicyChoice> policies;
  read_policies(document.root(), policies);
  document.finish();
  return policies.at("sm_partitioner").parameters.at("quotas");
}

std::vector<std::string> problems_of(const std::string& yaml) {
  const config::Document document = config::Document::parse(yaml, "p.yaml");
  std::map<std::string, PolicyChoice> policies;
  read_policies(document.root(), policies);
  return test::problems_of([&] { document.finish(); });
}

TEST(PolicyLists, AreAListAListOfListsOrAll) {
  EXPECT_EQ(read("[3, 5]").lists(), (IntegerLists{{3, 5}}));
  EXPECT_EQ(read("[[3, 5]]").lists(), (IntegerLists{{3, 5}}));
  EXPECT_EQ(read("[[8, 0], [], [0, 8]]").lists(), (IntegerLists{{8, 0}, {}, {0, 8}}));
  EXPECT_EQ(read("[all, -1]").lists(), (IntegerLists{{kAll, kAll}}));
  EXPECT_EQ(read("[]").lists(), (IntegerLists{{}}));
  EXPECT_EQ(read("all").lists(), IntegerLists{});
}

TEST(PolicyNames, AreReadAndPrintedAsTheyAreAndAnUnknownOneIsAProblemWithItsPlace) {
  const config::Document document =
      config::Document::parse("warp_scheduler: {name: priority, within: two-level}\n", "p.yaml");
  std::map<std::string, PolicyChoice> policies;
  read_policies(document.root(), policies);
  document.finish();
  EXPECT_EQ(policies.at("warp_scheduler").parameters.at("within").text(), "two-level");
  EXPECT_THAT(problems_of("warp_scheduler: {name: priority, within: two-levels}\n"),
              ElementsAre(AllOf(HasSubstr("p.yaml:1"), HasSubstr("two-level"))));
}

TEST(PolicyLists, TheirTextReadsBackAsTheSame) {
  for (const char* text : {"[3, 5]", "[[8, 0], [], [0, 8]]", "[all, 1024]", "[]", "all"}) {
    EXPECT_EQ(read(text).text(), text);
    EXPECT_EQ(read(read(text).text()), read(text));
  }
}

TEST(PolicyLists, ErrorsInThemAreReportedWithTheirPlace) {
  EXPECT_THAT(problems_of(policy_of("[3, 5.5]")),
              ElementsAre(HasSubstr("p.yaml:1:43: sm_partitioner.quotas[1]: ")));
  EXPECT_THAT(problems_of(policy_of("[3, some]")),
              ElementsAre(HasSubstr("p.yaml:1:43: sm_partitioner.quotas[1]: ")));
  EXPECT_THAT(problems_of(policy_of("[3, -2]")),
              ElementsAre(HasSubstr("p.yaml:1:43: sm_partitioner.quotas[1]: ")));
  EXPECT_THAT(problems_of(policy_of("[1025]")), ElementsAre(HasSubstr("1024")));
  EXPECT_THAT(problems_of(policy_of("[3, [5]]")),
              ElementsAre(HasSubstr("p.yaml:1:43: sm_partitioner.quotas[1]: ")));
  EXPECT_THAT(problems_of(policy_of("[[3], 5]")),
              ElementsAre(HasSubstr("sm_partitioner.quotas[1]: needs a list")));
  EXPECT_THAT(problems_of(policy_of("[[3], all]")),
              ElementsAre(HasSubstr("sm_partitioner.quotas[1]: needs a list")));
  EXPECT_THAT(problems_of(policy_of("[[[3]]]")), ElementsAre(HasSubstr("sm_partitioner.quotas[0][0]: ")));
  EXPECT_THAT(problems_of(policy_of("3")), ElementsAre(HasSubstr("sm_partitioner.quotas: needs a list")));
  EXPECT_THAT(problems_of(policy_of("al")), ElementsAre(HasSubstr("sm_partitioner.quotas: needs a list")));
  EXPECT_THAT(problems_of(policy_of("{a: 3}")),
              ElementsAre(HasSubstr("sm_partitioner.quotas: needs a list")));
  EXPECT_THAT(problems_of("sm_partitioner: {name: fixed, quota: [3]}"),
              testing::Contains(HasSubstr("did you mean 'quotas'?")));
  EXPECT_THAT(problems_of("sm_partitioner: {name: token, imbalance: [3]}"),
              testing::Contains(HasSubstr("sm_partitioner.imbalance: needs a number")));
}

// ---- in an experiment

std::vector<std::string> with_quotas(const std::string& applications, const std::string& quotas) {
  return {"applications=" + applications, "policies.sm_partitioner.name=fixed",
          "policies.sm_partitioner.quotas=" + quotas};
}

Experiment load(const std::vector<std::string>& sets) {
  return load_experiment("parboil-alone", {sets, {}, {}, {}});
}

std::string error_of(const std::vector<std::string>& sets) {
  try {
    load(sets);
  } catch (const config::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PolicyLists, AreWrittenIntoTheResolvedExperiment) {
  const Experiment experiment = load(with_quotas("[sgemm, spmv]", "[3, all]"));
  EXPECT_THAT(resolved_yaml(experiment), HasSubstr("sm_partitioner: {name: fixed, quotas: [[3, -1]]}"));
  const Experiment whole = load_experiment("parboil-alone", {{}, {"sm_partitioner=fixed"}, {}, {}});
  EXPECT_THAT(resolved_yaml(whole), HasSubstr("sm_partitioner: {name: fixed, quotas: all}"));
}

TEST(PolicyLists, AnApplicationWithoutAQuotaIsRefusedAtTheQuotasPlace) {
  EXPECT_THAT(
      error_of(with_quotas("[sgemm, spmv, histo]", "[3, 5]")),
      HasSubstr("policies.sm_partitioner: fixed: quotas leave application 2 without a block on any SM"));
  EXPECT_THAT(error_of(with_quotas("[sgemm, spmv]", "[0, 5]")), HasSubstr("quotas leave application 0"));
  EXPECT_THAT(error_of(with_quotas("[sgemm, spmv]", "[3, 5, 7]")),
              HasSubstr("quotas name 3 applications, of which there are 2"));
}

}  // namespace
}  // namespace heddle
