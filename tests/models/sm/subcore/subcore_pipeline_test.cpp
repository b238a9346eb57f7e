// The pipeline of an SM with sub-cores in exact cycles: what Huerta et al. measured (MICRO 2025).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "models/core/base/random.h"
#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

// Relative to the first.
Cycles from_first(Cycles cycles) {
  const std::uint64_t first = cycles.front();
  for (std::uint64_t& cycle : cycles) cycle -= first;
  return cycles;
}

// `count` instructions of one operation that do not depend on each other and read nothing.
Script independent(Operation operation, std::size_t count) {
  Script script;
  for (std::size_t i = 0; i < count; ++i)
    script.push_back(alu(operation, {static_cast<RegisterId>(8 + i % 32)}, {}));
  return script;
}

Script chain(Operation operation, std::size_t count) {
  return Script(count, alu(operation, {0}, {0}));
}

ScriptedInstruction load(RegisterId to, Address address) {
  return memory(Operation::kLoad, MemorySpace::kShared, {to}, {200}, {address});
}

TEST(Subcore, AWarpIssuesAnInstructionInEachCycle) {
  Cycles expected(40);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(from_first(issue_cycles_of({independent(Operation::kFloatFma, 40)})), expected);
}

TEST(Subcore, ADependentInstructionIssuesAfterTheLatency) {
  for (const Operation operation :
       {Operation::kFloatFma, Operation::kIntAdd, Operation::kDouble, Operation::kSfu}) {
    const CycleSmSpec spec = subcore_sm();
    const Cycles cycles = issue_cycles_of({chain(operation, 10)});
    for (std::size_t i = 1; i < cycles.size(); ++i)
      EXPECT_EQ(cycles[i] - cycles[i - 1], spec.operation(operation).latency + 2u) << name_of(operation);
  }
}

TEST(Subcore, AUnitOf16LanesTakesAnInstructionInTwoCycles) {
  const Cycles ints = from_first(issue_cycles_of({independent(Operation::kIntAdd, 10)}));
  EXPECT_EQ(ints.back(), 18u);
  Script mixed;
  for (std::size_t i = 0; i < 10; ++i) {
    mixed.push_back(independent(Operation::kIntAdd, i + 1).back());
    mixed.push_back(independent(Operation::kFloatFma, i + 20).back());
  }
  EXPECT_EQ(from_first(issue_cycles_of({mixed})).back(), 19u);
}

TEST(Subcore, AUnitWithFewerPipelinesThanSubcoresIsShared) {
  CycleSmSpec spec = subcore_sm();
  spec.units[static_cast<std::size_t>(UnitKind::kDp)].count = 1;
  const std::vector<Script> warps(4, independent(Operation::kDouble, 10));  // a warp on each sub-core
  EXPECT_EQ(from_first(issue_cycles_of(warps, spec)).back(), 39u * 2);
  EXPECT_EQ(from_first(issue_cycles_of(warps)).back(), 9u * 2);
}

// Listing 1: between two readings of the clock pass 5, 6 or 7 cycles.
TEST(Subcore, ReadsOfOneBankPutWhatFollowsOff) {
  const auto between_clocks = [](RegisterId x, RegisterId y) {
    const Script script{alu(Operation::kMove, {100}, {}),
                        alu(Operation::kNop, {}, {}),
                        alu(Operation::kFloatFma, {11}, {10, 12, 14}),
                        alu(Operation::kFloatFma, {13}, {16, x, y}),
                        alu(Operation::kNop, {}, {}),
                        alu(Operation::kMove, {101}, {})};
    return from_first(issue_cycles_of({script})).back();
  };
  EXPECT_EQ(between_clocks(19, 21), 5u);
  EXPECT_EQ(between_clocks(18, 21), 6u);
  EXPECT_EQ(between_clocks(18, 20), 7u);
}

TEST(Subcore, AnOperandThatStaysAtItsPlaceIsReadOnce) {
  Script same;
  Script moved;
  for (RegisterId i = 0; i < 30; ++i) {
    same.push_back(alu(Operation::kFloatFma, {static_cast<RegisterId>(20 + i)}, {2, 4, 6}));
    moved.push_back(i % 2 == 0 ? alu(Operation::kFloatFma, {static_cast<RegisterId>(20 + i)}, {2, 4, 6})
                               : alu(Operation::kFloatFma, {static_cast<RegisterId>(20 + i)}, {4, 6, 2}));
  }
  EXPECT_EQ(from_first(issue_cycles_of({same})).back(), 29u);
  EXPECT_GE(from_first(issue_cycles_of({moved})).back(), 29u * 3 - 6);
}

// Figure 4: the youngest warp issues until it has nothing left, then the one before it.
TEST(Subcore, TheYoungestWarpGoesFirst) {
  ScriptedProgram program(std::vector<Script>(16, independent(Operation::kFloatFma, 32)));
  SmRig rig(subcore_sm(), 100, {"cggty", {}});
  rig.launch(program, 16);
  std::vector<std::uint64_t> ends(16);  // by warp: the last cycle in which it is live
  rig.after_tick = [&] {
    for (std::uint32_t warp = 0; warp < 16; ++warp)
      if ((rig.core().residence().table().live >> warp & 1) != 0) ends[warp] = rig.now().value;
  };
  rig.run();
  for (std::uint32_t warp = 0; warp < 12; ++warp) EXPECT_EQ(ends[warp] - ends[warp + 4], 32u) << warp;
}

// Section 5.4: the first five memory instructions issue one after another. The sixth waits until the first
// has left the sub-core, and the others follow at the rate of the address unit, or of the memory unit of the
// SM, which serves the sub-cores in turn.
TEST(Subcore, MemoryInstructionsIssueAtTheRateOfTheirQueue) {
  for (const std::uint32_t port : {1u, 2u})
    for (std::uint32_t subcores = 1; subcores <= 4; ++subcores) {
      CycleSmSpec spec = subcore_sm();
      spec.subcore.memory_port = port;
      Script loads;
      for (RegisterId i = 0; i < 20; ++i)
        loads.push_back(load(static_cast<RegisterId>(10 + i), Address{i} * 128));
      ScriptedProgram program(std::vector<Script>(subcores, loads));
      SmRig rig(spec, 100, {"cggty", {}});
      rig.launch(program, subcores);
      const Cycles cycles = from_first(issue_cycles(rig));
      ASSERT_EQ(cycles.size(), 20u * subcores);
      const std::uint64_t step = std::max<std::uint64_t>(4, std::uint64_t{port} * subcores);
      // The i-th load of the s-th sub-core; the first one issues in cycle 2 of the paper.
      std::vector<std::uint64_t> expected;
      for (std::uint64_t s = 0; s < subcores; ++s)
        for (std::uint64_t i = 1; i <= 20; ++i)
          expected.push_back(i <= 5 ? i - 1 : 11 + s * port + (i - 6) * step);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(cycles, expected) << subcores << " sub-cores, " << port;
    }
}

TEST(Subcore, ARegisterThatAMemoryInstructionReadsIsWrittenAfterItHasLeft) {
  const Script script{memory(Operation::kStore, MemorySpace::kGlobal, {}, {5}, {0}),
                      alu(Operation::kFloatFma, {5}, {})};
  EXPECT_EQ(from_first(issue_cycles_of({script})).back(), 11u);
  const Script other{memory(Operation::kStore, MemorySpace::kGlobal, {}, {5}, {0}),
                     alu(Operation::kFloatFma, {6}, {})};
  EXPECT_EQ(from_first(issue_cycles_of({other})).back(), 1u);
}

// Table 2: the data of wider loads take the write port longer.
TEST(Subcore, AWiderLoadIsLaterByTwoCyclesForEachFurtherRegister) {
  const auto load_to_use = [](std::uint32_t registers) {
    std::vector<RegisterId> to;
    for (RegisterId i = 0; i < registers; ++i) to.push_back(static_cast<RegisterId>(10 + i));
    const Script script{memory(Operation::kLoad, MemorySpace::kGlobal, to, {200}, {0}),
                        alu(Operation::kFloatFma, {5}, {10})};
    return from_first(issue_cycles_of({script})).back();
  };
  EXPECT_EQ(load_to_use(2) - load_to_use(1), 2u);
  EXPECT_EQ(load_to_use(4) - load_to_use(1), 6u);
}

// Instructions with control bits, as compilers make them.

Script with_control(Script script) {
  for (ScriptedInstruction& instruction : script) {
    instruction.code.control.is_known = true;
    instruction.code.control.stall = 1;
  }
  return script;
}

TEST(Subcore, AnInstructionWithAStallHoldsTheNextOneOfItsWarpForSoManyCycles) {
  for (std::uint8_t stall = 0; stall < 16; ++stall) {
    Script script = with_control(independent(Operation::kFloatFma, 32));
    script[1].code.control.stall = stall & 0xf;
    EXPECT_EQ(from_first(issue_cycles_of({script})).back(), 30u + std::max<std::uint64_t>(1, stall)) << stall;
  }
}

// Listing 2: without a comparison of registers the stall alone decides.
TEST(Subcore, AStallTooShortIsNotNoticed) {
  for (const std::uint8_t stall : {std::uint8_t{1}, std::uint8_t{4}}) {
    Script script =
        with_control({alu(Operation::kMove, {100}, {}), alu(Operation::kNop, {}, {}),
                      alu(Operation::kFloatAdd, {1}, {2, 3}), alu(Operation::kFloatFma, {5}, {1, 1, 1}),
                      alu(Operation::kNop, {}, {}), alu(Operation::kMove, {101}, {})});
    script[2].code.control.stall = stall & 0xf;
    EXPECT_EQ(from_first(issue_cycles_of({script})).back(), 4u + stall) << stall;
  }
}

TEST(Subcore, AYieldGivesTheNextCycleAway) {
  Script script = with_control(independent(Operation::kFloatFma, 32));
  script[1].code.control.yields = true;
  EXPECT_EQ(from_first(issue_cycles_of({script})).back() + 1, 33u);
  script[1].code.control.stall = 4;
  EXPECT_EQ(from_first(issue_cycles_of({script})).back() + 1, 35u);
  script[1].code.control.stall = 0;
  EXPECT_EQ(from_first(issue_cycles_of({script})).back() + 1, 31u + 45u);
}

// Figure 4: four warps of one sub-core, with and without a stall of 4 behind the second instruction.
TEST(Subcore, AStallOfOneWarpIsFilledByTheNextYoungest) {
  Script script = with_control(independent(Operation::kFloatFma, 32));
  const Script none = with_control({alu(Operation::kExit, {}, {})});
  const auto warps = [&] {
    std::vector<Script> all(16, none);
    for (std::size_t i = 0; i < 16; i += 4) all[i] = script;
    return all;
  };
  const auto span = [&] {
    ScriptedProgram program(warps());
    SmRig rig(subcore_sm(), 100, {"cggty", {}});
    rig.launch(program, 16);
    Cycles cycles = issue_cycles(rig);
    return cycles.back() - cycles.front() + 1;
  };
  EXPECT_EQ(span(), 128u);
  script[1].code.control.stall = 4;
  EXPECT_EQ(span(), 131u);
}

TEST(Subcore, AnInstructionWaitsForTheCountersThatItNames) {
  const auto last = [](std::uint8_t awaited) {
    Script script = with_control({memory(Operation::kStore, MemorySpace::kGlobal, {}, {5}, {0}),
                                  memory(Operation::kLoad, MemorySpace::kGlobal, {10}, {6}, {0}),
                                  alu(Operation::kFloatFma, {5}, {10})});
    script[0].code.control.read_counter = 0;
    script[1].code.control.write_counter = 3;
    script[2].code.control.awaited = awaited & 0x3f;
    return from_first(issue_cycles_of({script})).back();
  };
  EXPECT_EQ(last(0), 2u);
  EXPECT_EQ(last(1 << 0), 11u);
  EXPECT_GT(last(1 << 3), 100u) << "the memory's latency";
}

TEST(Subcore, TheReuseCacheHoldsAnOperandForTheNextReadOfItsPlace) {
  Script script;
  for (RegisterId i = 0; i < 30; ++i)
    script.push_back(alu(Operation::kFloatFma, {static_cast<RegisterId>(20 + i)}, {2, 4, 6}));
  script = with_control(script);
  EXPECT_GE(from_first(issue_cycles_of({script})).back(), 29u * 3 - 6);
  for (ScriptedInstruction& instruction : script) instruction.code.control.reuse = 3;
  EXPECT_EQ(from_first(issue_cycles_of({script})).back(), 29u);
}

// Returns a program of random instructions of all kinds for so many warps.
std::vector<Script> random_warps(Random& random, std::size_t warps, std::size_t length) {
  std::vector<Script> result(warps);
  for (Script& script : result) {
    for (std::size_t i = 0; i < length; ++i) {
      const auto any = [&] { return static_cast<RegisterId>(random.below(24)); };
      switch (random.below(9)) {
        case 0:
          script.push_back(
              memory(Operation::kLoad, MemorySpace::kGlobal, {any()}, {any()}, {random.below(64) * 128}));
          break;
        case 1:
          script.push_back(
              memory(Operation::kStore, MemorySpace::kGlobal, {}, {any(), any()}, {random.below(64) * 128}));
          break;
        case 2:
          script.push_back(
              memory(Operation::kLoad, MemorySpace::kShared, {any()}, {any()}, {random.below(64) * 4}));
          break;
        case 3:
          script.push_back(alu(Operation::kSfu, {any()}, {any()}));
          break;
        case 4:
          script.push_back(alu(Operation::kDouble, {any()}, {any(), any(), any()}));
          break;
        case 5:
          script.push_back(alu(Operation::kIntAdd, {any()}, {any(), any()}));
          break;
        default:
          script.push_back(alu(Operation::kFloatFma, {any()}, {any(), any(), any()}));
          if (random.below(4) == 0)
            script.back().code.reads_constant(static_cast<ConstantAddress>(random.below(20) * 64));
      }
      script.back().code.uniform_address = random.below(2) == 0;
    }
    script.push_back(alu(Operation::kBarrier, {}, {}));
    script.push_back(alu(Operation::kFence, {}, {}));
    script.push_back(alu(Operation::kExit, {}, {}));
  }
  return result;
}

TEST(Subcore, SleepingChangesNothingAndEveryCycleIsAccounted) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    CycleSmSpec spec = random.below(2) == 0 ? subcore_sm() : subcore_sm_with_code();
    spec.subcore.memory_port = 1 + static_cast<std::uint32_t>(random.below(2));
    spec.subcore.prefetched_lines = static_cast<std::uint32_t>(random.below(3)) * 4;
    if (random.below(2) == 0) spec.units[static_cast<std::size_t>(UnitKind::kDp)].count = 1;
    spec.code_is_dropped = random.below(2) == 0;
    if (random.below(2) == 0) {
      spec.subcore.constants = {8, 79, 4};
      spec.subcore.uniform_global = 3;
      spec.subcore.global_load = {11, 9};
      spec.subcore.shared_load = {9, 9};
      spec.subcore.global_store = {14, 10};
    }
    const std::vector<Script> warps = random_warps(random, 1 + random.below(12), 1 + random.below(120));
    const char* const policy = std::array{"cggty", "gto", "lrr", "two-level"}[random.below(4)];
    std::array<std::uint64_t, 2> ends{};
    for (const bool sleepy : {false, true}) {
      ScriptedProgram program(warps);
      SmRig rig(spec, 100, {policy, {}});
      rig.launch(program, static_cast<std::uint32_t>(warps.size()), 0, 2);
      rig.launch(program, static_cast<std::uint32_t>(warps.size()), 1, 1);
      ends[sleepy ? 1 : 0] = rig.run(sleepy);
      ASSERT_EQ(program.finished(), 3u) << seed;
      EXPECT_EQ(rig.accounted(), rig.now().value) << seed;
      EXPECT_TRUE(rig.core().idle()) << seed;
      EXPECT_EQ(rig.core().pipeline().issued(), 3 * warps.size() * warps[0].size()) << seed;
    }
    EXPECT_EQ(ends[0], ends[1]) << seed << " " << policy;
  }
}

}  // namespace
}  // namespace heddle::test
