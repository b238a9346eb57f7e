// A block that leaves its SM may save only the live registers of its warps.

#include <gtest/gtest.h>

#include "tests/support/sm/each_pipeline.h"

namespace heddle::test {
namespace {

class SmSaveLive : public EachPipeline {
 protected:
  CycleSmSpec sm_with_live_saves() const {
    CycleSmSpec spec = sm();
    spec.saves_live_registers = true;
    return spec;
  }
};

constexpr std::uint64_t kRegister = 4 * kLanes;  // bytes of one register of all lanes of a warp
constexpr std::uint64_t kState = kStateBytes;    // bytes of the state of a warp

// The rig's threads have 16 registers.
TEST_P(SmSaveLive, AWarpSavesItsLiveRegistersAndItsStateAndLoadsAsMuch) {
  ScriptedProgram program({long_warp(), long_warp(), long_warp()});
  program.live_bytes = 5 * kRegister;
  SmRig rig(sm_with_live_saves());
  rig.shared_bytes = 5000;
  rig.launch(program, 3);
  rig.run(true, 20);
  rig.save(0, BlockId{0});
  rig.run();
  ASSERT_EQ(rig.saved.size(), 1u);
  const std::uint64_t lines = 3 * (5 + 1) + 40;  // 5000 bytes are 40 lines
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, lines);
  const SavedBlock& saved = rig.state(BlockId{0});
  EXPECT_EQ(saved.saved_bytes, 3 * (5 * kRegister + kState) + 5000);
  EXPECT_EQ(saved.dead_bytes, 3 * 11 * kRegister);
  EXPECT_EQ(saved.whole_warps, 0u);
  rig.go_on(0, BlockId{0}, saved);
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_loads, lines);
  EXPECT_EQ(program.finished(), 1u);
}

TEST_P(SmSaveLive, RegistersOfAFewLanesShareLines) {
  ScriptedProgram program({long_warp()});
  program.live_bytes = 5 * 4 * 7;  // 5 registers of 7 lanes: 140 bytes, which are 3 lines with the state
  SmRig rig(sm_with_live_saves());
  rig.launch(program, 1);
  rig.run(true, 20);
  rig.save(0, BlockId{0});
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, 3u);
  EXPECT_EQ(rig.state(BlockId{0}).dead_bytes, 16 * kRegister - 140);
}

TEST_P(SmSaveLive, AWarpOfAStreamThatDoesNotKnowSavesAllItsRegisters) {
  ScriptedProgram program({long_warp(), long_warp()});
  SmRig rig(sm_with_live_saves());
  rig.launch(program, 2);
  rig.run(true, 20);
  rig.save(0, BlockId{0});
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, 2u * (16 + 1));
  EXPECT_EQ(rig.state(BlockId{0}).dead_bytes, 0u);
  EXPECT_EQ(rig.state(BlockId{0}).whole_warps, 2u);
}

TEST_P(SmSaveLive, ALaunchWithFewerRegistersThanAreLiveSavesWhatItHas) {
  ScriptedProgram program({long_warp()});
  program.live_bytes = 40 * kRegister;
  SmRig rig(sm_with_live_saves());
  rig.launch(program, 1);
  rig.run(true, 20);
  rig.save(0, BlockId{0});
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, 16u + 1);
}

TEST_P(SmSaveLive, NobodyAsksForLiveRegistersUnlessTheyAreSaved) {
  ScriptedProgram program({long_warp()});
  program.live_bytes = 5 * kRegister;
  SmRig rig(sm());
  rig.launch(program, 1);
  rig.run(true, 20);
  rig.save(0, BlockId{0});
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, 16u + 1);
  EXPECT_EQ(rig.state(BlockId{0}).dead_bytes, 0u);
}

HEDDLE_EACH_PIPELINE(SmSaveLive);

}  // namespace
}  // namespace heddle::test
