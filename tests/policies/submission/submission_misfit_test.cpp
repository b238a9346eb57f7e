// Parameters of submission policies that cannot hold, or that make no sense.

#include <gtest/gtest.h>

#include "policies/submission/i_submission.h"

namespace heddle::test {
namespace {

struct Misfit {
  PolicyChoice choice;
  std::string message;  // empty: it fits
};

TEST(SubmissionMisfit, ParametersThatMakeNoSenseAreOneMessage) {
  GpuDescription gpu;
  gpu.sms = 13;
  gpu.applications = 2;
  const std::vector<Misfit> all{
      {{"in-flight", {{"bound", 4}, {"batch", 5}}}, "in-flight: a batch of 5 launches, and the bound is 4"},
      {{"in-flight", {{"bound", 4}, {"batch", 4}}}, ""},
      {{"in-flight", {{"weights", IntegerLists{{3, 1}, {1, 3}}}}},
       "in-flight: weights is one list by process, and 2 are given"},
      {{"in-flight", {{"weights", IntegerLists{{3, 1, 1}}}}},
       "in-flight: weights names 3 processes, of which there are 2"},
      {{"in-flight", {{"weights", IntegerLists{{3, 1}}}}}, ""},
      {{"pd-mux", {{"least", 7}}}, "pd-mux: 2 processes with a least of 7 SMs each, and the GPU has 13 SMs"},
      {{"pd-mux", {{"least", 6}}}, ""},
      {{"pd-mux", {}}, ""}};
  for (const Misfit& misfit : all)
    EXPECT_EQ(PolicyCatalogue::instance().misfit(Submission::kDecision, misfit.choice, gpu), misfit.message);
}

TEST(SubmissionMisfit, ABudgetOfNothingIsOutOfRange) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  EXPECT_THROW(catalogue.resolve(Submission::kDecision, {"slicing", {{"budget", 0.0}}}), PolicyError);
  EXPECT_NO_THROW(catalogue.resolve(Submission::kDecision, {"slicing", {{"budget", 1.0}}}));
}

// With more processes than SMs the default still holds: those with the latest deadlines wait.
TEST(SubmissionMisfit, OneSmForEachOfManyProcessesFits) {
  GpuDescription gpu;
  gpu.sms = 2;
  gpu.applications = 5;
  EXPECT_EQ(PolicyCatalogue::instance().misfit(Submission::kDecision, {"pd-mux", {}}, gpu), "");
}

}  // namespace
}  // namespace heddle::test
