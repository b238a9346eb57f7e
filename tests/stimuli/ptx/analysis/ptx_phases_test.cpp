// Phases of PTX entries, and the divergence and the liveness of shared memory that determine them.

#include "stimuli/ptx/analysis/phases.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/shared_liveness.h"
#include "tests/support/ptx/ptx_random.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Returns a character for each instruction, which is 'd' if lanes may be divergent there.
std::string divergence_of(const std::string& body) {
  const Module module = parse(kernel(body));
  const Function& function = function_of(module, "k");
  const FlowGraph graph(function);
  const std::vector<bool> blocks = divergent_blocks(function, graph);
  std::string shown;
  for (std::uint32_t i = 0; i < function.code.size(); ++i) shown += blocks[graph.block_of(i)] ? 'd' : '.';
  return shown;
}

std::vector<std::uint64_t> shared_of(const std::string& text, std::uint64_t dynamic = 0) {
  const Module module = parse(text);
  const Function& function = function_of(module, "k");
  return live_shared_bytes(module, function, FlowGraph(function), dynamic);
}

PhaseMap phases_of(const std::string& body, const PhaseRule& rule = {}) {
  const Module module = parse(kernel(body));
  return find_phases(module, function_of(module, "k"), rule, 0);
}

std::vector<std::uint32_t> starts(const PhaseMap& map) {
  std::vector<std::uint32_t> firsts;
  for (const Phase& phase : map.phases) firsts.push_back(phase.first);
  return firsts;
}

TEST(PtxDivergence, ABranchOnTheThreadsNumberPartsLanesUntilTheyMeet) {
  EXPECT_EQ(divergence_of("mov.u32 %u32_0, %tid.x; setp.eq.u32 %pred_0, %u32_0, 0; @%pred_0 bra A;"
                          "mov.u32 %u32_1, 1; A: mov.u32 %u32_2, 2;"),
            "...d..");
}

TEST(PtxDivergence, ABranchOnAParameterPartsNobody) {
  EXPECT_EQ(divergence_of("ld.param.u32 %u32_0, [n]; setp.eq.u32 %pred_0, %u32_0, 0; @%pred_0 bra A;"
                          "mov.u32 %u32_1, 1; A: mov.u32 %u32_2, 2;"),
            "......");
}

TEST(PtxDivergence, ThreadsThatLeaveAtTheStartPartNobody) {
  EXPECT_EQ(divergence_of("mov.u32 %u32_0, %tid.x; setp.gt.u32 %pred_0, %u32_0, 9; @%pred_0 bra END;"
                          "mov.u32 %u32_1, 1; mov.u32 %u32_2, 2; END:"),
            "......");
  EXPECT_EQ(divergence_of("mov.u32 %u32_0, %tid.x; setp.gt.u32 %pred_0, %u32_0, 9; @%pred_0 ret;"
                          "mov.u32 %u32_1, 1; mov.u32 %u32_2, 2;"),
            "......");
}

TEST(PtxDivergence, ALoopThatLanesLeaveOneByOneIsApartAsAWhole) {
  EXPECT_EQ(
      divergence_of("mov.u32 %u32_0, %tid.x; A: sub.u32 %u32_0, %u32_0, 1; setp.ne.u32 %pred_0, %u32_0, 0;"
                    "@%pred_0 bra A; mov.u32 %u32_2, 2;"),
      ".ddd..");
}

TEST(PtxDivergence, WhatIsWrittenWhereLanesAreApartDiffersBehind) {
  const std::string apart =
      "mov.u32 %u32_1, 5; mov.u32 %u32_0, %laneid; setp.eq.u32 %pred_0, %u32_0, 0; @%pred_0 bra A;"
      "mov.u32 %u32_1, 1; A: setp.eq.u32 %pred_1, %u32_1, 1; @%pred_1 bra B; mov.u32 %u32_2, 2; B:"
      "mov.u32 %u32_3, 3;";
  EXPECT_EQ(divergence_of(apart), "....d..d..");
}

TEST(PtxSharedLiveness, LastsFromTheFirstStoreToTheLastLoad) {
  const std::vector<std::uint64_t> live =
      shared_of(kernel("mov.u32 %u32_0, 1; st.shared.u32 [s], %u32_0; mov.u32 %u32_1, 2;"
                       "ld.shared.u32 %u32_2, [s]; mov.u32 %u32_3, 3;"));
  EXPECT_EQ(live, (std::vector<std::uint64_t>{0, 64, 64, 64, 0, 0}));
}

TEST(PtxSharedLiveness, AroundALoopWhatItReadsStaysLive) {
  const std::vector<std::uint64_t> live = shared_of(
      kernel("mov.u32 %u32_0, 1; st.shared.u32 [s], %u32_0; A: ld.shared.u32 %u32_2, [s];"
             "mov.u32 %u32_3, 3; setp.eq.u32 %pred_0, %u32_2, 0; @%pred_0 bra A; mov.u32 %u32_3, 3;"));
  EXPECT_EQ(live, (std::vector<std::uint64_t>{0, 64, 64, 64, 64, 64, 0, 0}));
}

TEST(PtxSharedLiveness, SeparatesVariablesByHowAddressesAreComputed) {
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.shared .b8 a[16]; .shared .b8 "
      "b[32];"
      ".extern .shared .b8 e[]; .reg .u32 %r<9>;\n"
      "mov.u32 %r0, a; add.u32 %r1, %r0, 4; mov.u32 %r2, b; st.shared.u32 [%r1], 1; st.shared.u32 [%r2], 2;"
      "ld.shared.u32 %r3, [%r0]; ld.shared.u32 %r4, [%r2+4]; mov.u32 %r5, e; st.shared.u32 [%r5], 3;"
      "ld.shared.u32 %r6, [%r5]; ret; }";
  EXPECT_EQ(shared_of(text, 100), (std::vector<std::uint64_t>{0, 0, 0, 16, 48, 48, 32, 0, 100, 100, 0}));
}

TEST(PtxPhases, AQuarterMoreLiveRegistersAfterTenInstructionsStartsOne) {
  // Twelve instructions have few live registers. The sums after them have more and more.
  std::string body = "mov.u32 %u32_0, 0;" + repeated("add.u32 %u32_0, %u32_0, 1;", 11);
  for (int i = 1; i < 8; ++i) body += "add.u32 %u32_" + std::to_string(i) + ", %u32_0, 1;";
  for (int i = 1; i < 8; ++i) body += "add.u32 %u32_0, %u32_0, %u32_" + std::to_string(i) + ";";
  body += "st.global.u32 [g], %u32_0;";
  const PhaseMap map = phases_of(body);
  // No register is live at the entry. Any register is therefore a change after ten instructions.
  ASSERT_EQ(starts(map), (std::vector<std::uint32_t>{0, 10, 20}));
  EXPECT_EQ(map.phases[1].start, Phase::Start::kChange);
  EXPECT_EQ(map.phases[0].registers, 1u);
  EXPECT_EQ(map.phases[1].registers, 8u);
  EXPECT_EQ(map.live_registers[19], 8u);
  EXPECT_EQ(starts(phases_of(body, {100.0, 10})), (std::vector<std::uint32_t>{0, 10}));
  EXPECT_EQ(starts(phases_of(body, {0.25, 1000})), (std::vector<std::uint32_t>{0}));
}

TEST(PtxPhases, BarriersAndFencesEndOneAlways) {
  const PhaseMap map = phases_of("bar.sync 0; mov.u32 %u32_0, 1; membar.gl; mov.u32 %u32_0, 2;");
  EXPECT_EQ(starts(map), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(map.phases[1].start, Phase::Start::kBarrier);
}

TEST(PtxPhases, NoChangeStartsWhereLanesAreApart) {
  std::string inside = repeated("add.u32 %u32_1, %u32_1, 1;", 12);
  for (int i = 2; i < 8; ++i) inside += "add.u32 %u32_" + std::to_string(i) + ", %u32_1, 1;";
  for (int i = 2; i < 8; ++i) inside += "add.u32 %u32_1, %u32_1, %u32_" + std::to_string(i) + ";";
  const std::string guard = "setp.eq.u32 %pred_0, %u32_0, 0; @%pred_0 bra A;";
  const std::string end = "A: st.global.u32 [g], %u32_1;";
  const PhaseMap apart = phases_of("mov.u32 %u32_1, 0; mov.u32 %u32_0, %tid.x;" + guard + inside + end);
  for (const Phase& phase : apart.phases) EXPECT_FALSE(apart.divergent[phase.first]) << phase.first;
  const PhaseMap together = phases_of("mov.u32 %u32_1, 0; ld.param.u32 %u32_0, [n];" + guard + inside + end);
  EXPECT_GT(together.phases.size(), apart.phases.size());
}

// Expects for every path to an instruction that the latest boundary on the path is that of the instruction's
// phase.
void expect_one_phase_each(const Function& function, const PhaseMap& map) {
  const FlowGraph graph(function);
  std::set<std::uint32_t> boundaries;
  for (const Phase& phase : map.phases) boundaries.insert(phase.first);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // (block, latest boundary)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting{{0, 0}};
  while (!waiting.empty()) {
    auto [block, boundary] = waiting.back();
    waiting.pop_back();
    if (!seen.insert({block, boundary}).second) continue;
    for (std::uint32_t i = graph.blocks()[block].first; i < graph.blocks()[block].end; ++i) {
      if (boundaries.count(i) != 0) boundary = i;
      ASSERT_EQ(map.phases[map.phase_of[i]].first, boundary) << "instruction " << i;
    }
    for (const std::uint32_t next : graph.graph().successors(block))
      if (next != graph.exit()) waiting.emplace_back(next, boundary);
  }
}

TEST(PtxPhases, EveryWayToAnInstructionPassesItsPhasesBoundaryLast) {
  Random random(11);
  for (std::uint64_t i = 0; i < cases(2000); ++i) {
    const Function function = random_function(random);
    const PhaseMap map = find_phases(Module{}, function, {0.1, 3}, 0);
    expect_one_phase_each(function, map);
    std::uint64_t statements = 0;
    for (const Phase& phase : map.phases) statements += phase.instructions;
    ASSERT_EQ(statements, function.code.size());
    if (HasFatalFailure()) FAIL() << "case " << i;
  }
}

}  // namespace
}  // namespace heddle::ptx
