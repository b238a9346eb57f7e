// Instructions, registers and branches of synthetic kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/synthetic.h"

namespace heddle {
namespace {

using test::issues_of;
using test::KernelText;
using Warp = std::vector<IssuedInstruction>;

Warp first_warp_of(const KernelText& text) {
  return issues_of(text)[0];
}

std::size_t count_of(const Warp& warp, Operation operation) {
  return static_cast<std::size_t>(
      std::count_if(warp.begin(), warp.end(), [&](const auto& i) { return i.code->operation == operation; }));
}

TEST(SyntheticCode, LoopsIssueTheirBodiesAndThreeInstructionsARound) {
  const Warp warp =
      issues_of(KernelText{"[{op: int_add, count: 2}, {loop: 5, body: [{op: sfu, count: 3}, {loop: 4, body: "
                           "[{op: float_fma, count: 6}]}]}, {op: move}]"})[0];
  EXPECT_EQ(count_of(warp, Operation::kSfu), 15U);
  EXPECT_EQ(count_of(warp, Operation::kFloatFma), 120U);
  EXPECT_EQ(count_of(warp, Operation::kBranch), 25U);
  // The last term is the exit.
  EXPECT_EQ(warp.size(), 2U + 5U * (3U + 4U * 9U + 3U) + 1U + 1U);
  EXPECT_EQ(warp.back().code->operation, Operation::kExit);
}

TEST(SyntheticCode, StatesHowManyInstructionsAWarpIssues) {
  const std::string code = "[{loop: 7, body: [{op: sfu, count: 3}, {mix: {double: 1, move: 2}, count: 9}]}]";
  const Application application = test::application_of(test::application_text({code}));
  const SyntheticCode laid_out = lay_out(*application.synthetic[0]);
  EXPECT_EQ(laid_out.most_issues, issues_of(KernelText{code})[0].size());
  EXPECT_EQ(laid_out.most_issues, 7U * 15U + 1U);
  EXPECT_FALSE(laid_out.varies);
}

TEST(SyntheticCode, CountersAreEightBytesApartFromZero) {
  const auto program = test::program_of({"[{op: move, count: 9}]"});
  BlockStream& stream = program->start(BlockId{0});
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(stream.peek(0, i)->pc, 8 * i);
  EXPECT_EQ(stream.peek(0, 10), nullptr);
}

// Returns for each instruction the distance from the last instruction that wrote one of its sources, or 0 if
// there is none.
std::vector<std::size_t> dependences(const Warp& warp) {
  std::map<RegisterId, std::size_t> writers;
  std::vector<std::size_t> distances;
  for (std::size_t i = 0; i < warp.size(); ++i) {
    const Instruction& code = *warp[i].code;
    std::size_t nearest = 0;
    for (const RegisterId id : code.sources())
      if (const auto writer = writers.find(id); writer != writers.end())
        nearest = nearest == 0 ? i - writer->second : std::min(nearest, i - writer->second);
    for (const RegisterId id : code.destinations()) writers[id] = i;
    distances.push_back(nearest);
  }
  return distances;
}

TEST(SyntheticCode, InstructionsDependOnTheOneTheirDistanceBefore) {
  for (std::size_t distance = 1; distance <= 60; ++distance) {
    const std::vector<std::size_t> found = dependences(
        issues_of(KernelText{fmt::format("[{{op: float_fma, count: 120, distance: {}}}]", distance)})[0]);
    for (std::size_t i = 0; i < 120; ++i) ASSERT_EQ(found[i], i < distance ? 0 : distance) << i;
  }
}

TEST(SyntheticCode, ChainsGoOnRoundALoopPastItsThreeInstructions) {
  const std::vector<std::size_t> found =
      dependences(issues_of(KernelText{"[{loop: 3, body: [{op: float_fma, count: 8, distance: 4}]}]"})[0]);
  for (std::size_t i = 11; i < 33; ++i)
    if (i % 11 < 8) {
      EXPECT_EQ(found[i], i % 11 < 4 ? 7U : 4U) << i;  // the second value is 4 and the loop's 3
    }
}

TEST(SyntheticCode, WhatIsReadFromAValueDependsOnWhatWroteIt) {
  const Warp warp =
      issues_of(KernelText{"[{load: global, pattern: stream, region: 1KiB, to: x}, {op: move, count: 5, to: "
                           "other}, {op: float_add, from: x, to: sum}, {store: global, pattern: stream, "
                           "region: 1KiB, from: sum}]"})[0];
  const std::vector<std::size_t> found = dependences(warp);
  EXPECT_EQ(found, (std::vector<std::size_t>{0, 0, 1, 1, 1, 1, 6, 1, 0}));
}

TEST(SyntheticCode, ADependentLoadTakesItsAddressFromTheLoadBefore) {
  const auto chase = [](const std::string& more) {
    return dependences(issues_of(KernelText{
        "[{load: global, pattern: random, region: 1MiB, dependent: true, count: 6" + more + "}]"})[0]);
  };
  EXPECT_EQ(chase(""), (std::vector<std::size_t>{0, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(chase(", distance: 2"), (std::vector<std::size_t>{0, 0, 2, 2, 2, 2, 0}));
  const auto independent =
      dependences(issues_of(KernelText{"[{load: global, pattern: random, region: 1MiB, count: 6}]"})[0]);
  EXPECT_EQ(independent, std::vector<std::size_t>(7, 0));
}

TEST(SyntheticCode, AMixHasItsFractionsExactly) {
  const Warp warp = issues_of(
      KernelText{"[{mix: {float_fma: 6, int_add: 3, sfu: 1, double: 0}, count: 100, distance: 5}]"})[0];
  EXPECT_EQ(count_of(warp, Operation::kFloatFma), 60U);
  EXPECT_EQ(count_of(warp, Operation::kIntAdd), 30U);
  EXPECT_EQ(count_of(warp, Operation::kSfu), 10U);
  EXPECT_EQ(count_of(warp, Operation::kDouble), 0U);
  const std::vector<std::size_t> found = dependences(warp);
  for (std::size_t i = 5; i < 100; ++i) EXPECT_EQ(found[i], 5U) << i;
}

TEST(SyntheticCode, WhatAMixLeavesOverGoesToTheLargestRemainders) {
  const Warp warp = issues_of(KernelText{"[{mix: {float_fma: 1, int_add: 1, sfu: 1}, count: 11}]"})[0];
  EXPECT_EQ(count_of(warp, Operation::kFloatFma), 4U);
  EXPECT_EQ(count_of(warp, Operation::kIntAdd), 4U);
  EXPECT_EQ(count_of(warp, Operation::kSfu), 3U);
}

TEST(SyntheticCode, AMixIsInterleavedByTheSeed) {
  const auto order = [](std::uint64_t seed) {
    KernelText text{"[{mix: {float_fma: 1, int_add: 1}, count: 64}]"};
    text.seed = seed;
    std::vector<Operation> operations;
    for (const IssuedInstruction& issued : first_warp_of(text)) operations.push_back(issued.code->operation);
    return operations;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  const std::vector<Operation> operations = order(1);
  EXPECT_FALSE(std::is_sorted(operations.begin(), operations.end() - 1));
}

TEST(SyntheticCode, APhaseUsesAsManyRegistersAsItDeclares) {
  KernelText text{
      "[{phase: {live_registers: 10, live_shared: 256B}}, {op: float_fma, count: 40, distance: 3}, "
      "{phase: {live_registers: 24}}, {loop: 2, body: [{op: float_fma, count: 40, distance: 8}]}]"};
  text.shared = "1KiB";
  text.registers = 30;
  const Application application = test::application_of(test::application_text(text));
  const SyntheticCode code = lay_out(*application.synthetic[0]);
  ASSERT_EQ(code.phases.size(), 2U);
  EXPECT_EQ(code.phases[0].live_registers, 10U);
  EXPECT_EQ(code.phases[0].live_shared, 256U);
  EXPECT_EQ(code.phases[1].pc, 40U * 8U);
  EXPECT_EQ(code.phases[1].live_registers, 24U);
  EXPECT_EQ(code.phases[1].live_shared, 1024U);
  std::array<std::set<RegisterId>, 2> used;
  for (const Instruction& i : code.instructions) {
    std::set<RegisterId>& mine = used[i.pc < code.phases[1].pc ? 0 : 1];
    mine.insert(i.sources().begin(), i.sources().end());
    mine.insert(i.destinations().begin(), i.destinations().end());
  }
  used[1].erase(kFirstPredicate);
  EXPECT_LT(*used[0].rbegin(), 10);
  EXPECT_EQ(*used[1].rbegin(), 23);
  EXPECT_EQ(used[1].size(), 24U);
}

// Returns the numbers of the phase specifiers that a warp issues, in order.
std::string specifiers_of(const Warp& warp) {
  std::string numbers;
  for (const IssuedInstruction& issued : warp)
    if (issued.code->operation == Operation::kPhase) numbers += fmt::format("{} ", issued.code->phase);
  return numbers;
}

std::string needs_of(const KernelText& text) {
  const std::unique_ptr<KernelProgram> program = test::program_of(text, true);
  std::string needs;
  for (const PhaseNeeds& phase : program->phases())
    needs += fmt::format("{}/{} ", phase.registers_per_thread, phase.shared_bytes);
  return needs;
}

TEST(SyntheticCode, ASpecifierStandsWhereAPhaseStartsButNotAtTheEntry) {
  KernelText text{
      "[{phase: {live_registers: 10, live_shared: 256B}}, {op: float_fma, count: 40, distance: 3}, "
      "{load: global, pattern: stream, region: 64KiB, count: 3}, {phase: {live_registers: 24}}, {loop: 2, "
      "body: [{op: sfu}]}, "
      "{phase: {live_registers: 10, live_shared: 256B}}, {op: move}]"};
  text.shared = "1KiB";
  EXPECT_EQ(needs_of(text), "10/256 24/1024 10/256 ");
  const Warp with = issues_of(text, true)[0];
  EXPECT_EQ(specifiers_of(with), "1 2 ");
  const Warp without = first_warp_of(text);
  ASSERT_EQ(with.size(), without.size() + 2);
  std::size_t i = 0;
  for (const IssuedInstruction& issued : with) {
    if (issued.code->operation == Operation::kPhase) continue;
    EXPECT_EQ(issued.code->operation, without[i].code->operation);
    EXPECT_EQ(issued.code->sources(), without[i].code->sources());
    EXPECT_EQ(issued.code->destinations(), without[i].code->destinations());
    EXPECT_EQ(test::addresses_of(issued), test::addresses_of(without[i]));
    ++i;
  }
  EXPECT_EQ(specifiers_of(without), "");
  EXPECT_TRUE(test::program_of(text)->phases().empty());
}

TEST(SyntheticCode, ALoopReturnsToThePhaseAtItsStart) {
  const KernelText text{
      "[{op: move}, {loop: 2, body: [{op: sfu}, {loop: 3, body: [{op: sfu}, {phase: {live_registers: 8}}, "
      "{op: move}]}]}]"};
  EXPECT_EQ(needs_of(text), "64/0 64/0 8/0 ");
  // The outer loop, the inner one, and the phase in it.
  EXPECT_EQ(specifiers_of(issues_of(text, true)[0]), "1 1 2 1 2 1 2 1 1 2 1 2 1 2 ");
  const KernelText first{
      "[{loop: 3, body: [{phase: {live_registers: 9}}, {op: sfu}, "
      "{phase: {live_registers: 8}}, {op: move}]}]"};
  EXPECT_EQ(needs_of(first), "9/0 9/0 8/0 ");
  EXPECT_EQ(specifiers_of(issues_of(first, true)[0]), "1 2 1 2 1 2 ");
  const Application application = test::application_of(test::application_text(text));
  EXPECT_EQ(lay_out(*application.synthetic[0], true).most_issues, issues_of(text, true)[0].size());
}

TEST(SyntheticCode, AnIfTakesExactlyItsFractionOfTheLanes) {
  for (const std::uint32_t lanes : {0u, 1u, 8u, 16u, 31u, 32u}) {
    std::uint32_t distinct = 0;
    std::uint32_t before = 0;
    for (const IssuedInstruction& issued : first_warp_of(KernelText{
             fmt::format("[{{loop: 50, body: [{{if: {}, then: [{{op: sfu}}], else: [{{op: int_div}}]}}]}}]",
                         lanes / 32.0)})) {
      const auto active = static_cast<std::uint32_t>(__builtin_popcount(issued.mask));
      if (issued.code->operation == Operation::kSfu) {
        EXPECT_EQ(active, lanes);
        if (issued.mask != before) ++distinct;
        before = issued.mask;
      }
      if (issued.code->operation == Operation::kIntDiv) {
        EXPECT_EQ(active, 32 - lanes);
      }
      if (issued.code->operation == Operation::kIntAdd) {  // the lanes reconverge at the end of the loop
        EXPECT_EQ(active, 32U);
      }
    }
    if (lanes == 8) {  // the lanes are drawn again in each round
      EXPECT_GT(distinct, 25U);
    }
  }
}

TEST(SyntheticCode, AnIfOfWarpsTakesExactlyItsFractionOfTheLaunchsWarps) {
  KernelText text{"[{if: 0.375, of: warps, then: [{op: sfu}]}]", 8, 256};
  std::size_t taking = 0;
  for (const Warp& warp : issues_of(text)) taking += count_of(warp, Operation::kSfu);
  EXPECT_EQ(taking, 24U);  // of 64
  text.code = "[{if: 0.25, of: blocks, then: [{op: sfu}, {barrier: 3}]}]";
  taking = 0;
  for (const Warp& warp : issues_of(text)) taking += count_of(warp, Operation::kBarrier);
  EXPECT_EQ(taking, 16U);
}

TEST(SyntheticCode, LanesLeaveALoopAfterTheirOwnRounds) {
  std::array<std::uint32_t, 10> lanes_with{};  // by rounds
  for (const Warp& warp : issues_of(KernelText{
           "[{loop: {least: 3, most: 9, of: lanes}, body: [{op: sfu}]}, {op: int_div}]", 20, 64})) {
    std::array<std::uint32_t, kLanes> rounds{};
    for (const IssuedInstruction& issued : warp) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        if (issued.code->operation == Operation::kSfu) rounds[lane] += (issued.mask >> lane) & 1;
      if (issued.code->operation == Operation::kIntDiv) {
        EXPECT_EQ(issued.mask, ~std::uint32_t{0});
      }
    }
    for (const std::uint32_t n : rounds) {
      ASSERT_GE(n, 3U);
      ASSERT_LE(n, 9U);
      ++lanes_with[n];
    }
  }
  for (std::size_t n = 3; n <= 9; ++n) EXPECT_NEAR(lanes_with[n], 1280.0 / 7, 60) << n;
}

TEST(SyntheticCode, WarpsAndBlocksGoRoundTogetherWhereTheyDecide) {
  const auto rounds = [](const std::string& of) {
    std::vector<std::size_t> result;
    for (const Warp& warp :
         issues_of(KernelText{"[{loop: {least: 1, most: 50, of: " + of + "}, body: [{op: sfu}]}]", 6, 128})) {
      for (const IssuedInstruction& issued : warp) EXPECT_EQ(issued.mask, ~std::uint32_t{0});
      result.push_back(count_of(warp, Operation::kSfu));
    }
    return result;
  };
  const std::vector<std::size_t> warps = rounds("warps");
  EXPECT_GT(std::set<std::size_t>(warps.begin(), warps.end()).size(), 10U);
  const std::vector<std::size_t> blocks = rounds("blocks");
  for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i], blocks[i / 4 * 4]);
  EXPECT_GT(std::set<std::size_t>(blocks.begin(), blocks.end()).size(), 3U);
}

TEST(SyntheticCode, TheLastWarpOfABlockHasItsThreadsOnly) {
  const auto warps = issues_of(KernelText{"[{op: move}]", 1, 70});
  ASSERT_EQ(warps.size(), 3U);
  EXPECT_EQ(warps[1][0].mask, 0xffffffffU);
  EXPECT_EQ(warps[2][0].mask, 0x3fU);
}

TEST(SyntheticCode, SaysWhereItLeavesTheStraightLine) {
  const auto program =
      test::program_of({"[{loop: {least: 1, most: 4, of: lanes}, body: [{if: 0.5, then: [{op: sfu}], else: "
                        "[{op: move}, {if: 0.3, "
                        "then: [{op: double}]}]}]}, {op: move}]",
                        4});
  for (std::uint64_t block = 0; block < 4; ++block) {
    BlockStream& stream = program->start(BlockId{block});
    IssuedInstruction issued;
    std::size_t redirected = 0;
    while (const Instruction* next = stream.peek(0, 0)) {
      const Instruction* straight = stream.peek(0, 1);
      stream.issue(0, issued);
      ASSERT_EQ(issued.code, next);
      if (stream.peek(0, 0) == nullptr) break;
      ASSERT_EQ(issued.redirected, stream.peek(0, 0) != straight);
      if (issued.redirected) {
        EXPECT_EQ(next->operation, Operation::kBranch);
      }
      redirected += issued.redirected;
    }
    EXPECT_GT(redirected, 2U);
    program->finish(stream);
  }
}

}  // namespace
}  // namespace heddle
