// Phase specifiers in the code of kernels on cycle SMs: who asks for them, and what they change.

#include <gtest/gtest.h>

#include "policies/resource_manager/i_resource_manager.h"
#include "tests/support/machine/cycle_machine.h"

namespace heddle::test {
namespace {

// A resource manager that asks for phases. Blocks hold what they need to their end.
class PhaseReader final : public ResourceManager {
 public:
  explicit PhaseReader(const PolicyParameters&) {}
  bool uses_phases() const override { return true; }
};

HEDDLE_POLICY(ResourceManager, PhaseReader, "test-phases", "asks for phases, per block", "this test", {});

GpuSpec gpu_with(const std::string& manager) {
  return shared_gtx480("fcfs-s", {"policies.resource_manager=" + manager});
}

TEST(Phases, AKernelIsOpenedWithThemOnlyIfTheResourceManagerAsks) {
  for (const std::string manager : {"static", "wlm", "test-phases"}) {
    std::string asked;  // filled in the process of the run
    ApiProgram program = synthetic("[{op: int_add}]");
    program.kernels[0].program = [open = program.kernels[0].program, &asked](bool with_phases) {
      asked += with_phases ? "with " : "without ";
      return open(with_phases);
    };
    const CycleRun result =
        run(gpu_with(manager), {process_of(program)}, Build::kPlain, [&](Gpu&) { return asked; });
    EXPECT_EQ(result.note, manager == "test-phases" ? "with " : "without ") << manager << result.failure;
  }
}

}  // namespace
}  // namespace heddle::test
