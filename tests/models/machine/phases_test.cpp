// Phase specifiers in the code of kernels on cycle SMs: who asks for them, and what they change.

#include <gtest/gtest.h>

#include "policies/resource_manager/i_resource_manager.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/launch_rig.h"
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
    program.kernels[0].program = [open = program.kernels[0].program, &asked](const CodeOptions& options) {
      asked += options.with_phases ? "with " : "without ";
      return open(options);
    };
    const CycleRun result =
        run(gpu_with(manager), {process_of(program)}, Build::kPlain, [&](Gpu&) { return asked; });
    EXPECT_EQ(result.note, manager == "test-phases" ? "with " : "without ") << manager << result.failure;
  }
}

TEST(Phases, ASpecifierOfASyntheticKernelIssuesAsAnInstructionOfItsOwn) {
  const ApiProgram program = synthetic(
      "[{op: move, count: 9}, {loop: 5, body: [{phase: {live_registers: 12}}, {op: sfu}, "
      "{phase: {live_registers: 4}}, {op: move}]}]",
      {6, 64, 16, 0});
  const CycleRun without = run(gpu_with("static"), program);
  const CycleRun with = run(gpu_with("test-phases"), program);
  // Ten specifiers of each of two warps of six blocks.
  EXPECT_EQ(with.sum("applications.*.*.warp_instructions"),
            without.sum("applications.*.*.warp_instructions") + 120);
  EXPECT_GT(with.cycles(), without.cycles());
}

TEST(Phases, AKernelThatIsExecutedDoesTheSameWithThem) {
  for (const std::string name : {"zo-bh", "zo-nqu", "zo-rd", "zo-sla"}) {
    const std::string size = name == "zo-bh" ? "n=300" : name == "zo-nqu" ? "n=6" : "n=5000";
    const ApiProgram program =
        load_launch_application(kLaunches + name + ".yaml", {size, "threads=128"}).application.program;
    // The launch files check the results.
    const CycleRun without = run(gpu_with("static"), program);
    const CycleRun with = run(gpu_with("test-phases"), program);
    EXPECT_EQ(without.failure, "") << name;
    EXPECT_EQ(with.failure, "") << name;
    EXPECT_GT(with.sum("applications.*.*.warp_instructions"),
              without.sum("applications.*.*.warp_instructions"))
        << name;
    EXPECT_EQ(with.sum("applications.*.*.blocks_done"), without.sum("applications.*.*.blocks_done")) << name;
  }
}

}  // namespace
}  // namespace heddle::test
