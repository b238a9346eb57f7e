// The load/store unit with the numbers of the GTX 480 and a memory of fixed latency.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/machine/sm_memory_scripts.h"

namespace heddle::test {

namespace {

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

TEST(LoadStoreUnit, ALocalLoadOfAllLanesSharesALineWordByWord) {
  ScriptedProgram program({Script{load(MemorySpace::kLocal, {16})}});
  SmRig rig(without_instruction_cache());
  rig.launch(program, 1);
  rig.run();
  EXPECT_EQ(rig.requests.size(), 1u);
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

}  // namespace

}  // namespace heddle::test
