// Products of warpgroups: the tensor unit writes their results later, and warps wait for them by groups.

#include <gtest/gtest.h>

#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

constexpr std::uint32_t kLatency = 16;  // of the operation; the sub-core adds two cycles
constexpr std::uint32_t kInterval = 4;  // of 8 columns
constexpr std::uint8_t kWidest = 32;    // intervals of 256 columns

CycleSmSpec with_group_products(CycleSmSpec spec) {
  if (spec.pipeline == PipelineKind::kCollector)
    spec.units[static_cast<std::size_t>(UnitKind::kTensor)] = {4, 4, 1};
  spec.instruction_cache.sets = 0;  // fetch always hits
  spec.operations[static_cast<std::size_t>(Operation::kTensorGroup)] = {UnitKind::kTensor, kLatency,
                                                                        kInterval};
  return spec;
}

ScriptedInstruction product(std::uint8_t repeats) {
  ScriptedInstruction scripted = alu(Operation::kTensorGroup, {}, {1, 2});
  scripted.code.repeats = repeats;
  return scripted;
}
ScriptedInstruction commit() {
  return alu(Operation::kProductCommit, {}, {});
}
ScriptedInstruction wait_for_all_but(std::uint8_t newest) {
  ScriptedInstruction scripted = alu(Operation::kProductWait, {}, {});
  scripted.code.copy_groups = static_cast<std::uint8_t>(newest + 1);  // and the open group
  return scripted;
}
ScriptedInstruction end() {
  return alu(Operation::kExit, {}, {});
}

// Returns the cycles in which the only warp issues, from its first instruction on.
Cycles issues_of(const Script& warp, const CycleSmSpec& base = subcore_sm()) {
  Cycles cycles = issue_cycles_of({warp}, with_group_products(base));
  for (std::size_t i = cycles.size(); i-- > 0;) cycles[i] -= cycles[0];
  return cycles;
}

TEST(SmGroupProducts, ProductsOf256ColumnsFollowEachOtherEvery128Cycles) {
  const Cycles cycles = issues_of({product(kWidest), product(kWidest), product(kWidest), end()});
  EXPECT_EQ(cycles[1], 128U);
  EXPECT_EQ(cycles[2], 256U);
}

TEST(SmGroupProducts, AWaitIssuesWhenTheLastProductOfItsGroupsHasEnded) {
  const Cycles wide = issues_of({product(kWidest), product(kWidest), commit(), wait_for_all_but(0), end()});
  EXPECT_EQ(wide[2], 129U);  // nothing waits at the commit
  EXPECT_EQ(wide[3], 256U);
  const Cycles narrow = issues_of({product(1), commit(), wait_for_all_but(0), end()});
  EXPECT_EQ(narrow[2], kLatency + 2);
}

TEST(SmGroupProducts, AWaitForAllButOneGroupIssuesWhileTheNewestProductIsUnderWay) {
  for (const bool waits_for_all : {true, false}) {
    const Cycles cycles = issues_of({product(kWidest), commit(), product(kWidest), commit(),
                                     wait_for_all_but(waits_for_all ? 0 : 1), end()});
    EXPECT_EQ(cycles[2], 128U);
    // The first product has ended when the unit takes the second one. A commit and a wait go to a unit that
    // takes an instruction in two cycles.
    EXPECT_EQ(cycles[4], waits_for_all ? 256U : 131U);
  }
}

TEST(SmGroupProducts, NoInstructionWaitsForTheRegistersOfAProduct) {
  const Cycles cycles = issues_of({product(kWidest), alu(Operation::kFloatAdd, {3}, {3}), end()});
  EXPECT_EQ(cycles[1], 1U);
}

// A warpgroup has a warp on each sub-core, and two of them share the four tensor units.
TEST(SmGroupProducts, TheUnitsOfAllSubcoresWorkAtTheSameTime) {
  const auto end_of = [](std::size_t warps, const CycleSmSpec& spec) {
    ScriptedProgram program(std::vector<Script>(
        warps, Script{product(kWidest), product(kWidest), commit(), wait_for_all_but(0), end()}));
    SmRig rig(with_group_products(spec), 100, {spec.schedulers == 4 ? "cggty" : "gto", {}});
    rig.launch(program, static_cast<std::uint32_t>(warps));
    const std::uint64_t cycles = rig.run();
    EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kTensor, Cycle{cycles + 1}), 256 * warps);
    return cycles;
  };
  EXPECT_EQ(end_of(8, gtx480_sm()), end_of(4, gtx480_sm()) + 256);
  // A sub-core issues the wait of its first warp in the cycle in which its unit could take the next product.
  EXPECT_EQ(end_of(8, subcore_sm()), end_of(4, subcore_sm()) + 257);
}

TEST(SmGroupProducts, AWaitForProductsIsOneForARegisterOfAUnitAndNotOfALoad) {
  const auto waits = [](std::vector<ScriptedInstruction> script) {
    ScriptedProgram program({std::move(script)});
    SmRig rig(with_group_products(subcore_sm()), 100, {"cggty", {}});
    rig.launch(program, 1);
    rig.run();
    const auto& buckets = rig.core().accounts().totals().buckets;
    EXPECT_EQ(buckets[static_cast<std::size_t>(Bucket::kScoreboardMemory)], 0U);
    return buckets[static_cast<std::size_t>(Bucket::kScoreboardAlu)];
  };
  EXPECT_EQ(waits({product(kWidest), commit(), end()}), 0U);
  // The product issues in cycle 0, the commit in cycle 1, and the wait in cycle 128.
  EXPECT_EQ(waits({product(kWidest), commit(), wait_for_all_but(0), end()}), 126U);
}

TEST(SmGroupProducts, AnEndOfAWarpLeavesNoProductToTheNextOneInItsPlace) {
  ScriptedProgram program({{product(kWidest), end()}});
  ScriptedProgram next({{commit(), wait_for_all_but(0), end()}});
  SmRig rig(with_group_products(subcore_sm()), 100, {"cggty", {}});
  rig.launch(program, 1);
  EXPECT_GE(rig.run(), 128U);
  const std::uint64_t start = rig.now().value;
  rig.launch(next, 1, 1);
  EXPECT_LT(rig.run() - start, 20U);
}

}  // namespace
}  // namespace heddle::test
