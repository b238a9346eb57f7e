// A platform may leave the decision `submission` out. Results then do not name it, and an experiment that
// chooses it for one run compares with `direct`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SubmissionChoice, IsNotNamedWhereNoRunChoosesOne) {
  const Experiment experiment = load_experiment("parboil-alone", {{"applications=[cutcp]"}, {}, {}, {}});
  EXPECT_EQ(experiment.variants.front().count("submission"), 0U);
  EXPECT_THAT(resolved_yaml(experiment), Not(HasSubstr("submission")));
  EXPECT_THAT(experiment.platform_yaml, Not(HasSubstr("submission")));
}

TEST(SubmissionChoice, IsDirectInTheRunsThatChooseNoneBesideOneThatDoes) {
  const Experiment experiment = load_experiment("submission");
  ASSERT_EQ(experiment.variants.size(), 4U);
  EXPECT_EQ(experiment.variants[0].at("submission").name, "direct");
  EXPECT_EQ(experiment.variants[1].at("submission").name, "in-flight");
  EXPECT_EQ(experiment.variants[1].at("submission").parameters.at("bound"), PolicyValue(2));
  EXPECT_EQ(experiment.variants[1].at("submission").parameters.at("batch"), PolicyValue(1));
  EXPECT_EQ(variant_label(experiment, 0), "direct");
}

TEST(SubmissionChoice, OfTheCommandLineIsThatOfEveryRun) {
  const Experiment experiment =
      load_experiment("parboil-alone", {{"applications=[cutcp]"}, {"submission=slicing"}, {}, {}});
  EXPECT_EQ(experiment.variants.front().at("submission").name, "slicing");
}

TEST(SubmissionChoice, UnknownNamesAndValuesOutOfRangeAreErrors) {
  const auto load = [](const std::string& policy) {
    return [policy] {
      return load_experiment("parboil-alone",
                             {{"applications=[cutcp]", "policies.submission=" + policy}, {}, {}, {}});
    };
  };
  EXPECT_THAT(load("xsched"),
              testing::ThrowsMessage<config::Error>(HasSubstr("known: bullet, direct, duet-serve")));
  EXPECT_THAT(load("{name: in-flight, bound: 0}"), testing::ThrowsMessage<config::Error>(HasSubstr("bound")));
  EXPECT_THAT(load("{name: in-flight, weights: [3, 0]}"),
              testing::ThrowsMessage<config::Error>(HasSubstr("weights")));
  EXPECT_THAT(load("{name: slicing, budgets: 3}"),
              testing::ThrowsMessage<config::Error>(HasSubstr("budget")));
}

TEST(SubmissionChoice, ASplitThatThePartitionerDoesNotFollowIsAnError) {
  const auto load = [](const std::string& partitioner) {
    return [partitioner] {
      return load_experiment("serving-policies", {{}, {"sm_partitioner=" + partitioner}, {}, {}});
    };
  };
  EXPECT_THAT(load("left-over"), testing::ThrowsMessage<config::Error>(
                                     HasSubstr("sm_partitioner: left-over does not follow it")));
  EXPECT_NO_THROW(load("token")());
  EXPECT_NO_THROW(load("resized-sets")());
}

}  // namespace
}  // namespace heddle
