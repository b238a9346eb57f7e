// The operations of an entry's instructions that depend on other instructions.

#include "stimuli/ptx/steps/entry_code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

std::vector<Operation> operations_of(const std::string& body) {
  PtxRun run(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<3>; .reg .u32 %r<3>; .reg .f64 %d<2>;\n" +
      body + "\n}");
  const Launch launch = run.launch();
  const EntryCode code = decode_entry(image_of(*launch.code), launch.entry, {});
  std::vector<Operation> operations;
  for (const Instruction& instruction : code.functions[code.entry].instructions)
    operations.push_back(instruction.operation);
  return operations;
}

using Operations = std::vector<Operation>;

TEST(PtxEntryCode, AComparisonIsAConditionIfTheNextBranchOrExitReadsIt) {
  EXPECT_EQ(operations_of("setp.lt.u32 %p0, %r0, 4; add.u32 %r0, %r0, 1; @%p0 bra L; L: ret;"),
            (Operations{Operation::kCondition, Operation::kIntAdd, Operation::kBranch, Operation::kExit}));
  EXPECT_EQ(operations_of("setp.lt.u32 %p0, %r0, 4; @!%p0 exit; ret;"),
            (Operations{Operation::kCondition, Operation::kExit, Operation::kExit}));
}

TEST(PtxEntryCode, AComparisonIsAMoveIfAnotherInstructionReadsItOrABranchStandsBetween) {
  EXPECT_EQ(operations_of("setp.lt.u32 %p0, %r0, 4; selp.u32 %r1, 1, 2, %p0; ret;"),
            (Operations{Operation::kMove, Operation::kMove, Operation::kExit}));
  EXPECT_EQ(operations_of("setp.lt.u32 %p0, %r0, 4; setp.lt.u32 %p1, %r0, 8; @%p1 bra L; @%p0 exit; L: ret;"),
            (Operations{Operation::kMove, Operation::kCondition, Operation::kBranch, Operation::kExit,
                        Operation::kExit}));
}

TEST(PtxEntryCode, OfTwoComparisonsTheLaterOneIsTheCondition) {
  EXPECT_EQ(operations_of("setp.lt.u32 %p0, %r0, 4; setp.lt.u32 %p0, %r0, 8; @%p0 bra L; L: ret;"),
            (Operations{Operation::kMove, Operation::kCondition, Operation::kBranch, Operation::kExit}));
}

TEST(PtxEntryCode, AComparisonOfDoublesKeepsItsUnit) {
  EXPECT_EQ(operations_of("setp.lt.f64 %p0, %d0, %d1; @%p0 bra L; L: ret;"),
            (Operations{Operation::kDouble, Operation::kBranch, Operation::kExit}));
}

}  // namespace
}  // namespace heddle::ptx
