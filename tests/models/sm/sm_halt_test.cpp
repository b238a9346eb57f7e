// Halted blocks on an SM, in any state of their warps.

#include <gtest/gtest.h>

#include "tests/support/sm/each_pipeline.h"

namespace heddle::test {
namespace {

class SmHalt : public EachPipeline {};

std::vector<ScriptedInstruction> long_warp() {
  std::vector<ScriptedInstruction> warp;
  for (std::uint32_t i = 0; i < 200; ++i) {
    warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {1}, {}, {Address{i} * 4096}));
    warp.push_back(alu(Operation::kFloatFma, {2}, {1, 2}));
    warp.push_back(memory(Operation::kStore, MemorySpace::kGlobal, {}, {2}, {Address{i} * 4096}));
    warp.push_back(alu(Operation::kBarrier, {}, {}));
  }
  return warp;
}

std::uint64_t warp_instructions(SmRig& rig, std::uint32_t ksr) {
  return rig.core().residence().work().of(KsrId{ksr}).warp_instructions;
}

TEST_P(SmHalt, BlocksAreDoneWhenWhatTheyHaveInFlightHasComeBack) {
  for (std::uint64_t at = 1; at < 400; at += 7) {
    ScriptedProgram halted({long_warp(), long_warp(), long_warp()});
    ScriptedProgram other({long_warp()});
    SmRig rig(sm());
    rig.launch(halted, 3, 0, 2);
    rig.launch(other, 1, 1);
    rig.run(true, at);
    const std::uint64_t issued = warp_instructions(rig, 0);
    rig.core().residence().halt(KsrId{0}, rig.now());
    rig.run();
    EXPECT_EQ(halted.finished(), 2) << at;
    EXPECT_EQ(other.finished(), 1) << at;
    EXPECT_EQ(warp_instructions(rig, 0), issued) << at;  // no further instruction is issued
    EXPECT_EQ(warp_instructions(rig, 1), 800) << at;
    EXPECT_TRUE(rig.core().idle()) << at;
  }
}

TEST_P(SmHalt, ANewBlockInTheSlotsOfAHaltedOneRunsFromItsOwnStart) {
  for (std::uint64_t at = 1; at < 60; ++at) {
    ScriptedProgram halted({long_warp()});
    ScriptedProgram next({{alu(Operation::kIntAdd, {1}, {}), alu(Operation::kIntAdd, {2}, {1})}});
    SmRig rig(sm());
    rig.launch(halted, 1, 0);
    rig.run(true, at);
    rig.core().residence().halt(KsrId{0}, rig.now());
    rig.launch(next, 1, 1);
    rig.run();
    EXPECT_EQ(warp_instructions(rig, 1), 2) << at;
  }
}

TEST_P(SmHalt, TheMeterRecordsTheCycleInWhichAContextReachesItsTarget) {
  ScriptedProgram program({std::vector<ScriptedInstruction>(50, alu(Operation::kIntAdd, {1}, {}))});
  SmRig rig(sm());
  std::uint64_t reached = 0;
  rig.meter().set_target(ContextId{0}, 20);
  rig.meter().on_reached([&](ContextId) { reached = warp_instructions(rig, 0); });
  rig.launch(program, 1, 0);
  rig.run();
  EXPECT_EQ(reached, 20);
  EXPECT_EQ(rig.meter().count(ContextId{0}), 50);
}

HEDDLE_EACH_PIPELINE(SmHalt);

}  // namespace
}  // namespace heddle::test
