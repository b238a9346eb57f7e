// What the options that replace values of files change, and where each of them goes.

#include <gmock/gmock.h>

#include "platforms/experiment/overrides.h"
#include "platforms/load/platform_loader.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

template <class Call>
std::string problem_of(Call call) {
  try {
    call();
  } catch (const config::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Overrides, EveryOptionIsTakenByItsName) {
  for (const OverrideOption& option : Overrides::options()) {
    Overrides overrides;
    EXPECT_FALSE(option.is_given(overrides)) << option.name;
    overrides.add(option.name, "7");
    EXPECT_THAT(overrides.given(), ElementsAre(option.name));
    EXPECT_TRUE(Overrides{} < overrides) << option.name << " does not tell two overrides apart";
  }
}

TEST(Overrides, AValueThatIsNoNumberIsRefusedWithItsOption) {
  Overrides overrides;
  for (const char* value : {"", "x", "3x", "-1", "18446744073709551616"})
    EXPECT_THAT(problem_of([&] { overrides.add("--seed", value); }),
                HasSubstr(std::string("--seed ") + value + ": expected a number from 0 on"));
  EXPECT_THAT(problem_of([&] { overrides.add("--sed", "3"); }), HasSubstr("there is no option '--sed'"));
  EXPECT_TRUE(overrides.given().empty());
}

TEST(Overrides, ValuesOfACampaignsPointStandForOptions) {
  Overrides overrides;
  overrides.assign("platform", "k20");
  overrides.assign("policy.sm_partitioner", "token");
  overrides.assign("sm.count", "8");
  EXPECT_EQ(overrides.platform, "k20");
  EXPECT_THAT(overrides.policies, ElementsAre("sm_partitioner=token"));
  EXPECT_THAT(overrides.sets, ElementsAre("sm.count=8"));
  EXPECT_EQ(Overrides::option_of("platform", "k20"), "--platform k20");
  EXPECT_EQ(Overrides::option_of("policy.sm_partitioner", "token"), "--policy sm_partitioner=token");
  EXPECT_EQ(Overrides::option_of("sm.count", "8"), "--set sm.count=8");
}

TEST(Overrides, ASetGoesToTheExperimentTheLaunchFilesOrThePlatform) {
  const Overrides overrides{
      {"jitter=0.1", "parameters.n=4", "sm.count=3", "applications[0].start=2ms"}, {}, {}, 9};
  EXPECT_THAT(overrides.launch_parameters(), ElementsAre("n=4"));
  EXPECT_THAT(overrides.platform_sets(), ElementsAre("sm.count=3"));
  config::Document experiment =
      config::Document::parse("jitter: 0\nseed: 1\nplatform: k20\napplications: [{start: 1ms}]\n", "e.yaml");
  overrides.apply_to_experiment(experiment);
  EXPECT_EQ(experiment.root().real("jitter", {0, 1}, 0), 0.1);
  EXPECT_EQ(experiment.root().integer("seed", {0, 100}), 9);
  EXPECT_EQ(experiment.root().text("platform"), "k20");
  EXPECT_EQ(experiment.root().list("applications")[0].section().time_ps("start"), 2'000'000'000u);
  config::Document platform = load_platform_document("gtx480");
  overrides.apply_to_its_platform(platform);
  EXPECT_EQ(read_platform(platform.root()).sm.count, 3u);
}

TEST(Overrides, AnUnknownKeyMayBeAMisspeltOneOfTheExperiment) {
  config::Document platform = load_platform_document("gtx480");
  EXPECT_THAT(problem_of([&] {
                Overrides{{"jiter=1"}, {}, {}, {}}.apply_to_its_platform(platform);
              }),
              HasSubstr("--set jiter=1: jiter: unknown key; did you mean 'jitter'?"));
}

TEST(Overrides, APlatformWithoutAnExperimentTakesEverySet) {
  config::Document platform = load_platform_document("gtx480");
  Overrides{{"sm.count=3", "seed=4"}, {}, {}, {}}.apply_to_platform(platform);
  EXPECT_EQ(read_platform(platform.root()).sm.count, 3u);
  EXPECT_THAT(problem_of([&] { platform.finish(); }), HasSubstr("--set seed=4: seed: unknown key"));
}

TEST(Overrides, PoliciesAreReplacedByDecision) {
  const Overrides overrides{{}, {"warp_scheduler=lrr", "sm_partitioner={name: token, imbalance: 2}"}, {}, {}};
  std::map<std::string, PolicyChoice> policies{{"warp_scheduler", {"gto", {}}},
                                               {"dma_arbiter", {"fcfs", {}}}};
  overrides.apply_to_policies(policies);
  EXPECT_EQ(policies.at("warp_scheduler").name, "lrr");
  EXPECT_EQ(policies.at("sm_partitioner").parameters.at("imbalance").number(), 2);
  EXPECT_EQ(policies.at("dma_arbiter").name, "fcfs");
  EXPECT_THAT(overrides.replaced_decisions(), UnorderedElementsAre("warp_scheduler", "sm_partitioner"));
}

TEST(Overrides, WhereOnlyParametersAreSetAnotherSetIsRefused) {
  const Overrides overrides{{"parameters.n=4", "sm.count=3"}, {}, {}, {}};
  EXPECT_THAT(problem_of([&] { (void)overrides.only_launch_parameters("of a launch file"); }),
              HasSubstr("--set sm.count=3: of a launch file only parameters.NAME is set"));
}

}  // namespace
}  // namespace heddle
