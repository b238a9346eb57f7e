// Kernels on cycle SMs whose code is folded and scheduled.

#include <gtest/gtest.h>

#include "stimuli/launch/launch_application.h"
#include "tests/support/launch_rig.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

CycleRun run_of(const std::string& launch, const std::string& parameter, const std::string& schedule) {
  const ApiProgram program =
      load_launch_application(kLaunches + launch + ".yaml", {parameter}).application.program;
  return run(shared_gtx480("fcfs-s", {"pipeline.schedule=" + schedule}), program);
}

TEST(CodeSchedule, KernelsIssueFewerInstructionsAndTakeFewerCycles) {
  const std::vector<std::pair<std::string, std::string>> launches{
      {"vector_add", "n=5000"}, {"stencil_5_point", "steps=2"}, {"histogram", "n=5000"}};
  for (const auto& [launch, parameter] : launches) {
    // The launch files check the results.
    const CycleRun plain = run_of(launch, parameter, "none");
    const CycleRun scheduled = run_of(launch, parameter, "ptxas-like");
    EXPECT_EQ(plain.failure, "") << launch;
    EXPECT_EQ(scheduled.failure, "") << launch;
    EXPECT_LT(scheduled.sum("applications.*.*.warp_instructions"),
              plain.sum("applications.*.*.warp_instructions") * 9 / 10)
        << launch;
    EXPECT_LT(scheduled.cycles(), plain.cycles()) << launch;
  }
}

}  // namespace
}  // namespace heddle::test
