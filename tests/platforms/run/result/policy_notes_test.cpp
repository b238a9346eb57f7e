#include "platforms/run/result/policy_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMs = 1'000'000'000;  // picoseconds

Summary summary_of(const PolicyChoice& partitioner, std::uint64_t simulated_ps, std::size_t applications) {
  Summary summary;
  summary.alone.resize(applications);
  RunSummary run;
  run.label = "slices";
  run.policies["sm_partitioner"] = partitioner;
  run.measures.run.simulated_ps = simulated_ps;
  summary.runs.push_back(run);
  return summary;
}

TEST(PolicyNotes, ATimeSliceThatIsAsLongAsTheRunIsTold) {
  const PolicyChoice slice{"time-slice", {{"quantum", 3000.0}}};  // us
  EXPECT_THAT(policy_notes(summary_of(slice, 3 * kMs, 2)),
              ElementsAre("slices: no time slice came to its end: a slice lasts 3ms, and the run 3 ms"));
  EXPECT_THAT(policy_notes(summary_of(slice, 3 * kMs + 1, 2)), IsEmpty());
  EXPECT_THAT(policy_notes(summary_of({"time-slice", {}}, kMs, 2)), testing::SizeIs(1));  // 2 ms by default
}

TEST(PolicyNotes, NothingIsToldOfOtherPoliciesAndOfOneApplication) {
  EXPECT_THAT(policy_notes(summary_of({"left-over", {}}, 1, 2)), IsEmpty());
  EXPECT_THAT(policy_notes(summary_of({"time-slice", {}}, 1, 1)), IsEmpty());
}

}  // namespace
}  // namespace heddle
