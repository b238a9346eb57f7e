// Blocks that leave an SM for swap space in any state of their warps, and go on there or on another SM.

#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/kernel/address_spaces.h"
#include "tests/support/sm/each_pipeline.h"

namespace heddle::test {
namespace {

class SmSave : public EachPipeline {};

void expect_over(SmRig& rig) {
  EXPECT_EQ(rig.accounted(), rig.now().value);
  EXPECT_TRUE(rig.core().idle());
  EXPECT_EQ(rig.core().residence().table().held, 0u);
}

std::uint64_t instructions(SmRig& rig, std::uint32_t ksr = 0) {
  return rig.core().residence().work().of(KsrId{ksr}).warp_instructions;
}

TEST_P(SmSave, ABlockThatGoesOnOnAnotherSmExecutesEachInstructionOnce) {
  std::uint32_t at_barrier = 0;
  for (std::uint64_t at = 1; at < 500; at += 7) {
    ScriptedProgram program({long_warp(), long_warp(20), long_warp(30, 2)});
    SmRig first(sm_with_stalls());
    SmRig second(sm_with_stalls());
    first.launch(program, 3);
    second.launch(program, 3, 0, 0);
    first.run(true, at);
    first.save(0, BlockId{0});
    const std::uint64_t executed = instructions(first);
    first.run();
    ASSERT_EQ(first.saved.size(), 1u) << at;
    EXPECT_EQ(instructions(first), executed) << at;  // a block that leaves issues nothing
    EXPECT_EQ(first.state(BlockId{0}).work.warp_instructions, executed) << at;
    EXPECT_EQ(program.finished(), 0u) << at;
    expect_over(first);
    at_barrier += first.state(BlockId{0}).at_barrier != 0 ? 1 : 0;
    second.go_on(0, BlockId{0}, first.state(BlockId{0}));
    while (second.restored.empty()) {
      ASSERT_EQ(instructions(second), 0u) << at;  // no warp issues before the block has its state back
      second.run(true, 1);
    }
    second.run();
    EXPECT_EQ(second.restored.size(), 1u) << at;
    EXPECT_EQ(program.finished(), 1u) << at;
    EXPECT_EQ(executed + instructions(second), 4u * (50 + 20) + 6 * 30) << at;
    EXPECT_EQ(second.done.warp_instructions, 4u * (50 + 20) + 6 * 30) << at;
    EXPECT_EQ(second.done.blocks, 1u) << at;
    expect_over(second);
  }
  EXPECT_GT(at_barrier, 5u);  // some warps have reached the barrier, and others have not
}

TEST_P(SmSave, TheTrafficIsTheRegistersTheStateOfEachWarpAndTheSharedMemory) {
  ScriptedProgram program({long_warp(), long_warp(), long_warp(1)});
  SmRig rig(sm());
  rig.shared_bytes = 5000;
  rig.launch(program, 3, 0, 2);
  rig.run(true, 20);
  const std::uint64_t all = 3 * (16 + 1) + 40;  // lines: 16 registers and a line of state, 5000 bytes
  const std::uint64_t left = all - 17;          // the third warp of the other block has ended
  rig.save(0, BlockId{0});
  while (rig.saved.empty()) rig.run(true, 1);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, all);
  rig.run(true, 1000);
  rig.save(0, BlockId{1}, 1);
  rig.run();
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, all + left);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_loads, 0u);
  rig.go_on(0, BlockId{1}, rig.state(BlockId{1}));
  rig.go_on(0, BlockId{0}, rig.state(BlockId{0}));
  rig.run();
  const KernelCounts counts = rig.core().residence().work().of(KsrId{0});
  EXPECT_EQ(counts.swap_stores, all + left);
  EXPECT_EQ(counts.swap_loads, all + left);
  EXPECT_EQ(counts.swap_load_hits, 0u);  // saved blocks pass L1 by
  EXPECT_EQ(counts.swap_requests, 2 * (all + left));
  std::map<Address, std::uint32_t> stored;
  for (const MemoryRequest& request : rig.requests)
    if (request.kind == RequestKind::kSwapStore) ++stored[request.address];
  EXPECT_EQ(stored.size(), all + left);  // no two blocks or warps share a line
  for (const MemoryRequest& request : rig.requests)
    if (request.kind == RequestKind::kSwapLoad) {
      EXPECT_EQ(stored.count(request.address), 1u);
    }
}

// A line leaves in each cycle, the memory answers after 100, and the SM hears of it in the next cycle.
TEST_P(SmSave, TheResourcesAreFreeWhenMemoryHasAnsweredTheStores) {
  ScriptedProgram program({std::vector<ScriptedInstruction>(5000, alu(Operation::kIntAdd, {1}, {}))});
  SmRig rig(sm());
  rig.launch(program, 1);
  rig.run(true, 1000);
  const std::uint64_t asked = rig.now().value;
  rig.save(0, BlockId{0});
  while (rig.saved.empty()) {
    EXPECT_EQ(rig.core().residence().table().resident, 1u);
    rig.run(true, 1);
  }
  EXPECT_EQ(rig.core().residence().table().resident, 0u);
  EXPECT_LT(rig.now().value - asked, 17u + 100 + 30);
  EXPECT_GE(rig.now().value - asked, 17u + 100);
}

TEST_P(SmSave, ABlockThatComesBackLeavesAgainWhileItsStateIsLoaded) {
  for (const std::uint64_t after : {0, 5, 30, 80, 120, 150}) {
    ScriptedProgram program({long_warp(), long_warp()});
    SmRig rig(sm_with_stalls());
    rig.launch(program, 2);
    rig.run(true, 300);
    for (std::uint32_t i = 1; i <= 3; ++i) {
      rig.save(0, BlockId{0});
      rig.run();
      EXPECT_EQ(rig.saved.size(), i);
      rig.go_on(0, BlockId{0}, rig.state(BlockId{0}));
      rig.run(true, after);
    }
    rig.run();
    EXPECT_EQ(program.finished(), 1u);
    EXPECT_EQ(rig.done.warp_instructions, 400u);
    EXPECT_EQ(instructions(rig), 400u);
    expect_over(rig);
  }
}

TEST_P(SmSave, OtherBlocksGoOnAndTakeWhatTheBlockHeld) {
  ScriptedProgram leaving({long_warp(), long_warp(), long_warp()});
  ScriptedProgram other({long_warp(10)});
  ScriptedProgram next(std::vector<std::vector<ScriptedInstruction>>(40, long_warp(3)));
  SmRig rig(sm_with_stalls());
  rig.launch(leaving, 3, 0, 5);
  rig.launch(other, 1, 1);
  rig.run(true, 200);
  for (std::uint32_t i = 0; i < 5; ++i) rig.save(0, BlockId{i}, i);
  rig.run();
  EXPECT_EQ(other.finished(), 1u);
  EXPECT_EQ(rig.saved.size(), 5u);
  rig.launch(next, 40, 2);  // more warps than there was room for
  rig.run();
  for (std::uint32_t i = 0; i < 5; ++i) rig.go_on(0, BlockId{i}, rig.state(BlockId{i}));
  rig.run();
  EXPECT_EQ(leaving.finished(), 5u);
  EXPECT_EQ(instructions(rig), 5u * 3 * 200);
  EXPECT_EQ(instructions(rig, 2), 40u * 12);
  expect_over(rig);
}

TEST_P(SmSave, AHaltedBlockEndsInsteadOfLeavingInAnyStage) {
  for (std::uint64_t after = 0; after < 400; after += 9) {
    ScriptedProgram program({long_warp(), long_warp()});
    SmRig rig(sm_with_stalls());
    rig.launch(program, 2);
    rig.run(true, 300);
    rig.save(0, BlockId{0});
    rig.run(true, after);
    if (!rig.saved.empty()) {
      rig.go_on(0, BlockId{0}, rig.state(BlockId{0}));
      rig.run(true, after % 100);
    }
    rig.core().residence().halt(KsrId{0}, rig.now());
    rig.run();
    EXPECT_EQ(program.finished(), 1u) << after;
    EXPECT_EQ(rig.core().residence().table().resident, 0u) << after;
    expect_over(rig);
  }
}

TEST_P(SmSave, ABlockThatHasEndedIsNotSaved) {
  ScriptedProgram program({long_warp(1)});
  SmRig rig(sm());
  rig.launch(program, 1);
  rig.run();
  rig.save(0, BlockId{0});
  rig.run(true, 1000);
  EXPECT_TRUE(rig.saved.empty());
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).swap_stores, 0u);
}

TEST_P(SmSave, EverySchedulerGoesOnWithTheWarpsThatComeBack) {
  for (const std::string& name : PolicyCatalogue::instance().names(WarpScheduler::kDecision)) {
    ScriptedProgram program(std::vector<std::vector<ScriptedInstruction>>(12, long_warp(10)));
    SmRig rig(sm(), 100, {name, {}});
    rig.launch(program, 12, 0, 3);
    rig.run(true, 200);
    rig.save(0, BlockId{1});
    while (rig.saved.empty()) rig.run(true, 1);
    rig.go_on(0, BlockId{1}, rig.state(BlockId{1}));
    rig.run();
    EXPECT_EQ(program.finished(), 3u) << name;
    EXPECT_EQ(instructions(rig), 3u * 12 * 40) << name;
  }
}

std::unique_ptr<ResourceManager> manager_of(const PolicyChoice& choice, std::uint32_t registers) {
  auto manager = PolicyRegistry<ResourceManager>::make(choice);
  SmLimits physical = gtx480_limits();
  physical.registers = registers;
  manager->attach(physical, {});
  return manager;
}

std::uint64_t saved_lines(const SmRig& rig, RequestKind kind) {
  return static_cast<std::uint64_t>(
      std::count_if(rig.requests.begin(), rig.requests.end(), [kind](const MemoryRequest& request) {
        return request.kind == kind && request.address >= kSavedAddresses;
      }));
}

// Saves four blocks of three warps of 16 registers, which need 6144 registers and 20 KiB of shared memory,
// and goes on with them. Returns the lines of them that were in swap space before.
std::uint64_t lines_in_swap(const CycleSmSpec& sm, const PolicyChoice& choice, std::uint32_t registers,
                            std::uint64_t at) {
  auto owner = manager_of(choice, registers);
  const ResourceManager& manager = *owner;
  ScriptedProgram program({long_warp(), long_warp(20), long_warp(30, 2)});
  SmRig rig(sm, 100, {"gto", {}}, std::move(owner));
  rig.shared_bytes = 5 * 1024;
  rig.launch(program, 3, 0, 4);
  rig.run(true, at);
  for (std::uint32_t i = 0; i < 4; ++i) rig.save(0, BlockId{i}, i);
  rig.run();
  EXPECT_EQ(rig.saved.size(), 4u);
  EXPECT_EQ(manager.registers_in_use() + manager.shared_bytes_in_use(), 0u);
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const SavedBlock& block = rig.state(BlockId{i});
    held += block.shared_lines;
    for (const SavedBlock::Warp& warp : block.warps) held += warp.lines;
  }
  for (std::uint32_t i = 4; i-- > 0;) rig.go_on(0, BlockId{i}, rig.state(BlockId{i}));
  rig.run();
  EXPECT_EQ(saved_lines(rig, RequestKind::kSwapLoad), held);
  EXPECT_EQ(program.finished(), 4u);
  EXPECT_EQ(instructions(rig), 4u * (4u * (50 + 20) + 6 * 30));
  return held - saved_lines(rig, RequestKind::kSwapStore);
}

TEST_P(SmSave, UnderAResourceManagerWhatIsOnChipIsStoredAndWhatTheBlockHoldsIsLoaded) {
  const PolicyChoice wlm{"wlm", {}};
  const PolicyChoice zorua{"zorua", {{"threshold", 1}}};
  const CycleSmSpec spec = sm_with_stalls();
  std::uint64_t in_swap = 0;
  for (std::uint64_t at = 1; at < 500; at += 13) {
    SCOPED_TRACE(at);
    for (const std::uint32_t registers : {32768u, 4096u})
      EXPECT_EQ(lines_in_swap(spec, wlm, registers, at), 0u);
    EXPECT_EQ(lines_in_swap(spec, zorua, 32768, at), 0u);
    in_swap += lines_in_swap(spec, zorua, 4096, at);
  }
  EXPECT_GT(in_swap, 100u);
}

TEST_P(SmSave, SleepingChangesNothing) {
  std::vector<std::uint64_t> ends;
  for (const bool sleepy : {true, false}) {
    ScriptedProgram program({long_warp(), long_warp()});
    SmRig rig(sm());
    rig.launch(program, 2, 0, 4);
    rig.run(sleepy, 300);
    for (std::uint32_t i = 0; i < 2; ++i) {
      rig.save(0, BlockId{i}, i);
    }
    rig.run(sleepy, 800);
    ASSERT_EQ(rig.saved.size(), 2u);
    for (std::uint32_t i = 0; i < 2; ++i) rig.go_on(0, BlockId{i}, rig.state(BlockId{i}));
    ends.push_back(rig.run(sleepy));
    EXPECT_EQ(program.finished(), 4u);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

HEDDLE_EACH_PIPELINE(SmSave);

}  // namespace
}  // namespace heddle::test
