// Barriers of a given number of warps, and warps that arrive without waiting, in exact cycles of an SM alone.

#include <gtest/gtest.h>

#include "tests/support/sm/sm_rig.h"

namespace heddle::test {
namespace {

using Script = std::vector<ScriptedInstruction>;

ScriptedInstruction barrier(std::uint8_t number, std::uint8_t warps = 0, bool arrives = false) {
  ScriptedInstruction instruction = alu(Operation::kBarrier, {}, {});
  instruction.code.barrier = number;
  instruction.code.barrier_warps = warps;
  instruction.code.arrives = arrives;
  return instruction;
}

const ScriptedInstruction kExit = alu(Operation::kExit, {}, {});

// Returns a chain of additions, one of which issues every 6 cycles, followed by `rest`.
Script after(std::size_t additions, Script rest) {
  Script script(additions, alu(Operation::kIntAdd, {0}, {0, 1}));
  script.insert(script.end(), rest.begin(), rest.end());
  return script;
}

// Records the cycle in which each warp issues its last instruction.
class Clocked : public ScriptedProgram {
 public:
  Clocked(std::vector<Script> warps, const SmRig& rig) : ScriptedProgram(std::move(warps)), rig_(rig) {}
  std::map<std::uint32_t, std::uint64_t> ended;  // by warp

 private:
  void on_issue(std::uint32_t warp, IssuedInstruction& issued) override {
    if (issued.ended) ended[warp] = rig_.now().value;
  }
  const SmRig& rig_;
};

// Returns the cycle in which each warp ended. Warps that never end are not in the map.
std::map<std::uint32_t, std::uint64_t> ends(std::vector<Script> warps, bool sleepy = true) {
  CycleSmSpec spec = gtx480_sm();
  spec.instruction_cache.sets = 0;  // fetch always hits
  SmRig rig(spec);
  const auto count = static_cast<std::uint32_t>(warps.size());
  Clocked program(std::move(warps), rig);
  rig.launch(program, count);
  rig.run(sleepy, 10'000);
  return program.ended;
}

// Returns the ends of the same two chains without waiting, because each chain has a barrier of one warp.
std::map<std::uint32_t, std::uint64_t> ends_apart(std::size_t first, std::size_t second) {
  return ends({after(first, {barrier(1, 1), kExit}), after(second, {barrier(2, 1), kExit})});
}

TEST(Barrier, OpensWhenAsManyWarpsAsItSaysHaveCome) {
  const auto end = ends({after(10, {barrier(1, 2), kExit}), after(100, {barrier(1, 2), kExit}),
                         after(200, {barrier(2, 2), kExit}), after(20, {barrier(2, 2), kExit})});
  ASSERT_EQ(end.size(), 4u);
  EXPECT_NEAR(static_cast<double>(end.at(0)), static_cast<double>(end.at(1)), 3);
  EXPECT_NEAR(static_cast<double>(end.at(2)), static_cast<double>(end.at(3)), 3);
  EXPECT_EQ((end.at(2) - end.at(1)) / 10, 100u);
}

TEST(Barrier, AWarpThatArrivesGoesOnAtOnceAndIsNotAwaitedAgain) {
  const auto end = ends({after(10, {barrier(1, 2, true), kExit}), after(100, {barrier(1, 2), kExit})});
  EXPECT_EQ(end, ends_apart(10, 100));
}

TEST(Barrier, WhoWaitsIsLetGoByTheOneThatArrives) {
  const auto end = ends({after(100, {barrier(1, 2, true), kExit}), after(10, {barrier(1, 2), kExit})});
  ASSERT_EQ(end.size(), 2u);
  EXPECT_EQ(end.at(0), ends_apart(100, 10).at(0));
  EXPECT_EQ(end.at(1), end.at(0)) << "of another scheduler, so in the same cycle";
}

TEST(Barrier, IsNewOnceItHasOpened) {
  const Script producer = after(10, {barrier(1, 2, true), barrier(2, 2), barrier(1, 2, true), kExit});
  const Script consumer = after(40, {barrier(1, 2), barrier(2, 2, true), barrier(1, 2), kExit});
  EXPECT_EQ(ends({producer, consumer}).size(), 2u);
  const Script once = after(10, {barrier(1, 2, true), kExit});
  EXPECT_EQ(ends({once, consumer}).size(), 1u) << "the second time it has one arrival";
}

TEST(Barrier, AWarpThatArrivesTwiceCountsTwice) {
  const auto ended_of = [](std::uint8_t warps) {
    const Script twice = after(10, {barrier(3, warps, true), barrier(3, warps, true), kExit});
    return ends({twice, after(1, {barrier(3, warps), kExit})}).size();
  };
  EXPECT_EQ(ended_of(3), 2u);
  EXPECT_EQ(ended_of(4), 1u);
}

TEST(Barrier, WarpsThatHaveEndedAreNotAwaitedByABarrierOfAll) {
  const auto end = ends({after(100, {kExit}), after(10, {barrier(0), kExit})});
  ASSERT_EQ(end.size(), 2u);
  EXPECT_GT(end.at(1), end.at(0));
}

// peek() returns an instruction that waits at barrier 0 with all warps. When it issues, it is an arrival at
// barrier 5 without waiting.
TEST(Barrier, IsWhatItsIssueSays) {
  class Changing : public ScriptedProgram {
   public:
    explicit Changing(std::vector<Script> warps) : ScriptedProgram(std::move(warps)) {}

   private:
    void on_issue(std::uint32_t warp, IssuedInstruction& issued) override {
      if (warp == 0 && issued.code->operation == Operation::kBarrier) issued.code = &arrives_;
    }
    const Instruction arrives_ = barrier(5, 2, true).code;
  };
  Changing program({after(10, {barrier(0), kExit}), after(50, {barrier(5, 2), kExit})});
  SmRig rig;
  rig.launch(program, 2);
  rig.run(true, 10'000);
  EXPECT_EQ(program.finished(), 1u);
}

TEST(Barrier, SleepingChangesNothing) {
  const std::vector<Script> warps{after(10, {barrier(1, 2), barrier(0), kExit}),
                                  after(100, {barrier(1, 2, true), barrier(0), kExit}),
                                  after(50, {barrier(2, 1), barrier(0), kExit})};
  EXPECT_EQ(ends(warps, true), ends(warps, false));
}

}  // namespace
}  // namespace heddle::test
