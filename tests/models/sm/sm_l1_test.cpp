// L1 of an SM with the numbers of the GTX 480 and a memory of fixed latency.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/machine/sm_memory_scripts.h"

namespace heddle::test {

namespace {

// Returns the loads of a line that a warp reads, writes and reads again.
std::size_t loads_around_a_store(bool is_updated) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1_is_updated = is_updated;
  const ScriptedInstruction read = load(MemorySpace::kGlobal, {0x1000});
  ScriptedProgram program(
      {Script{read, memory(Operation::kStore, MemorySpace::kGlobal, {}, {1}, {0x1000}), read}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  EXPECT_TRUE(rig.core().idle());
  return static_cast<std::size_t>(
      std::count_if(rig.requests.begin(), rig.requests.end(),
                    [](const MemoryRequest& request) { return request.kind == RequestKind::kLoad; }));
}

TEST(SmL1, AStoreDropsALineFromL1OrUpdatesIt) {
  EXPECT_EQ(loads_around_a_store(false), 2u);
  EXPECT_EQ(loads_around_a_store(true), 1u);
}

// Returns the cycles in which a warp reads a word of each of 32 lines of L1, where the words lie so many
// bytes further in each line than in the one before. The loads depend on each other.
std::uint64_t cycles_of_lines(std::uint32_t lines, Address further, std::uint32_t line_latency = 0) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1 = {32, 4, 128, 32, false, 64, 8, 8, 35};
  spec.l1_lines = lines;
  spec.l1_line_latency = line_latency;
  const auto run = [&](std::size_t reads) {
    ScriptedProgram program({Script(reads, load(MemorySpace::kGlobal, lanes(0x1000, kLineBytes + further)))});
    SmRig rig(spec);
    rig.launch(program, 1);
    return rig.run();
  };
  return (run(40) - run(20)) / 20 - 40;
}

TEST(SmL1, L1ReadsLinesOfDifferentBanksInOneCycle) {
  EXPECT_EQ(cycles_of_lines(1, 4), 31u);
  EXPECT_EQ(cycles_of_lines(4, 4), 7u);
  EXPECT_EQ(cycles_of_lines(4, 0), 31u) << "all words lie in one bank";
  EXPECT_EQ(cycles_of_lines(4, 64), 15u) << "every other word lies in the same bank";
}

TEST(SmL1, ALoadOfSeveralLinesWaitsLongerThanItOccupiesL1) {
  EXPECT_EQ(cycles_of_lines(1, 0, 1), 62u);
  EXPECT_EQ(cycles_of_lines(1, 0, 3), 124u);
  EXPECT_EQ(cycles_of_lines(4, 4, 1), 14u);
}

// Returns the cycle in which the first request of a lone instruction leaves the SM.
std::uint64_t sent_at(const ScriptedInstruction& instruction, const CycleSmSpec& spec) {
  ScriptedProgram program({Script{instruction}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  return rig.at.at(0);
}

TEST(SmL1, WhatGoesThroughL1LeavesItsLatencyLaterThanWhatGoesPastIt) {
  CycleSmSpec spec = without_instruction_cache();
  ScriptedInstruction cached = load(MemorySpace::kGlobal, {0x1000});
  ScriptedInstruction bypassing = cached;
  bypassing.code.bypass_l1 = true;
  const std::uint64_t direct = sent_at(bypassing, spec);
  const auto atomic = memory(Operation::kAtomic, MemorySpace::kGlobal, {1}, {1}, {0x1000});
  const auto store = memory(Operation::kStore, MemorySpace::kGlobal, {}, {1}, {0x1000});
  EXPECT_EQ(sent_at(atomic, spec), direct);
  EXPECT_EQ(sent_at(cached, spec), direct + 35);
  EXPECT_EQ(sent_at(store, spec), direct + 35);
  EXPECT_EQ(sent_at(load(MemorySpace::kLocal, {0}), spec), direct + 35);
  spec.l1_caches_global = false;
  EXPECT_EQ(sent_at(cached, spec), direct);
  EXPECT_EQ(sent_at(store, spec), direct);
  EXPECT_EQ(sent_at(load(MemorySpace::kLocal, {0}), spec), direct + 35);
}

TEST(SmL1, MissesFollowOneAnotherThroughL1ACycleEach) {
  Script warp;
  for (Address i = 0; i < 40; ++i)
    warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {static_cast<RegisterId>(2 + i)}, {},
                          {0x10000 + 128 * i}));
  CycleSmSpec spec = without_instruction_cache();
  spec.fetch_width = spec.buffer_entries = 4;
  ScriptedProgram program(std::vector<Script>(2, warp));
  SmRig rig(spec, 400);
  rig.launch(program, 2);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 40u);  // each line once
  EXPECT_LE(rig.at[39] - rig.at[0], 80u);
}

TEST(SmL1, SleepingWithMissesWithinL1ChangesNothing) {
  const auto run = [](bool sleepy, std::uint64_t latency) {
    std::vector<Script> warps(6);
    for (Address w = 0; w < warps.size(); ++w)
      for (Address i = 0; i < 30; ++i) {
        warps[w].push_back(memory(i % 5 == 4 ? Operation::kStore : Operation::kLoad, MemorySpace::kGlobal,
                                  i % 5 == 4 ? std::vector<RegisterId>{} : std::vector<RegisterId>{1}, {1},
                                  lanes(0x1000 * (w + i * i), i % 3 == 0 ? 4 : 100)));
        warps[w].back().code.bypass_l1 = i % 4 == 3;
      }
    ScriptedProgram program(warps);
    SmRig rig(without_instruction_cache(), latency);
    rig.launch(program, 6);
    const std::uint64_t cycles = rig.run(sleepy);
    return std::tuple{cycles, rig.at, rig.core().accounts().totals().buckets};
  };
  for (const std::uint64_t latency : {1, 30, 35, 200})
    EXPECT_EQ(run(true, latency), run(false, latency)) << latency;
}

// Returns the cycles that each of many independent loads takes that hit. The warps issue in turn and have no
// sources, so that neither fetch nor register banks cause a cycle without work for L1.
double cycles_of_a_load(Address stride, std::uint32_t line_latency) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1_line_latency = line_latency;
  const auto run = [&](std::size_t count) {
    std::vector<Script> warps(8);
    for (Script& warp : warps)
      for (std::size_t i = 0; i < count; ++i)
        warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {static_cast<RegisterId>(2 + i % 16)},
                              {}, lanes(0x10000, stride)));
    ScriptedProgram program(warps);
    SmRig rig(spec, 100, {"lrr", {}});
    rig.launch(program, 8);
    return rig.run();
  };
  return static_cast<double>(run(64) - run(32)) / (8 * 32);
}

TEST(SmL1, EachLineOfAnUncoalescedLoadTakesACycleOfL1WhateverItsDataWaitFor) {
  for (const Address stride : {4, 8, 32, 128}) {
    const double lines = std::max(1.0, static_cast<double>(stride) * 32 / 128);
    for (const std::uint32_t line_latency : {0, 1})
      EXPECT_NEAR(cycles_of_a_load(stride, line_latency), lines, 0.01 * lines) << stride;
  }
}

TEST(SmL1, AMissAsksForAWholeFermiLineOnceWhoeverWaits) {
  std::vector<Script> warps(8, Script{load(MemorySpace::kGlobal, lanes(0x2000, 1))});
  ScriptedProgram program(warps);
  SmRig rig(without_instruction_cache());
  rig.launch(program, 8);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 1u);
  EXPECT_EQ(rig.requests[0].address, 0x2000u);
  EXPECT_EQ(rig.requests[0].bytes, 128u);
  const KernelCounts& counts = rig.core().residence().work().of(KsrId{0});
  EXPECT_EQ(counts.l1_accesses, 8u);
  EXPECT_EQ(counts.l1_misses, 1u);
  EXPECT_EQ(counts.l1_merges, 7u);
}

TEST(SmL1, AMissAsksForSectorsOnlyWhereLinesAreSectored) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1.sector_bytes = 32;
  // Two lanes read each line, its sectors 0 and 2. A request covers sectors that lie side by side, so that
  // the load sends two requests for a line.
  ScriptedProgram program({Script{load(MemorySpace::kGlobal, lanes(0x2000, 64))}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 32u);
  for (const MemoryRequest& request : rig.requests) EXPECT_EQ(request.bytes, 32u);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).l1_misses, 16u);
}

TEST(SmL1, AGlobalStoreGoesThroughAndDropsItsBytesFromL1) {
  const auto store = memory(Operation::kStore, MemorySpace::kGlobal, {}, {1, 2}, lanes(0x2000, 4));
  ScriptedProgram program(
      {Script{load(MemorySpace::kGlobal, lanes(0x2000, 4)), alu(Operation::kMove, {2}, {1}), store,
              alu(Operation::kFence, {}, {}), load(MemorySpace::kGlobal, lanes(0x2000, 4))}});
  SmRig rig(without_instruction_cache());
  rig.launch(program, 1);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 3u);
  EXPECT_EQ(rig.requests[1].kind, RequestKind::kStore);
  EXPECT_FALSE(rig.requests[1].partial);
  EXPECT_EQ(rig.requests[2].kind, RequestKind::kLoad);  // the load does not hit
  EXPECT_GE(rig.at[2], rig.at[1] + 100);                // the fence waited for the store's answer
}

TEST(SmL1, AFullSetOfMshrsHoldsTheLoadBackUntilOneIsFree) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1.mshrs = 4;
  Script warp;
  for (Address i = 0; i < 12; ++i)
    warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {static_cast<RegisterId>(2 + i)}, {1},
                          {0x10000 + 128 * i}));
  ScriptedProgram program({warp});
  SmRig rig(spec, 200);
  rig.launch(program, 1);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 12u);
  for (std::uint64_t i = 4; i < 12; ++i) EXPECT_GE(rig.at[i], rig.at[i - 4] + 200) << i;
}

TEST(SmL1, ADirtyLineIsWrittenBackToItsOwnContext) {
  // Context 0 leaves a dirty line of local memory, which loads of context 1 evict.
  ScriptedProgram first({Script{memory(Operation::kLoad, MemorySpace::kLocal, {1}, {}, {0}),
                                memory(Operation::kStore, MemorySpace::kLocal, {}, {1}, {0})}});
  Script loads;
  for (Address i = 0; i < 300; ++i)
    loads.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {1}, {1}, {0x10000 + 128 * i}));
  ScriptedProgram second({loads});
  SmRig rig(without_instruction_cache());
  rig.launch(first, 1, 0);
  rig.run();
  rig.launch(second, 1, 1);
  rig.run();
  std::uint32_t write_backs = 0;
  for (const MemoryRequest& request : rig.requests) {
    if (request.kind != RequestKind::kWriteBack) continue;
    ++write_backs;
    EXPECT_EQ(request.context, ContextId{0});
    EXPECT_EQ(request.address, rig.requests[0].address);
    EXPECT_EQ(request.bytes, 128u);
  }
  EXPECT_EQ(write_backs, 1u);
}

}  // namespace

}  // namespace heddle::test
