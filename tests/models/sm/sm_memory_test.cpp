// The load/store unit with the numbers of the GTX 480 and a memory of fixed latency.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "tests/support/machine/sm_rig.h"

namespace heddle::test {

namespace {

using Script = std::vector<ScriptedInstruction>;

CycleSmSpec without_instruction_cache() {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  return spec;
}

std::vector<Address> lanes(Address base, Address stride) {
  std::vector<Address> result;
  for (Address lane = 0; lane < kLanes; ++lane) result.push_back(base + stride * lane);
  return result;
}

ScriptedInstruction load(MemorySpace space, std::vector<Address> addresses) {
  return memory(Operation::kLoad, space, {1}, {1}, std::move(addresses));
}

// Returns the core cycles of each further step in a chain of dependent loads.
std::uint64_t per_load(MemorySpace space, const std::vector<Address>& addresses, bool bypass = false,
                       std::uint64_t memory_latency = 100,
                       const CycleSmSpec& spec = without_instruction_cache()) {
  const auto run = [&](std::size_t steps) {
    Script warp;
    for (std::size_t i = 0; i < steps; ++i) {
      warp.push_back(load(space, addresses));
      warp.back().code.bypass_l1 = bypass;
    }
    ScriptedProgram program({warp});
    SmRig rig(spec, memory_latency);
    rig.launch(program, 1);
    return rig.run();
  };
  return (run(40) - run(20)) / 20;
}

TEST(LoadStoreUnit, LoadToUseIs32CyclesInSharedMemoryAnd40InL1) {
  EXPECT_EQ(per_load(MemorySpace::kShared, {0}), 32u);
  EXPECT_EQ(per_load(MemorySpace::kGlobal, {0x1000}), 40u);
}

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

TEST(LoadStoreUnit, AStoreDropsALineFromL1OrUpdatesIt) {
  EXPECT_EQ(loads_around_a_store(false), 2u);
  EXPECT_EQ(loads_around_a_store(true), 1u);
}

// Returns the cycles in which a warp reads a word of each of 32 lines of L1, where the words lie so many
// bytes further in each line than in the one before. The loads depend on each other.
std::uint64_t cycles_of_lines(std::uint32_t lines, Address further) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1 = {32, 4, 128, 32, false, 64, 8, 8, 35};
  spec.l1_lines = lines;
  const auto run = [&](std::size_t reads) {
    ScriptedProgram program({Script(reads, load(MemorySpace::kGlobal, lanes(0x1000, kLineBytes + further)))});
    SmRig rig(spec);
    rig.launch(program, 1);
    return rig.run();
  };
  return (run(40) - run(20)) / 20 - 40;
}

TEST(LoadStoreUnit, L1ReadsLinesOfDifferentBanksInOneCycle) {
  EXPECT_EQ(cycles_of_lines(1, 4), 31u);
  EXPECT_EQ(cycles_of_lines(4, 4), 7u);
  EXPECT_EQ(cycles_of_lines(4, 0), 31u) << "all words lie in one bank";
  EXPECT_EQ(cycles_of_lines(4, 64), 15u) << "every other word lies in the same bank";
}

// A warp that reads 16 KiB twice, which is what L1 and shared memory have in common.
Script reads_twice() {
  Script warp;
  for (Address i = 0; i < 256; ++i) warp.push_back(load(MemorySpace::kGlobal, {i % 128 * kLineBytes}));
  return warp;
}

// Returns the lines that such a warp loads, if its block has so much shared memory.
std::size_t lines_beside_shared_memory(std::uint32_t shared_bytes) {
  CycleSmSpec spec = without_instruction_cache();
  spec.carve_outs = {0, 4 << 10, 12 << 10};
  ScriptedProgram program({reads_twice()});
  SmRig rig(spec);
  rig.shared_bytes = shared_bytes;
  rig.launch(program, 1);
  rig.run();
  return rig.requests.size();
}

TEST(LoadStoreUnit, L1HasWhatTheSharedMemoryOfTheResidentBlocksLeaves) {
  EXPECT_EQ(lines_beside_shared_memory(0), 128u);
  EXPECT_EQ(lines_beside_shared_memory(1024), 256u) << "eight blocks hold 8 KiB, and L1 has 4 KiB";
}

TEST(LoadStoreUnit, SharedMemoryOnlyGrowsBesideOtherBlocks) {
  CycleSmSpec spec = without_instruction_cache();
  spec.carve_outs = {0, 4 << 10, 12 << 10};
  ScriptedProgram holder({Script(10000, alu(Operation::kFloatAdd, {1}, {1}))});
  ScriptedProgram reader({reads_twice()}), second({reads_twice()});
  SmRig rig(spec);
  rig.shared_bytes = 1024;
  rig.launch(holder, 1, 1);
  rig.shared_bytes = 0;
  rig.launch(reader, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 256u);
  rig.launch(second, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 256u + 128u) << "the SM was empty";
}

// Returns the requests for a constant that two launches of a kernel read.
std::size_t constants_of_two_launches(bool are_dropped) {
  CycleSmSpec spec = without_instruction_cache();
  spec.constants_are_dropped = are_dropped;
  ScriptedProgram program({Script{load(MemorySpace::kConstant, {0x1000})}});
  SmRig rig(spec);
  for (int i = 0; i < 2; ++i) {
    rig.launch(program, 1);
    rig.run();
  }
  return rig.requests.size();
}

TEST(LoadStoreUnit, ConstantsStayUnlessTheSetUpOfAKernelDropsThem) {
  EXPECT_EQ(constants_of_two_launches(false), 1u);
  EXPECT_EQ(constants_of_two_launches(true), 2u);
}

TEST(LoadStoreUnit, ALoadPastL1TakesTheMemorysLatencyAndTheSmsOwnFive) {
  EXPECT_EQ(per_load(MemorySpace::kGlobal, {0x1000}, true, 100), 105u);
  EXPECT_EQ(per_load(MemorySpace::kGlobal, {0x1000}, true, 300), 305u);
}

TEST(LoadStoreUnit, TexturesHaveACacheOfTheirOwnWhereThePlatformHasOne) {
  EXPECT_EQ(per_load(MemorySpace::kTexture, {0x1000}), 40u);  // as global memory
  CycleSmSpec spec = without_instruction_cache();
  spec.texture_cache = {4, 24, 128, 128, false, 128, 4, 128, 3};
  EXPECT_EQ(per_load(MemorySpace::kTexture, {0x1000}, false, 100, spec), 8u);
  ScriptedProgram program(
      {Script{load(MemorySpace::kTexture, {0x1000}), load(MemorySpace::kTexture, {0x1000}),
              load(MemorySpace::kGlobal, {0x1000}), load(MemorySpace::kTexture, {0x1000})}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  const KernelCounts counts = rig.core().residence().work().of(KsrId{0});
  EXPECT_EQ(counts.texture_accesses, 3u);
  EXPECT_EQ(counts.texture_misses, 1u);
  EXPECT_EQ(counts.l1_accesses, 1u);
  EXPECT_EQ(counts.l1_misses, 1u);
  EXPECT_TRUE(rig.core().idle());
}

// Returns the cycle in which the first request of a lone instruction leaves the SM.
std::uint64_t sent_at(const ScriptedInstruction& instruction, const CycleSmSpec& spec) {
  ScriptedProgram program({Script{instruction}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  return rig.at.at(0);
}

TEST(LoadStoreUnit, WhatGoesThroughL1LeavesItsLatencyLaterThanWhatGoesPastIt) {
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

TEST(LoadStoreUnit, MissesFollowOneAnotherThroughL1ACycleEach) {
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

TEST(LoadStoreUnit, SleepingWithMissesWithinL1ChangesNothing) {
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

// Warps 0 and 2 belong to scheduler 0. One waits for loads, the other for additions. The stall order decides
// the buckets, and nothing else.
TEST(CycleAccounts, SlotsThatWaitForMemoryAreCountedWhateverTheStallOrder) {
  std::vector<Script> warps(4);
  for (Address i = 0; i < 20; ++i) {
    warps[0].push_back(load(MemorySpace::kGlobal, {0x10000 + 4096 * i}));
    warps[0].push_back(alu(Operation::kIntAdd, {3}, {1}));
  }
  for (int i = 0; i < 400; ++i) warps[2].push_back(alu(Operation::kIntAdd, {0}, {0, 1}));
  for (const std::size_t idle : {1u, 3u}) warps[idle].push_back(alu(Operation::kIntAdd, {0}, {0}));
  CycleSmSpec spec = without_instruction_cache();
  const auto totals = [&](bool sleepy) {
    ScriptedProgram program(warps);
    SmRig rig(spec, 300);
    rig.launch(program, 4);
    rig.run(sleepy);
    rig.core().account_until(rig.now());
    return rig.core().accounts().totals();
  };
  const CycleTotals memory_first = totals(true);
  EXPECT_EQ(totals(false).memory_slots, memory_first.memory_slots);
  std::iter_swap(std::find(spec.stall_order.begin(), spec.stall_order.end(), Bucket::kScoreboardMemory),
                 std::find(spec.stall_order.begin(), spec.stall_order.end(), Bucket::kScoreboardAlu));
  const CycleTotals alu_first = totals(true);
  const auto bucket = static_cast<std::size_t>(Bucket::kScoreboardMemory);
  EXPECT_LT(alu_first.buckets[bucket] + 500, memory_first.buckets[bucket]);
  EXPECT_EQ(alu_first.memory_slots, memory_first.memory_slots);
  EXPECT_EQ(alu_first.issue_slots, memory_first.issue_slots);
  EXPECT_GT(memory_first.memory_slots, 4000u);  // 20 loads of 300 cycles, less the additions that issue
  EXPECT_LT(memory_first.memory_slots, memory_first.issue_slots / 2);
}

TEST(LoadStoreUnit, ABankConflictCostsACyclePerFurtherPass) {
  for (Address ways = 1; ways <= 32; ways *= 2)
    EXPECT_EQ(per_load(MemorySpace::kShared, lanes(0, 4 * ways)), 31 + ways) << ways;
}

TEST(LoadStoreUnit, EachLineOfAnUncoalescedLoadTakesACycleOfL1) {
  // Independent loads that hit take as many cycles as they have lines. The warps issue in turn and have no
  // sources, so that neither fetch nor register banks cause a cycle without work for L1.
  for (const Address stride : {4, 8, 32, 128}) {
    const auto run = [&](std::size_t count) {
      std::vector<Script> warps(8);
      for (Script& warp : warps)
        for (std::size_t i = 0; i < count; ++i)
          warp.push_back(memory(Operation::kLoad, MemorySpace::kGlobal, {static_cast<RegisterId>(2 + i % 16)},
                                {}, lanes(0x10000, stride)));
      ScriptedProgram program(warps);
      SmRig rig(without_instruction_cache(), 100, {"lrr", {}});
      rig.launch(program, 8);
      return rig.run();
    };
    const double lines = std::max(1.0, static_cast<double>(stride) * 32 / 128);
    const double cycles = static_cast<double>(run(64) - run(32)) / (8 * 32);
    EXPECT_NEAR(cycles, lines, 0.01 * lines) << stride;
  }
}

TEST(LoadStoreUnit, AMissAsksForAWholeFermiLineOnceWhoeverWaits) {
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

TEST(LoadStoreUnit, AMissAsksForSectorsOnlyWhereLinesAreSectored) {
  CycleSmSpec spec = without_instruction_cache();
  spec.l1.sector_bytes = 32;
  // The lanes access sectors 0 and 2 of one line, which takes two requests, one for each run.
  ScriptedProgram program({Script{load(MemorySpace::kGlobal, lanes(0x2000, 64))}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 32u);
  for (const MemoryRequest& request : rig.requests) EXPECT_EQ(request.bytes, 32u);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).l1_misses, 16u);
}

TEST(LoadStoreUnit, AGlobalStoreGoesThroughAndDropsItsBytesFromL1) {
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

TEST(LoadStoreUnit, ALocalLoadOfAllLanesSharesALineWordByWord) {
  ScriptedProgram program({Script{load(MemorySpace::kLocal, {16})}});
  SmRig rig(without_instruction_cache());
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 1u);
}

TEST(LoadStoreUnit, AFullSetOfMshrsHoldsTheLoadBackUntilOneIsFree) {
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

// Returns the busy cycles of the unit at the end of the warp.
std::uint64_t busy_cycles(const Script& warp, const CycleSmSpec& spec, bool sleepy) {
  ScriptedProgram program({warp});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run(sleepy);
  EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kMemory, rig.now() + 5),
            rig.core().pipeline().busy_cycles(UnitKind::kMemory, rig.now()));
  return rig.core().pipeline().busy_cycles(UnitKind::kMemory, rig.now());
}

TEST(LoadStoreUnit, IsBusyACycleForEachAccessAndWhileOneIsRefused) {
  CycleSmSpec one_mshr = without_instruction_cache();
  one_mshr.l1.mshrs = 1;
  for (const bool sleepy : {true, false}) {
    const Script conflicts{load(MemorySpace::kShared, lanes(0, 16)), load(MemorySpace::kShared, lanes(0, 4))};
    EXPECT_EQ(busy_cycles(conflicts, without_instruction_cache(), sleepy), 4u + 1);
    const Script lines{load(MemorySpace::kGlobal, lanes(0, 128))};
    EXPECT_EQ(busy_cycles(lines, without_instruction_cache(), sleepy), 32u);
    // A miss leaves L1 35 cycles after its access, and memory answers 100 cycles later. The next miss leaves
    // then.
    EXPECT_EQ(busy_cycles(lines, one_mshr, sleepy), 31u * 135 + 1);
  }
}

TEST(LoadStoreUnit, AtomicsGoToL2WithTheirLanes) {
  ScriptedProgram program({Script{memory(Operation::kAtomic, MemorySpace::kGlobal, {1}, {1, 2}, {0x4000})}});
  SmRig rig(without_instruction_cache());
  rig.launch(program, 1);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 1u);
  EXPECT_EQ(rig.requests[0].kind, RequestKind::kAtomic);
  EXPECT_EQ(rig.requests[0].lanes, 32);
  EXPECT_EQ(rig.requests[0].bytes, 32u);
}

TEST(LoadStoreUnit, AMergedAtomicIsOneOperationOfTheWarp) {
  ScriptedInstruction atomic = memory(Operation::kAtomic, MemorySpace::kGlobal, {1}, {1, 2}, {0x4000});
  for (const bool mergeable : {true, false})
    for (const bool merges : {true, false}) {
      atomic.code.mergeable = mergeable;
      CycleSmSpec spec = without_instruction_cache();
      spec.merges_atomics = merges;
      ScriptedProgram program({Script{atomic}});
      SmRig rig(spec);
      rig.launch(program, 1);
      rig.run();
      ASSERT_EQ(rig.requests.size(), 1u);
      EXPECT_EQ(rig.requests[0].bytes, 32u);
      EXPECT_EQ(rig.requests[0].lanes, mergeable && merges ? 1 : 32);
      EXPECT_EQ(rig.requests[0].depth, mergeable && merges ? 1 : 32);
    }
}

TEST(LoadStoreUnit, AnAtomicsLanesAreSharedOutToItsRequests) {
  std::vector<Address> addresses = lanes(0x4000, 0);
  for (std::size_t lane = 20; lane < kLanes; ++lane) addresses[lane] = 0x4040;  // sector 2
  ScriptedProgram program({Script{memory(Operation::kAtomic, MemorySpace::kGlobal, {1}, {1, 2}, addresses)}});
  SmRig rig(without_instruction_cache());
  rig.launch(program, 1);
  rig.run();
  ASSERT_EQ(rig.requests.size(), 2u);
  EXPECT_EQ(rig.requests[0].lanes, 20);
  EXPECT_EQ(rig.requests[1].lanes, 12);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).atomics, 2u);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).loads, 2u);
}

TEST(LoadStoreUnit, ADirtyLineIsWrittenBackToItsOwnContext) {
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
