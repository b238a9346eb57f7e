// The next instruction of a warp after each step of control flow.

#include "stimuli/ptx/execute/control_flow.h"

#include <gmock/gmock.h>

#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using Kind = Step::Kind;

struct FlowRig : StepRig {
  using StepRig::StepRig;

  // Executes the next step of the first warp.
  IssuedInstruction step(std::uint32_t active = kEveryLane) {
    Warp& warp = warps[0];
    const std::uint32_t pc = warp.stack().pc();
    const WarpStep at{warp, warp.step(pc), 0, active & warp.stack().mask()};
    IssuedInstruction issued = issue(at);
    flow.update_next_instruction(at, pc + 1, issued);
    return issued;
  }
  ReconvergenceStack& stack() { return warps[0].stack(); }

  BlockMemory memory{state, faults};
  DeviceFunctions device_functions{state, memory, faults};
  ControlFlow flow{state, device_functions, faults};
};

TEST(PtxControlFlow, AStepThatIsNoBranchFallsThrough) {
  FlowRig rig("membar.gl;");
  rig.at(Kind::kNothing);
  const std::uint32_t pc = rig.stack().pc();
  const IssuedInstruction issued = rig.step();
  EXPECT_FALSE(issued.redirected);
  EXPECT_FALSE(issued.ended);
  EXPECT_EQ(rig.stack().pc(), pc + 1);
}

TEST(PtxControlFlow, ADivergentBranchRunsTheFallThroughPathFirstAndIsNoRedirection) {
  FlowRig rig("@%p1 bra TAKEN; add.u32 %r1, %r1, 1;\nTAKEN: add.u32 %r2, %r2, 1;");
  rig.at(Kind::kBranch);
  const std::uint32_t pc = rig.stack().pc();
  EXPECT_FALSE(rig.step(0xffU).redirected);
  EXPECT_EQ(rig.stack().pc(), pc + 1);
  EXPECT_EQ(rig.stack().mask(), ~0xffU);
  EXPECT_FALSE(rig.step().redirected);  // both paths reconverge at the next instruction
  EXPECT_EQ(rig.stack().mask(), kEveryLane);
}

TEST(PtxControlFlow, ABranchThatAllLanesTakeIsARedirection) {
  FlowRig rig("@%p1 bra TAKEN; add.u32 %r1, %r1, 1;\nTAKEN: add.u32 %r2, %r2, 1;");
  rig.at(Kind::kBranch);
  const std::uint32_t pc = rig.stack().pc();
  EXPECT_TRUE(rig.step().redirected);
  EXPECT_EQ(rig.stack().pc(), pc + 2);
}

TEST(PtxControlFlow, LanesThatExitLeaveTheOthersRunning) {
  FlowRig rig("@%p1 exit;");
  rig.at(Kind::kExit);
  EXPECT_FALSE(rig.step(0xffU).ended);
  EXPECT_EQ(rig.stack().mask(), ~0xffU);
  const IssuedInstruction last = rig.step();  // this step returns from the entry
  EXPECT_TRUE(last.ended);
  EXPECT_FALSE(last.redirected);
}

const char* const kCallee =
    ".func (.param .b32 back) twice (.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r0, [n]; add.u32 %r1, "
    "%r0, %r0; st.param.u32 [back], %r1; ret; }";

TEST(PtxControlFlow, ACallPassesArgumentsAndTheLastReturnPassesResults) {
  FlowRig rig("call (%r1), twice, (%r2);", kCallee);
  const WarpStep call = rig.at(Kind::kCall);
  const std::uint32_t pc = rig.stack().pc();
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    set_lane(call, rig.code.calls[call.step.index].arguments[0].row, lane, 10 + lane);
  const Row result = rig.code.calls[call.step.index].results[0].row;
  EXPECT_TRUE(rig.step(0xffffU).redirected);
  Warp& warp = rig.warps[0];
  ASSERT_EQ(warp.depth(), 2u);
  EXPECT_EQ(rig.stack().mask(), 0xffffU);
  std::uint32_t argument = 0;
  std::memcpy(&argument, warp.area_of(warp.frame(), 5), sizeof(argument));
  EXPECT_EQ(argument, 15u);
  const std::uint32_t back = warp.frame().code->function->returns[0].offset;
  for (std::uint32_t lane = 0; lane < 16; ++lane)
    std::memcpy(warp.area_of(warp.frame(), lane) + back, &argument, sizeof(argument));
  rig.stack().advance(3);  // to the return
  rig.step(0xffU);
  EXPECT_EQ(warp.depth(), 2u);
  EXPECT_EQ(rig.stack().mask(), 0xff00U);
  rig.stack().advance(3);
  EXPECT_TRUE(rig.step().redirected);
  ASSERT_EQ(warp.depth(), 1u);
  EXPECT_EQ(rig.stack().pc(), pc + 1);
  EXPECT_EQ(rig.stack().mask(), kEveryLane);
  EXPECT_EQ(lane_of<std::uint32_t>(call, result, 0), 15u);
  EXPECT_EQ(lane_of<std::uint32_t>(call, result, 15), 15u);
  EXPECT_EQ(lane_of<std::uint32_t>(call, result, 16), 0u);
}

TEST(PtxControlFlow, CallsThatNestTooDeepAreAFault) {
  FlowRig rig("call f;", ".func f { call f; ret; }");
  rig.at(Kind::kCall);
  const std::string fault = fault_of([&] {
    for (int i = 0; i < 5000; ++i) rig.step();
  });
  EXPECT_THAT(fault, HasSubstr("stack overflow: 4096 calls deep, 0 bytes of local memory"));
  EXPECT_THAT(fault, HasSubstr(", in f"));
}

}  // namespace
}  // namespace heddle::ptx
