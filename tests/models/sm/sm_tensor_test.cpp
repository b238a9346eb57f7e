// Products of matrices on the tensor unit, and asynchronous copies that a warp waits for by groups.

#include <gtest/gtest.h>

#include "models/core/kernel/copy_groups.h"
#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

namespace {

using Script = std::vector<ScriptedInstruction>;

CycleSmSpec with_tensor_unit() {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  spec.units[static_cast<std::size_t>(UnitKind::kTensor)] = {1, 4, 1};
  spec.operations[static_cast<std::size_t>(Operation::kTensor)] = {UnitKind::kTensor, 20, 8};
  return spec;
}

// Returns the core cycles of each further product in a chain.
std::uint64_t per_product(std::uint8_t repeats, bool dependent) {
  const auto run = [&](RegisterId products) {
    Script warp;
    for (RegisterId i = 0; i < products; ++i) {
      const auto to = static_cast<RegisterId>(dependent ? 1 : i + 1);
      warp.push_back(alu(Operation::kTensor, {to}, {}));
      if (dependent) warp.back().code.reads(to);
      warp.back().code.repeats = repeats;
    }
    ScriptedProgram program({warp});
    SmRig rig(with_tensor_unit());
    rig.launch(program, 1);
    return rig.run();
  };
  return (run(40) - run(20)) / 20;
}

TEST(TensorUnit, AWiderProductRepeatsTheInitiationInterval) {
  EXPECT_EQ(per_product(1, false), 8u);
  EXPECT_EQ(per_product(4, false), 32u);
  EXPECT_EQ(per_product(4, true), per_product(1, true) + 3 * 8);
}

TEST(TensorUnit, TheUnitIsBusyForAllIntervalsOfAProduct) {
  Script warp{alu(Operation::kTensor, {1}, {})};
  warp[0].code.repeats = 3;
  ScriptedProgram program({warp});
  SmRig rig(with_tensor_unit());
  rig.launch(program, 1);
  const std::uint64_t end = rig.run();
  EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kTensor, Cycle{end + 1}), 24u);
}

ScriptedInstruction copy(Address address) {
  ScriptedInstruction scripted = memory(Operation::kLoad, MemorySpace::kGlobal, {}, {}, {address}, 16);
  scripted.code.asynchronous = true;
  return scripted;
}
ScriptedInstruction wait_for_all_but(std::uint8_t newest) {
  ScriptedInstruction scripted = alu(Operation::kCopyWait, {}, {});
  scripted.code.copy_groups = newest;
  return scripted;
}

// Two groups of a copy each, about 290 cycles apart, and a store behind a wait for all but the `newest`
// groups. Returns the cycles from the requests of the two copies to that of the store.
struct Gaps {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
constexpr std::uint64_t kMemory = 1000;
Gaps gaps_with(std::uint8_t newest) {
  const ScriptedInstruction commit = alu(Operation::kCopyCommit, {}, {});
  const ScriptedInstruction division = alu(Operation::kIntDiv, {2}, {2});
  ScriptedProgram program({Script{copy(0x1000), commit, division, division, alu(Operation::kIntAdd, {2}, {2}),
                                  copy(0x2000), commit, wait_for_all_but(newest),
                                  memory(Operation::kStore, MemorySpace::kGlobal, {}, {}, {0x3000})}});
  CycleSmSpec spec = with_tensor_unit();
  spec.l1_caches_global = false;
  SmRig rig(spec, kMemory);
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 3u);
  return {rig.at.at(2) - rig.at.at(0), rig.at.at(2) - rig.at.at(1)};
}

TEST(AsynchronousCopies, AWaitBlocksUntilThatManyGroupsAreLeft) {
  const Gaps all = gaps_with(0);
  EXPECT_GE(all.second, kMemory);
  EXPECT_EQ(gaps_with(1).second, all.second);  // no copy is in the open group
  const Gaps but_one = gaps_with(2);
  EXPECT_GE(but_one.first, kMemory);
  EXPECT_LT(but_one.second, kMemory);
  EXPECT_LT(gaps_with(3).first, kMemory);
}

TEST(AsynchronousCopies, ACopyOfNoLaneReadsNothingAndEnds) {
  Script warp{copy(0x1000), wait_for_all_but(0), alu(Operation::kIntAdd, {2}, {2})};
  warp[0].mask = 0;
  ScriptedProgram program({warp});
  SmRig rig(with_tensor_unit());
  rig.launch(program, 1);
  rig.run();
  EXPECT_TRUE(rig.requests.empty());
  EXPECT_TRUE(rig.core().idle());
}

TEST(AsynchronousCopies, GroupsAreCountedFromTheOpenOneBack) {
  CopyGroups groups;
  EXPECT_FALSE(groups.waits(0));
  const std::uint8_t first = groups.add();
  groups.commit();
  groups.commit();
  const std::uint8_t third = groups.add();
  EXPECT_TRUE(groups.waits(2));
  EXPECT_FALSE(groups.waits(3));
  groups.remove(first);
  EXPECT_TRUE(groups.waits(0));
  EXPECT_FALSE(groups.waits(1));
  groups.remove(third);
  EXPECT_FALSE(groups.waits(0));
  for (int i = 0; i < 40; ++i) groups.commit();
  EXPECT_EQ(groups.add(), 42 % CopyGroups::kGroups);
}

}  // namespace

}  // namespace heddle::test
