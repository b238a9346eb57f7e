// Fetch on an SM with sub-cores: L0, the stream buffer, and the way to the instruction cache of the SM.

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;
using Cycles = std::vector<std::uint64_t>;

constexpr std::uint64_t kInLine = 16;  // instructions of 8 bytes in a line of code

// `lines` lines of instructions that do not depend on each other.
Script straight_line(std::uint64_t lines) {
  Script script;
  for (std::uint64_t i = 0; i < lines * kInLine; ++i)
    script.push_back(alu(Operation::kFloatFma, {static_cast<RegisterId>(8 + i % 32)}, {}));
  return script;
}

// The cycles in which a warp issues the first instruction of each line, from the first on.
Cycles line_starts(const CycleSmSpec& spec, std::uint64_t memory_latency, std::uint64_t lines = 12) {
  ScriptedProgram program({straight_line(lines)});
  SmRig rig(spec, memory_latency, {"cggty", {}});
  rig.launch(program, 1);
  const Cycles cycles = issue_cycles(rig);
  Cycles starts;
  for (std::uint64_t line = 0; line < lines; ++line) starts.push_back(cycles[line * kInLine]);
  return starts;
}

TEST(SubcoreFrontEnd, ALineThatL0LacksTakesTheWayToL1AndBackAndTheMemory) {
  for (const std::uint32_t way : {5u, 39u})
    for (const std::uint64_t memory : {50u, 200u}) {
      CycleSmSpec spec = subcore_sm_with_code();
      spec.subcore.instruction_way = way;
      const Cycles starts = line_starts(spec, memory);
      // The first instruction of the line is asked for when the last three of the line before are left.
      for (std::size_t i = 2; i < starts.size(); ++i)
        EXPECT_EQ(starts[i] - starts[i - 1], starts[2] - starts[1]) << i;
      const std::uint64_t miss = starts[2] - starts[1] - (kInLine - 3);
      EXPECT_GE(miss, 2 * way + memory);
      EXPECT_LE(miss, 2 * way + memory + 6);
    }
}

TEST(SubcoreFrontEnd, ALineOfTheSmsCacheTakesTheWayAlone) {
  // Two blocks, one after another: the second one finds the code of the first in L1, and on the other
  // sub-cores not in L0.
  CycleSmSpec spec = subcore_sm_with_code();
  ScriptedProgram program({straight_line(12)});
  SmRig rig(spec, 1000, {"cggty", {}});
  rig.launch(program, 1);
  const std::uint64_t cold = rig.run();
  ScriptedProgram again(std::vector<Script>(2, straight_line(12)));  // the second warp is on another sub-core
  rig.launch(again, 2, 0, 1, 0);
  const std::uint64_t begin = rig.now().value;
  const std::uint64_t warm = rig.run() - begin;
  EXPECT_GT(cold, 12u * 1000);
  EXPECT_LT(warm, 12u * (79 + kInLine + 6));
  EXPECT_GT(warm, 11u * 79);
}

// Huerta et al., MICRO 2025, table 6: longer stream buffers are faster, up to about 8 lines.
TEST(SubcoreFrontEnd, ALongerStreamBufferIsFaster) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const std::uint32_t lines : {0u, 1u, 2u, 4u, 8u}) {
    CycleSmSpec spec = subcore_sm_with_code();
    spec.instruction_cache.mshrs = spec.subcore.instruction_cache.mshrs = 16;
    spec.subcore.instruction_cache.sets = 8;
    spec.subcore.prefetched_lines = lines;
    const std::uint64_t end = line_starts(spec, 100, 30).back();
    EXPECT_LT(end, before) << lines;
    before = end;
  }
}

TEST(SubcoreFrontEnd, ABranchThatIsTakenDelaysTheFetchOfItsTarget) {
  const auto span = [](std::uint32_t latency) {
    CycleSmSpec spec = subcore_sm();
    spec.branch_latency = latency;
    Script script = straight_line(1);
    script[4].redirected = true;
    return issue_cycles_of({script}, spec).back();
  };
  EXPECT_EQ(span(20) - span(8), 12u);
}

// Code may stand behind the instruction with which a warp ends. Its lines come when the block is gone.
TEST(SubcoreFrontEnd, ALineThatComesBehindTheEndOfItsWarpIsKept) {
  const CycleSmSpec spec = subcore_sm_with_code();
  for (std::size_t last = 1; last < 2 * kInLine; ++last) {
    Script script = straight_line(3);
    script[last].ends = true;
    ScriptedProgram program({script});
    ScriptedProgram other({straight_line(6)});
    SmRig rig(spec, 300, {"cggty", {}});
    rig.launch(program, 1);
    rig.launch(other, 1, 1);
    rig.run();
    EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).warp_instructions, last + 1);
    EXPECT_EQ(rig.core().residence().work().of(KsrId{1}).warp_instructions, 6 * kInLine);
  }
}

// A line that the stream buffer has asked L1 for may miss there when the launch is over.
TEST(SubcoreFrontEnd, ALaunchIsHeldUntilL1HasItsRequests) {
  CycleSmSpec spec = subcore_sm_with_code();
  spec.instruction_cache.mshrs = spec.subcore.instruction_cache.mshrs = 16;
  spec.subcore.instruction_cache.sets = 8;
  spec.subcore.prefetched_lines = 4;
  for (std::size_t last = 1; last < 2 * kInLine; ++last) {
    Script script = straight_line(8);
    script[last].ends = true;
    ScriptedProgram program({script});
    ScriptedProgram other({straight_line(12)});
    SmRig rig(spec, 10, {"cggty", {}});
    const auto misses = [&rig] { return rig.core().residence().work().counts()[AccountId{0}].fetch_misses; };
    std::optional<std::uint64_t> at_close;
    rig.after_tick = [&] {
      if (!at_close && program.finished() == 1 && !rig.core().pipeline().holds(AccountId{0}))
        at_close = misses();
    };
    rig.launch(program, 1);
    rig.launch(other, 1, 1);
    rig.run();
    EXPECT_EQ(at_close, misses()) << last;
  }
}

TEST(SubcoreFrontEnd, AHaltedWarpLeavesNoFetchBehind) {
  for (std::uint64_t at = 1; at < 400; at += 3) {
    ScriptedProgram halted({straight_line(12)});
    ScriptedProgram next({straight_line(2)});
    SmRig rig(subcore_sm_with_code(), 100, {"cggty", {}});
    rig.launch(halted, 1, 0);
    rig.run(true, at);
    rig.core().residence().halt(KsrId{0}, rig.now());
    rig.launch(next, 1, 1);
    rig.run();
    EXPECT_EQ(rig.core().residence().work().of(KsrId{1}).warp_instructions, 2 * kInLine) << at;
  }
}

}  // namespace
}  // namespace heddle::test
