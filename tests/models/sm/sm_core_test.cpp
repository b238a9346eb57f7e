// The SM pipeline in exact cycles, with the numbers of the GTX 480.

#include <gtest/gtest.h>

#include <array>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {

namespace {

using Script = std::vector<ScriptedInstruction>;

Script chain(Operation operation, std::size_t length, std::size_t sources = 2) {
  Script script;
  for (std::size_t i = 0; i < length; ++i)
    script.push_back(alu(operation, {0},
                         sources == 3   ? std::vector<RegisterId>{0, 1, 2}
                         : sources == 2 ? std::vector<RegisterId>{0, 1}
                                        : std::vector<RegisterId>{0}));
  return script;
}

std::uint64_t cycles_of(const std::vector<Script>& warps, CycleSmSpec spec = gtx480_sm(),
                        bool sleepy = true) {
  spec.instruction_cache.sets = 0;  // fetch always hits
  ScriptedProgram program(warps);
  SmRig rig(spec);
  rig.launch(program, static_cast<std::uint32_t>(warps.size()));
  return rig.run(sleepy);
}

std::uint64_t per_step(const Script& shorter, const Script& longer, const CycleSmSpec& spec) {
  return (cycles_of({longer}, spec) - cycles_of({shorter}, spec)) / (longer.size() - shorter.size());
}

// Returns the SM with `collect`, `dispatch` and `result` cycles in the stages around its units.
CycleSmSpec with_stages(std::uint32_t collect, std::uint32_t dispatch, std::uint32_t result) {
  CycleSmSpec spec = gtx480_sm();
  spec.collect_latency = collect;
  spec.dispatch_latency = dispatch;
  spec.result_latency = result;
  return spec;
}

CycleSmSpec with_start(std::uint32_t block, std::uint32_t warp) {
  CycleSmSpec spec = gtx480_sm();
  spec.block_start = block;
  spec.warp_start = warp;
  return spec;
}

TEST(SmCore, ABlockStartsAfterItsOwnCyclesAndThoseOfItsWarps) {
  for (const std::size_t warps : {1u, 5u, 16u}) {
    const std::vector<Script> block(warps, chain(Operation::kIntAdd, 10));
    const std::uint64_t base = cycles_of(block, with_start(100, 0));
    EXPECT_EQ(cycles_of(block, with_start(250, 0)) - base, 150u);
    EXPECT_EQ(cycles_of(block, with_start(100, 7)) - base, 7 * warps);
    EXPECT_EQ(cycles_of(block, with_start(100, 7), false), cycles_of(block, with_start(100, 7)));
    EXPECT_GT(base, cycles_of(block) + 80) << "fetches go on while a block starts";
  }
}

TEST(SmCore, ABlockThatStartsCanBeHalted) {
  ScriptedProgram program({chain(Operation::kIntAdd, 10)});
  SmRig rig(with_start(1000, 0));
  rig.launch(program, 1);
  rig.after_tick = [&rig] {
    if (rig.now() == Cycle{5}) rig.core().residence().halt(KsrId{0}, rig.now());
  };
  EXPECT_LT(rig.run(false), 1000u);
  EXPECT_EQ(rig.core().pipeline().issued(), 0u);
  EXPECT_EQ(rig.core().residence().table().resident, 0u);
}

// Returns the cycles in which the last instruction of each of two warps issues, those of two schedulers that
// share a unit.
std::array<std::uint64_t, 2> ends_of_two_warps(bool rotates) {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;
  spec.schedulers = 2;
  spec.schedulers_rotate = rotates;
  spec.units[static_cast<std::size_t>(UnitKind::kSfu)].count = 1;
  Script work;
  for (RegisterId i = 0; i < 64; ++i) work.push_back(alu(Operation::kSfu, {i}, {100}));
  ScriptedProgram program({work, work});
  SmRig rig(spec);
  rig.launch(program, 2);
  std::array<std::uint64_t, 2> ends{};
  rig.after_tick = [&] {
    for (std::uint32_t warp = 0; warp < 2; ++warp)
      if ((rig.core().residence().table().live >> warp & 1) != 0) ends[warp] = rig.now().value;
  };
  rig.run();
  return ends;
}

TEST(SmCore, SchedulersThatRotateShareAUnitEvenly) {
  const auto fixed = ends_of_two_warps(false);
  const auto rotating = ends_of_two_warps(true);
  EXPECT_GT(fixed[1] - fixed[0], fixed[1] / 4) << "the first scheduler has the unit until its warp ends";
  EXPECT_LE(rotating[1] > rotating[0] ? rotating[1] - rotating[0] : rotating[0] - rotating[1], 16u);
}

TEST(SmCore, ADependentInstructionIssuesTheLatencyTheStagesAndTwoCyclesLater) {
  for (const CycleSmSpec& spec :
       {gtx480_sm(), with_stages(0, 0, 0), with_stages(1, 0, 0), with_stages(0, 10, 10)})
    for (const Operation operation :
         {Operation::kIntAdd, Operation::kIntMax, Operation::kIntMul, Operation::kIntMad, Operation::kIntDiv,
          Operation::kShuffle, Operation::kFloatAdd, Operation::kFloatFma, Operation::kFloatDiv,
          Operation::kMove, Operation::kDouble, Operation::kSfu, Operation::kTraceInt, Operation::kTraceDp}) {
      const OperationSpec& is = spec.operations[static_cast<std::size_t>(operation)];
      const std::uint32_t stages = spec.collect_latency + spec.dispatch_latency + spec.result_latency;
      for (const std::size_t sources : {1u, 2u, 3u}) {
        const std::uint64_t step =
            per_step(chain(operation, 20, sources), chain(operation, 40, sources), spec);
        EXPECT_EQ(step, std::max(is.latency + stages + 2, is.interval))
            << name_of(operation) << " " << sources;
      }
    }
}

TEST(SmCore, StagesDelayResultsAndLetAsManyThrough) {
  std::vector<Script> warps(24);
  for (Script& warp : warps)
    for (std::size_t i = 0; i < 40; ++i)
      warp.push_back(alu(Operation::kFloatAdd, {static_cast<RegisterId>(i % 8)}, {16, 17}));
  EXPECT_LT(static_cast<double>(cycles_of(warps, with_stages(1, 2, 1))),
            1.03 * static_cast<double>(cycles_of(warps, with_stages(0, 0, 0))));
}

TEST(SmCore, AnInitiationIntervalIsKeptByIndependentInstructions) {
  const auto independent = [](Operation operation, std::size_t count) {
    std::vector<Script> warps(8);
    for (Script& warp : warps)
      for (std::size_t i = 0; i < count; ++i)
        warp.push_back(alu(operation, {static_cast<RegisterId>(i % 8)}, {16, 17}));
    return warps;
  };
  // SFU and DP have one pipeline, and integer multiplication has two.
  const auto rate = [&](Operation operation) {
    return static_cast<double>(cycles_of(independent(operation, 80)) -
                               cycles_of(independent(operation, 40))) /
           (8.0 * 40);
  };
  EXPECT_DOUBLE_EQ(rate(Operation::kSfu), 8);
  EXPECT_DOUBLE_EQ(rate(Operation::kDouble), 8);
  EXPECT_DOUBLE_EQ(rate(Operation::kIntMul), 1);
  EXPECT_DOUBLE_EQ(rate(Operation::kFloatDiv), 2);
}

TEST(SmCore, APipelineIsBusyForTheIntervalsOfWhatItTook) {
  std::vector<Script> warps;
  for (int warp = 0; warp < 6; ++warp) {
    warps.push_back(chain(Operation::kFloatFma, 10));
    for (const Operation operation : {Operation::kIntMul, Operation::kSfu})
      for (int i = 0; i < 20; ++i) warps.back().push_back(alu(operation, {20}, {16, 17}));
  }
  for (const bool sleepy : {true, false}) {
    ScriptedProgram program(warps);
    SmRig rig;
    rig.launch(program, 6);
    rig.run(sleepy);
    EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kSp, rig.now()), 6u * (10 + 2 * 20));
    EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kSfu, rig.now()), 6u * 8 * 20);
    EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kMemory, rig.now()), 0u);
  }
}

TEST(SmCore, AnIntervalThatGoesOnCountsUpToThePresent) {
  CycleSmSpec spec = gtx480_sm();
  spec.operations[static_cast<std::size_t>(Operation::kSfu)] = {UnitKind::kSfu, 1, 50};
  ScriptedProgram program({{alu(Operation::kSfu, {1}, {2})}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();  // until the result is there
  const std::uint64_t before = rig.core().pipeline().busy_cycles(UnitKind::kSfu, rig.now());
  EXPECT_GT(before, 0u);
  EXPECT_LT(before, 10u);
  EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kSfu, rig.now() + 1), before + 1);
  EXPECT_EQ(rig.core().pipeline().busy_cycles(UnitKind::kSfu, rig.now() + 100), 50u);
}

TEST(SmCore, SleepingChangesNothing) {
  const std::vector<Script> warps{chain(Operation::kFloatDiv, 30), chain(Operation::kSfu, 50),
                                  chain(Operation::kIntAdd, 70)};
  EXPECT_EQ(cycles_of(warps, gtx480_sm(), true), cycles_of(warps, gtx480_sm(), false));
}

// Returns the reads that the bank conflicts of a lone instruction put off, summed over the cycles.
std::uint64_t bank_conflicts(const ScriptedInstruction& instruction, const CycleSmSpec& spec) {
  ScriptedProgram program({Script{instruction}});
  SmRig rig(spec);
  rig.launch(program, 1);
  rig.run();
  return rig.stats().find("sm.bank_conflicts")->value();
}

TEST(SmCore, BankConflictsAreReadsOfOneBankThatWaitForEachOther) {
  for (const CycleSmSpec& spec : {gtx480_sm(), with_stages(0, 0, 0)}) {
    EXPECT_EQ(bank_conflicts(alu(Operation::kIntAdd, {}, {1, 2, 3}), spec), 0u);
    EXPECT_EQ(bank_conflicts(alu(Operation::kIntAdd, {}, {1, 17}), spec), 1u);  // 16 banks
    EXPECT_EQ(bank_conflicts(alu(Operation::kIntAdd, {}, {1, 17, 33}), spec), 3u);
    EXPECT_EQ(bank_conflicts(alu(Operation::kIntAdd, {}, {1, 1, 2}), spec), 0u);  // register 1 is read once
    ScriptedInstruction guarded = alu(Operation::kIntAdd, {}, {1, 17});
    guarded.code.reads_predicate(200);  // predicates lie in no bank
    EXPECT_EQ(bank_conflicts(guarded, spec), 1u);
  }
}

}  // namespace

}  // namespace heddle::test
