// Limits of issuing blocks: the younger blocks of a kernel are paused, in any state of their warps.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/sm/each_pipeline.h"

namespace heddle::test {
namespace {

class SmLimit : public EachPipeline {};

// Returns the instructions that each resident block of the KSR has issued, by number of the block.
std::map<std::uint64_t, std::uint64_t> issued(SmRig& rig, std::uint32_t ksr = 0) {
  std::map<std::uint64_t, std::uint64_t> result;
  for (const ResidentBlock& block : rig.core().residence().table().blocks)
    if (block.stream != nullptr && block.ksr == KsrId{ksr})
      result[block.block.value] = std::accumulate(block.issues.instructions.begin(),
                                                  block.issues.instructions.end(), std::uint64_t{0});
  return result;
}

TEST_P(SmLimit, OnlyTheOldestBlocksIssueAndEachThatEndsLetsTheNextOneGoOn) {
  ScriptedProgram program({long_warp(), long_warp()});
  SmRig rig(sm());
  rig.launch(program, 2, 0, 4);
  rig.run(true, 100);
  rig.core().residence().limit(KsrId{0}, 2);
  const auto before = issued(rig);
  ASSERT_EQ(before.size(), 4u);
  while (program.finished() == 0) rig.run(true, 1);
  const auto after = issued(rig);
  EXPECT_EQ(after.count(0) + after.count(1), 1u);  // one of the two oldest has ended
  EXPECT_LE(after.at(2), before.at(2) + 2);        // it goes on since this cycle
  EXPECT_EQ(after.at(3), before.at(3));
  rig.run();
  EXPECT_EQ(program.finished(), 4u);
  EXPECT_EQ(rig.core().residence().work().of(KsrId{0}).warp_instructions, 4u * 2 * 200);
  EXPECT_EQ(rig.core().residence().table().paused, 0u);
  EXPECT_TRUE(rig.core().idle());
  EXPECT_EQ(rig.accounted(), rig.now().value);
}

TEST_P(SmLimit, APausedWarpIssuesNothingAndItsInstructionsInFlightComplete) {
  for (std::uint64_t at = 1; at < 500; at += 7) {
    ScriptedProgram program({long_warp(), long_warp(), long_warp()});
    ScriptedProgram other({long_warp(1)});
    SmRig rig(sm_with_stalls());
    rig.launch(program, 3, 0, 2);
    rig.launch(other, 1, 1);
    rig.run(true, at);
    rig.core().residence().limit(KsrId{0}, 0);
    const auto before = issued(rig);
    rig.run(true, 2000);
    EXPECT_EQ(issued(rig), before) << at;
    EXPECT_EQ(other.finished(), 1u) << at;  // another kernel is not paused
    const ResidentTable& table = rig.core().residence().table();
    EXPECT_EQ(table.live & ~table.paused, 0u) << at;
    for (std::uint32_t slot = 0; slot < kMostWarps; ++slot)
      EXPECT_TRUE(rig.core().pipeline().is_quiet(slot)) << at;
    rig.core().residence().limit(KsrId{0}, 1);
    rig.run(true, 50);
    EXPECT_GT(issued(rig).at(0), before.at(0)) << at;
    EXPECT_EQ(issued(rig).at(1), before.at(1)) << at;
    rig.run();
    EXPECT_EQ(program.finished(), 2u) << at;
    EXPECT_TRUE(rig.core().idle()) << at;
    EXPECT_EQ(rig.accounted(), rig.now().value);
  }
}

TEST_P(SmLimit, CyclesWithNothingButPausedWarpsAreWithoutAWarpAndWithoutAReason) {
  ScriptedProgram program({long_warp(), long_warp()});
  SmRig rig(sm_with_stalls());
  rig.launch(program, 2, 0, 2);
  rig.run(true, 333);
  rig.core().residence().limit(KsrId{0}, 0);
  const BucketCycles before = rig.core().accounts().totals().buckets;
  const KernelStalls stalls = rig.core().kernel_accounts().stalls(KsrId{0});
  rig.run(true, 1000);
  BucketCycles after = rig.core().accounts().totals().buckets;
  KernelStalls grown = rig.core().kernel_accounts().stalls(KsrId{0});
  grown -= stalls;
  EXPECT_EQ(after[static_cast<std::size_t>(Bucket::kNoWarp)],
            before[static_cast<std::size_t>(Bucket::kNoWarp)] + 1000);
  EXPECT_EQ(grown.waiting[0], 1000u);
  EXPECT_EQ(grown.cycles(), 1000u);
  EXPECT_EQ(rig.accounted(), rig.now().value);
}

TEST_P(SmLimit, ABlockThatStartsBeyondTheLimitIsPausedAndANewKernelHasNoLimit) {
  ScriptedProgram program({long_warp()});
  SmRig rig(sm());
  rig.launch(program, 1, 0, 1);
  rig.core().residence().limit(KsrId{0}, 1);
  rig.core().residence().start(KsrId{0}, BlockId{7}, rig.now());
  rig.run(true, 500);
  EXPECT_GT(issued(rig).at(0), 0u);
  EXPECT_EQ(issued(rig).at(7), 0u);
  while (program.finished() < 1) rig.run(true, 1);
  ScriptedProgram next({long_warp()});
  rig.launch(next, 1, 1);
  while (program.finished() < 2) rig.run(true, 1);
  rig.run();
  rig.launch(next, 1, 0, 2);
  rig.run(true, 500);
  EXPECT_GT(issued(rig).at(0), 0u);
  EXPECT_GT(issued(rig).at(1), 0u);
}

TEST_P(SmLimit, AHaltedBlockThatWasPausedLeavesAndItsSlotsRunANewBlock) {
  for (std::uint64_t at = 1; at < 300; at += 7) {
    ScriptedProgram halted({long_warp(), long_warp(), long_warp()});
    ScriptedProgram next({{alu(Operation::kIntAdd, {1}, {}), alu(Operation::kIntAdd, {2}, {1})}});
    SmRig rig(sm_with_stalls());
    rig.launch(halted, 3, 0, 3);
    rig.run(true, at);
    rig.core().residence().limit(KsrId{0}, 1);
    rig.run(true, at % 3 * 50);
    rig.core().residence().halt(KsrId{0}, rig.now());
    rig.run();
    EXPECT_EQ(halted.finished(), 3u) << at;
    EXPECT_EQ(rig.core().residence().table().held, 0u) << at;
    rig.launch(next, 1, 0);
    rig.run();
    EXPECT_EQ(next.finished(), 1u) << at;
    EXPECT_TRUE(rig.core().idle()) << at;
    EXPECT_EQ(rig.accounted(), rig.now().value);
  }
}

TEST_P(SmLimit, EverySchedulerGoesOnWithTheOtherWarps) {
  for (const std::string& name : PolicyCatalogue::instance().names(WarpScheduler::kDecision)) {
    ScriptedProgram program(std::vector<std::vector<ScriptedInstruction>>(12, long_warp(10)));
    SmRig rig(sm(), 100, {name, {}});
    rig.launch(program, 12, 0, 3);
    rig.run(true, 200);
    rig.core().residence().limit(KsrId{0}, 1);
    for (std::uint32_t ended = 1; ended <= 3; ++ended) {
      rig.run(true, 100'000);
      EXPECT_EQ(program.finished(), 3u) << name;
    }
  }
}

TEST_P(SmLimit, SleepingChangesNothing) {
  std::vector<std::uint64_t> ends;
  for (const bool sleepy : {true, false}) {
    ScriptedProgram program({long_warp(), long_warp()});
    SmRig rig(sm());
    rig.launch(program, 2, 0, 4);
    for (const std::uint32_t limit : {2u, 0u, 1u, 3u, 1u}) {
      rig.run(sleepy, 300);
      rig.core().residence().limit(KsrId{0}, limit);
    }
    ends.push_back(rig.run(sleepy));
    EXPECT_EQ(program.finished(), 4u);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

HEDDLE_EACH_PIPELINE(SmLimit);

}  // namespace
}  // namespace heddle::test
