#include "stimuli/reconvergence/reconvergence_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/core/base/check.h"
#include "models/core/base/random.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;
constexpr std::uint32_t kNowhere = ReconvergenceStack::kNowhere;

void expect_runs(const ReconvergenceStack& stack, std::uint32_t pc, std::uint32_t mask, std::size_t depth) {
  ASSERT_FALSE(stack.done());
  EXPECT_EQ(stack.pc(), pc);
  EXPECT_EQ(stack.mask(), mask);
  EXPECT_EQ(stack.depth(), depth);
}

ReconvergenceStack stack_at(std::uint32_t pc, std::uint32_t mask = kAll) {
  ReconvergenceStack stack;
  stack.reset(pc, mask);
  return stack;
}

TEST(ReconvergenceStack, RunsTheFallThroughPathFirstThenTheTakenOneThenAllTogether) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0x0000ffff, 80, 8, 100);
  expect_runs(stack, 8, 0xffff0000, 3);
  stack.advance(16);
  expect_runs(stack, 16, 0xffff0000, 3);
  stack.advance(100);
  expect_runs(stack, 80, 0x0000ffff, 2);
  stack.advance(100);
  expect_runs(stack, 100, kAll, 1);
}

TEST(ReconvergenceStack, KeepsOneEntryWhereAllLanesAgree) {
  ReconvergenceStack stack = stack_at(0, 0xff);
  stack.branch(0, 80, 8, 100);
  expect_runs(stack, 8, 0xff, 1);
  stack.branch(kAll, 80, 16, 100);
  expect_runs(stack, 80, 0xff, 1);
  stack.branch(0x0f, 88, 88, 100);
  expect_runs(stack, 88, 0xff, 1);
}

TEST(ReconvergenceStack, LanesThatSkipABodyWaitWithoutAnEntryOfTheirOwn) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xf0, 40, 8, 40);
  expect_runs(stack, 8, ~0xf0u, 2);
  stack.advance(40);
  expect_runs(stack, 40, kAll, 1);
}

TEST(ReconvergenceStack, InnerPathsMeetBeforeOuterOnes) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff00ff00, 200, 8, 300);
  stack.branch(0x000f000f, 80, 16, 120);
  expect_runs(stack, 16, 0x00f000f0, 5);
  stack.advance(120);
  expect_runs(stack, 80, 0x000f000f, 4);
  stack.advance(120);
  expect_runs(stack, 120, 0x00ff00ff, 3);
  stack.advance(300);
  expect_runs(stack, 200, 0xff00ff00, 2);
}

TEST(ReconvergenceStack, NestedBranchesThatMeetAtOnePlaceWaitInOneEntry) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff000000, 200, 8, 300);
  stack.branch(0x00ff0000, 100, 16, 300);
  expect_runs(stack, 16, 0x0000ffff, 4);
  stack.advance(300);
  expect_runs(stack, 100, 0x00ff0000, 3);
  stack.advance(300);
  expect_runs(stack, 200, 0xff000000, 2);
  stack.advance(300);
  expect_runs(stack, 300, kAll, 1);
}

TEST(ReconvergenceStack, LanesThatMeetBeforeTheReconvergencePointGoOnTogether) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xf, 80, 8, 300);
  stack.advance(80);
  expect_runs(stack, 80, kAll, 2);
}

TEST(ReconvergenceStack, ALoopThatLanesLeaveOneByOneStaysTwoDeep) {
  ReconvergenceStack stack = stack_at(0);
  std::uint32_t in_loop = kAll;
  for (int lane = 0; lane < 31; ++lane) {
    stack.advance(8);
    in_loop &= in_loop - 1;
    stack.branch(in_loop, 0, 16, 16);
    expect_runs(stack, 0, in_loop, 2);
  }
  stack.advance(8);
  stack.branch(0, 0, 16, 16);
  expect_runs(stack, 16, kAll, 1);
}

TEST(ReconvergenceStack, LanesThatEndAreNoLongerWaitedFor) {
  ReconvergenceStack stack = stack_at(0, 0xff);
  stack.branch(0x0f, 80, 8, 100);
  stack.exit(0xf0);
  expect_runs(stack, 80, 0x0f, 2);
  stack.exit(0x03);
  expect_runs(stack, 80, 0x0c, 2);
  stack.advance(100);
  expect_runs(stack, 100, 0x0c, 1);
  stack.exit(0x0c);
  EXPECT_TRUE(stack.done());
  stack.reset(0, 0);
  EXPECT_TRUE(stack.done());
}

TEST(ReconvergenceStack, PathsThatNeverMeetEndApart) {
  ReconvergenceStack stack = stack_at(0, 0xff);
  stack.branch(0x0f, 80, 8, kNowhere);
  expect_runs(stack, 8, 0xf0, 2);
  stack.exit(0xf0);
  expect_runs(stack, 80, 0x0f, 1);
}

TEST(ReconvergenceStack, HoldsTheDeepestSplitOfAWarp) {
  ReconvergenceStack stack = stack_at(0);
  for (std::uint32_t i = 0; i < 31; ++i) stack.branch(1u << i, 1000 + i, 8 * (i + 1), 5000 - i);
  EXPECT_EQ(stack.depth(), 63U);
  EXPECT_EQ(stack.mask(), 1u << 31);
}

TEST(ReconvergenceStack, LanesThatWaitForAPathThatYieldsGoOn) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(~1u, 0, 8, 8);  // lane 0 has left the loop
  expect_runs(stack, 0, ~1u, 2);
  stack.yield();
  expect_runs(stack, 8, 1u, 2);
  stack.exit(1u);
  expect_runs(stack, 0, ~1u, 1);
  stack.yield();  // no others
  expect_runs(stack, 0, ~1u, 1);
}

TEST(ReconvergenceStack, PathsThatYieldTakeTurnsAndReconverge) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff, 80, 8, 100);
  expect_runs(stack, 8, ~0xffu, 3);
  stack.yield();
  expect_runs(stack, 80, 0xff, 3);
  stack.yield();
  expect_runs(stack, 8, ~0xffu, 3);
  stack.advance(100);
  expect_runs(stack, 80, 0xff, 2);
  stack.advance(100);
  expect_runs(stack, 100, kAll, 1);
}

// The inner paths wait for each other and for the outer one.
TEST(ReconvergenceStack, EveryPathGetsItsTurn) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff000000, 200, 8, 300);
  stack.branch(0x00ff0000, 80, 16, 120);
  std::uint32_t ran = 0;
  for (int turn = 0; turn < 6; ++turn) {
    ran |= stack.mask();
    stack.yield();
  }
  EXPECT_EQ(ran, kAll);
}

TEST(ReconvergenceStack, LanesThatArriveWaitForThoseThatTheBarrierNames) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff, 80, 8, 100);
  stack.arrive(0xffff, 16);
  expect_runs(stack, 80, 0xff, 3);
  stack.arrive(0xffff, 88);
  expect_runs(stack, 88, 0xff, 3);
  stack.advance(100);
  expect_runs(stack, 16, ~0xffu, 2);
}

TEST(ReconvergenceStack, PathsMeetWhereAnInstructionNeedsTheirLanes) {
  ReconvergenceStack stack = stack_at(0);
  stack.branch(0xff, 80, 8, kNowhere);
  stack.meet(0xff00);  // its own lanes
  expect_runs(stack, 8, ~0xffu, 2);
  stack.meet(kAll);
  expect_runs(stack, 80, 0xff, 2);
  stack.advance(8);
  expect_runs(stack, 8, kAll, 1);
}

// A random program of blocks, ifs, loops and exits as a list of instructions. The decision of a lane depends
// on the lane, the instruction and the number of its visits.
class RandomProgram {
 public:
  static constexpr int kNesting = 3;

  struct Code {
    enum class Kind { kPlain, kBranch, kJump, kExit };
    Kind kind = Kind::kPlain;
    std::uint32_t target = 0;
    std::uint32_t meet = 0;
    bool backward = false;   // of a loop
    bool outermost = false;  // in no loop or if
  };
  struct Lane {
    std::uint32_t pc = 0;
    bool ended = false;
    std::vector<std::uint32_t> visits;  // by instruction
    std::vector<std::uint32_t> path;
  };

  explicit RandomProgram(std::uint64_t seed) : random_(seed), seed_(seed) {
    list(kNesting);
    code_.push_back({Code::Kind::kExit, 0, 0, false, false});
  }

  std::size_t size() const { return code_.size(); }
  const Code& at(std::uint32_t pc) const { return code_[pc]; }

  bool decides(std::uint32_t lane, std::uint32_t pc, std::uint32_t visit) const {
    Random random(seed_ ^ (std::uint64_t{lane} << 40) ^ (std::uint64_t{pc} << 20) ^ visit);
    if (code_[pc].backward) return visit % 5 != 4 && random.below(3) != 0;
    return random.below(2) != 0;
  }

  // Returns the path of one lane that runs alone.
  Lane alone(std::uint32_t lane) const {
    Lane result{0, false, std::vector<std::uint32_t>(size()), {}};
    while (!result.ended) step(lane, result);
    return result;
  }

  void step(std::uint32_t lane, Lane& state) const {
    const std::uint32_t pc = state.pc;
    const Code& code = code_[pc];
    state.path.push_back(pc);
    const std::uint32_t visit = state.visits[pc]++;
    state.pc = pc + 1;
    if (code.kind == Code::Kind::kJump) state.pc = code.target;
    if (code.kind == Code::Kind::kBranch && decides(lane, pc, visit)) state.pc = code.target;
    if (code.kind == Code::Kind::kExit) state.ended = true;
  }

 private:
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

  void list(int depth) {
    const std::uint64_t parts = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < parts; ++i) part(depth);
  }

  void part(int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(4);
    if (kind == 0) code_.push_back({Code::Kind::kPlain, 0, 0, false, depth == kNesting});
    if (kind == 1) loop(depth);
    if (kind >= 2) branch(depth, kind == 3);
  }

  void loop(int depth) {
    const std::uint32_t start = here();
    list(depth - 1);
    code_.push_back({Code::Kind::kBranch, start, here() + 1, true, false});
  }

  // Some paths end for good. The other paths still reconverge at the end of the if.
  void branch(int depth, bool with_else) {
    const std::uint32_t skip = here();
    code_.push_back({Code::Kind::kBranch, 0, 0, false, false});
    list(depth - 1);
    if (random_.below(6) == 0) code_.push_back({Code::Kind::kExit, 0, 0, false, false});
    std::uint32_t jump = 0;
    if (with_else) {
      jump = here();
      code_.push_back({Code::Kind::kJump, 0, 0, false, false});
    }
    code_[skip].target = here();
    if (with_else) {
      list(depth - 1);
      code_[jump].target = here();
    }
    code_[skip].meet = here();
  }

  Random random_;
  const std::uint64_t seed_;
  std::vector<Code> code_;
};

std::uint32_t mask_of(std::uint32_t lanes, const std::vector<RandomProgram::Lane>& states,
                      bool (*which)(const RandomProgram::Lane&)) {
  std::uint32_t mask = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if (((lanes >> lane) & 1) != 0 && which(states[lane])) mask |= 1u << lane;
  return mask;
}

void take_turns(ReconvergenceStack& stack, Random& random) {
  switch (random.below(8)) {
    case 0:
      return stack.yield();
    case 1:
      return stack.arrive(static_cast<std::uint32_t>(random.next()), stack.pc());
    case 2:
      return stack.meet(static_cast<std::uint32_t>(random.next()));
    default:
      return;
  }
}

// Runs the warp. Every lane must follow the path of a run alone. An instruction outside every open branch
// must run with all lanes that have not ended, unless paths take turns at random.
void run_warp(const RandomProgram& program, std::uint32_t lanes, Random* turns = nullptr) {
  std::vector<RandomProgram::Lane> states(kLanes, {0, false, std::vector<std::uint32_t>(program.size()), {}});
  ReconvergenceStack stack;
  stack.reset(0, lanes);
  std::size_t deepest = 0;
  while (!stack.done()) {
    const std::uint32_t pc = stack.pc();
    const std::uint32_t mask = stack.mask();
    ASSERT_NE(mask, 0U);
    ASSERT_EQ(mask & ~lanes, 0U);
    deepest = std::max(deepest, stack.depth());
    const std::uint32_t alive = mask_of(lanes, states, [](const auto& lane) { return !lane.ended; });
    if (stack.depth() == 1 || (turns == nullptr && program.at(pc).outermost)) {
      ASSERT_EQ(mask, alive) << "at " << pc;
    }
    std::uint32_t taken = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (((mask >> lane) & 1) == 0) continue;
      ASSERT_FALSE(states[lane].ended);
      ASSERT_EQ(states[lane].pc, pc) << "lane " << lane;
      program.step(lane, states[lane]);
      if (states[lane].pc != pc + 1) taken |= 1u << lane;
    }
    const RandomProgram::Code& code = program.at(pc);
    if (code.kind == RandomProgram::Code::Kind::kExit)
      stack.exit(mask);
    else if (code.kind == RandomProgram::Code::Kind::kBranch)
      stack.branch(taken, code.target, pc + 1, code.meet);
    else
      stack.advance(code.kind == RandomProgram::Code::Kind::kJump ? code.target : pc + 1);
    if (turns != nullptr && !stack.done()) take_turns(stack, *turns);
  }
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    if (((lanes >> lane) & 1) != 0) {
      ASSERT_EQ(states[lane].path, program.alone(lane).path) << "lane " << lane;
    }
  if (turns != nullptr) return;
  ASSERT_LE(deepest, 1U + 2U * RandomProgram::kNesting);  // two entries for each level of nesting
}

TEST(ReconvergenceStackProperty, EveryLaneFollowsThePathItFollowsAlone) {
  for (std::uint64_t seed = 0; seed < cases(400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram program(seed);
    run_warp(program, seed % 3 == 0 ? static_cast<std::uint32_t>(Random(seed).next()) | 1u : kAll);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ReconvergenceStackProperty, EveryLaneFollowsItsPathWherePathsTakeTurns) {
  for (std::uint64_t seed = 0; seed < cases(400); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random turns(seed);
    run_warp(RandomProgram(seed), kAll, &turns);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ReconvergenceStackProperty, LanesMeetAtThePostDominator) {
  for (std::uint64_t seed = 0; seed < cases(200); ++seed) {
    Random random(seed);
    ReconvergenceStack stack;
    stack.reset(0, kAll);
    stack.branch(static_cast<std::uint32_t>(random.next()), 4, 1, 6);  // 1 2 3 | 4 5 | 6
    std::vector<std::uint32_t> ran(7);
    while (stack.pc() != 6) {
      ran[stack.pc()] |= stack.mask();
      stack.advance(stack.pc() == 3 ? 6 : stack.pc() + 1);
    }
    EXPECT_EQ(ran[1] & ran[4], 0U);
    EXPECT_EQ(ran[1] | ran[4], kAll);
    expect_runs(stack, 6, kAll, 1);
  }
}

}  // namespace
}  // namespace heddle
