// Phases of PTX entries, and the divergence and the liveness of shared memory that determine them.

#include "stimuli/ptx/analysis/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "models/core/kernel/instruction.h"
#include "stimuli/ptx/analysis/divergence.h"
#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/analysis/shared_liveness.h"
#include "stimuli/ptx/analysis/spilling.h"
#include "tests/support/paths.h"
#include "tests/support/ptx/ptx_random.h"
#include "tests/support/ptx/ptx_text.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

constexpr std::uint32_t kManyRegisters = 255;

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
  return find_phases(module, function_of(module, "k"), rule, {kManyRegisters, 0});
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

// Returns text with twelve instructions that hold few registers, and then with sums that hold more and more.
std::string growing_sums() {
  std::string body = "ld.global.u32 %u32_0, [g];" + repeated("add.u32 %u32_0, %u32_0, 1;", 11);
  for (int i = 1; i < 8; ++i) body += "mul.lo.u32 %u32_" + std::to_string(i) + ", %u32_0, 3;";
  for (int i = 1; i < 8; ++i) body += "add.u32 %u32_0, %u32_0, %u32_" + std::to_string(i) + ";";
  return body + "st.global.u32 [g], %u32_0;";
}

TEST(PtxPhases, AQuarterMoreHeldRegistersAfterTenInstructionsStartsOne) {
  const PhaseMap map = phases_of(growing_sums());
  ASSERT_EQ(starts(map), (std::vector<std::uint32_t>{0, 12, 22}));
  EXPECT_EQ(map.phases[1].start, Phase::Start::kChange);
  // The stack pointer takes one of them.
  EXPECT_EQ(map.phases[0].registers, 2u);
  EXPECT_EQ(map.phases[1].registers, 9u);
  EXPECT_EQ(map.phases[2].registers, 6u);
  EXPECT_EQ(starts(phases_of(growing_sums(), {100.0, 10})), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(starts(phases_of(growing_sums(), {0.25, 1000})), (std::vector<std::uint32_t>{0}));
}

TEST(PtxPhases, NoneNeedsMoreRegistersThanTheLaunchHas) {
  const Module module = parse(kernel(growing_sums()));
  const PhaseMap map = find_phases(module, function_of(module, "k"), {}, {6, 0});
  for (const Phase& phase : map.phases) EXPECT_LE(phase.registers, 6U);
  EXPECT_EQ(map.phases[1].registers, 6U);
}

TEST(PtxPhases, BarriersAndFencesHaveNoSpecifierBecauseNeedsDoNotChangeThere) {
  const PhaseMap map = phases_of("bar.sync 0; mov.u32 %u32_0, 1; membar.gl; mov.u32 %u32_0, 2;");
  EXPECT_EQ(starts(map), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(map.phases[0].waits, 2u);
}

TEST(PtxPhases, ABarrierDoesNotCountAsTheLastBoundary) {
  const std::string plain = growing_sums();
  const std::size_t middle = plain.find("mul.lo.u32 %u32_1");
  const PhaseMap with = phases_of(plain.substr(0, middle) + "bar.sync 0;" + plain.substr(middle));
  const PhaseMap without =
      phases_of(plain.substr(0, middle) + "add.u32 %u32_0, %u32_0, 1;" + plain.substr(middle));
  EXPECT_EQ(starts(with), starts(without));
  EXPECT_EQ(with.phases.size(), 3u);
}

TEST(PtxPhases, NoneStartsWhereLanesAreApart) {
  std::string inside = repeated("add.u32 %u32_1, %u32_1, 1;", 12);
  for (int i = 2; i < 8; ++i) inside += "mul.lo.u32 %u32_" + std::to_string(i) + ", %u32_1, 3;";
  for (int i = 2; i < 8; ++i) inside += "add.u32 %u32_1, %u32_1, %u32_" + std::to_string(i) + ";";
  const std::string guard = "setp.eq.u32 %pred_0, %u32_0, 0; @%pred_0 bra A;";
  const std::string end = "A: st.global.u32 [g], %u32_1;";
  const std::string start = "ld.global.u32 %u32_1, [g];";
  const PhaseMap apart = phases_of(start + "mov.u32 %u32_0, %tid.x;" + guard + inside + end);
  for (const Phase& phase : apart.phases) EXPECT_FALSE(apart.divergent[phase.first]) << phase.first;
  const PhaseMap together = phases_of(start + "ld.param.u32 %u32_0, [n];" + guard + inside + end);
  EXPECT_GT(together.phases.size(), apart.phases.size());
  // Both need what is live inside.
  EXPECT_EQ(apart.phases[0].registers, together.phases[1].registers);
}

// Twelve instructions, and sums that hold many registers, all of them where lanes are apart.
std::string guarded_sums() {
  std::string inside = repeated("add.u32 %u32_1, %u32_1, 1;", 12);
  for (int i = 2; i < 8; ++i) inside += "mul.lo.u32 %u32_" + std::to_string(i) + ", %u32_1, 3;";
  for (int i = 2; i < 8; ++i) inside += "add.u32 %u32_1, %u32_1, %u32_" + std::to_string(i) + ";";
  return inside;
}

// No phase can start within the region, so that its needs are those of a phase that starts at the branch.
TEST(PtxPhases, OneStartsBeforeARegionWhereLanesAreApartThatNeedsMore) {
  const PhaseMap map =
      phases_of("ld.global.u32 %u32_1, [g]; mov.u32 %u32_0, %tid.x; setp.eq.u32 %pred_0, %u32_0, 0;" +
                repeated("add.u32 %u32_1, %u32_1, 1;", 12) + "@%pred_0 bra A;" + guarded_sums() +
                "A:" + repeated("add.u32 %u32_1, %u32_1, 1;", 12) + "st.global.u32 [g], %u32_1;");
  ASSERT_EQ(starts(map), (std::vector<std::uint32_t>{0, 15, 40}));
  EXPECT_GE(map.phases[1].registers, map.phases[0].registers + 5);
  EXPECT_LT(map.phases[2].registers, map.phases[1].registers);
}

// A compiler may place the end of a loop before its body. The boundary in the end of the loop is not the last
// one on the path from the entry to the body.
TEST(PtxPhases, FollowTheFlowOfControlAndNotTheText) {
  const std::string head = "ld.global.u32 %u32_1, [g]; ld.param.u32 %u32_0, [n]; bra BODY;";
  const std::string end = "END: setp.eq.u32 %pred_0, %u32_1, %u32_0; @%pred_0 bra OUT; bra BODY;";
  const std::string body = guarded_sums() + repeated("add.u32 %u32_1, %u32_1, 1;", 12);
  const std::string out = "OUT: st.global.u32 [g], %u32_1;";
  const PhaseMap map = phases_of(head + end + "BODY:" + body + "bra END;" + out);
  const PhaseMap in_order = phases_of(head + "BODY:" + body + "bra END;" + end + out);
  const auto needs = [](const PhaseMap& of) {
    std::multiset<std::uint32_t> registers;
    for (const Phase& phase : of.phases) registers.insert(phase.registers);
    return registers;
  };
  EXPECT_GE(map.phases.size(), 3u);
  EXPECT_EQ(needs(map), needs(in_order));
}

// The kernel has the phases of Figure 9 of Zorua: it copies a line, transforms it and copies it back. The
// transform needs the most registers.
TEST(PtxPhases, OfTheCosineTransformGrowAndShrink) {
  const Module module = load_module(test::source_directory() + "/stimuli/kernels/dct_tiles.ptx");
  const PhaseMap map = find_phases(module, function_of(module, "dct_tiles"), {}, {36, 9216});
  std::vector<std::uint32_t> of_loop;  // that have shared memory
  for (const Phase& phase : map.phases)
    if (phase.shared_bytes > 0) of_loop.push_back(phase.registers);
  ASSERT_GE(of_loop.size(), 2u);
  EXPECT_GE(*std::max_element(of_loop.begin(), of_loop.end()),
            1.25 * *std::min_element(of_loop.begin(), of_loop.end()));
}

TEST(PtxPhases, CopiesConstantsAndParametersHoldNoRegisters) {
  const PhaseMap map = phases_of(
      "ld.param.u64 %u64_0, [p]; cvta.to.global.u64 %u64_1, %u64_0; mov.u32 %u32_0, 5; ld.param.u32 %u32_1, "
      "[n];"
      "add.u32 %u32_2, %u32_0, %u32_1; st.global.u32 [%u64_1], %u32_2;");
  EXPECT_EQ(map.phases[0].registers, 4u);
}

TEST(PtxPhases, ACallNeedsTheRegistersAndTheSharedMemoryOfItsCalleesBesideItsOwn) {
  std::string inside = "ld.global.u32 %r0, [g];";
  for (int i = 1; i < 20; ++i) inside += "mul.lo.u32 %r" + std::to_string(i) + ", %r0, 3;";
  for (int i = 1; i < 20; ++i) inside += "add.u32 %r0, %r0, %r" + std::to_string(i) + ";";
  const std::string text =
      ".version 7.8\n.target sm_75\n.address_size 64\n.global .b32 g; .shared .b8 s[48];\n"
      ".func f() { .reg .u32 %r<20>;" +
      inside +
      "st.shared.u32 [s], %r0; ret; }\n"
      ".func h() { call f; ret; }\n"
      ".func e() { call e; ret; }\n"
      ".visible .entry k() { .reg .u32 %r<3>; ld.global.u32 %r0, [g]; call h; st.global.u32 [g], %r0;"
      "ld.shared.u32 %r1, [s]; st.global.u32 [g], %r1; ret; }\n"
      ".visible .entry d() { call e; ret; }\n";
  const Module module = parse(text);
  const PhaseMap map = find_phases(module, function_of(module, "k"), {}, {kManyRegisters, 0});
  EXPECT_EQ(map.live_registers[1], 1U + 1 + 20);
  EXPECT_EQ(map.live_shared_bytes, (std::vector<std::uint64_t>{0, 48, 48, 48, 0, 0}));
  const PhaseMap recursive = find_phases(module, function_of(module, "d"), {}, {kManyRegisters, 0});
  EXPECT_EQ(recursive.phases[0].registers, kManyRegisters);
}

// Expects that on every path to an instruction the latest boundary has a phase that needs what is live there.
void expect_needs_cover_every_path(const Function& function, const PhaseMap& map) {
  const FlowGraph graph(function);
  std::map<std::uint32_t, std::uint32_t> boundaries;  // phase by first instruction
  for (std::uint32_t phase = 1; phase < map.phases.size(); ++phase) {
    boundaries[map.phases[phase].first] = phase;
    ASSERT_FALSE(map.divergent[map.phases[phase].first]) << phase;
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // (block, phase at its start)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting{{0, 0}};
  while (!waiting.empty()) {
    auto [block, number] = waiting.back();
    waiting.pop_back();
    if (!seen.insert({block, number}).second) continue;
    for (std::uint32_t i = graph.blocks()[block].first; i < graph.blocks()[block].end; ++i) {
      if (const auto at = boundaries.find(i); at != boundaries.end()) number = at->second;
      const Phase& phase = map.phases[number];
      ASSERT_GE(phase.registers, map.live_registers[i]) << "instruction " << i << ", phase " << number;
      ASSERT_GE(phase.shared_bytes, map.live_shared_bytes[i]) << "instruction " << i << ", phase " << number;
    }
    for (const std::uint32_t next : graph.graph().successors(block))
      if (next != graph.exit()) waiting.emplace_back(next, number);
  }
}

TEST(PtxPhases, TheLastSpecifierOnEveryPathCoversWhatIsLiveInRandomCode) {
  Random random(11);
  std::size_t several = 0;
  for (std::uint64_t i = 0; i < cases(4000); ++i) {
    const Function function = random_function(random);
    const PhaseMap map =
        find_phases(Module{}, function, {0.1, 1 + static_cast<std::uint32_t>(i % 3)}, {kManyRegisters, 0});
    expect_needs_cover_every_path(function, map);
    std::uint64_t statements = 0;
    for (const Phase& phase : map.phases) statements += phase.instructions;
    ASSERT_EQ(statements, function.code.size());
    several += map.phases.size() > 2 ? 1 : 0;
    if (HasFatalFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(several, cases(4000) / 10);
}

// The order of the text may hold `more` registers than the best order, which estimates count.
void expect_phases_of_entries(const Module& module, std::uint32_t more) {
  const std::vector<std::uint32_t> registers = register_estimates(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const Function& entry = module.functions[i];
    if (!entry.entry || entry.code.empty()) continue;
    SCOPED_TRACE(entry.name);
    const PhaseMap map = find_phases(module, entry, {}, {kManyRegisters, 1024});
    expect_needs_cover_every_path(entry, map);
    EXPECT_LE(*std::max_element(map.live_registers.begin(), map.live_registers.end()), registers[i] + more);
  }
}

TEST(PtxPhases, TheLastSpecifierOnEveryPathCoversWhatIsLiveInEveryKernel) {
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_directory() + "/stimuli/kernels")) {
    if (file.path().extension() != ".ptx") continue;
    Module module = load_module(file.path().string());
    // The kernels that nvcc has unrolled, such as lud_diagonal, keep many loads in the order of the text.
    expect_phases_of_entries(module, 2);
    spill_registers(module, 20);
    expect_phases_of_entries(module, 13);
  }
}

TEST(PtxPhases, OfAnEntryThatLoopsToItsFirstInstructionStartAgainThere) {
  // The loop ends with many registers, and the first instruction has few.
  std::string body = growing_sums();
  body = body.substr(0, body.size() - std::string("st.global.u32 [g], %u32_0;").size());
  const PhaseMap map =
      phases_of(body + "setp.eq.u32 %pred_0, %u32_0, 0; st.global.u32 [g], %u32_1; @%pred_0 bra LABEL;");
  ASSERT_GE(map.phases.size(), 2u);
  EXPECT_EQ(map.phases[1].first, 0u);
  EXPECT_EQ(map.phases[1].start, Phase::Start::kMeeting);
}

TEST(PtxPhases, MoreThanAnInstructionCanNumberAreMadeFewerAndLonger) {
  std::string body = "ld.global.u32 %u32_0, [g];";
  for (int turn = 0; turn < 150; ++turn)
    for (int step = 0; step < 6; ++step) {
      const std::string one = std::to_string(step + 1);
      body += "ld.global.u32 %u32_" + one + ", [g];";
      body += repeated("add.u32 %u32_0, %u32_0, 1;", 10);
      if (step == 5)
        for (int i = 1; i < 7; ++i) body += "add.u32 %u32_0, %u32_0, %u32_" + std::to_string(i) + ";";
    }
  const PhaseMap map = phases_of(body + "st.global.u32 [g], %u32_0;");
  EXPECT_LE(map.phases.size(), kMostPhases);
  EXPECT_GT(map.phases.size(), kMostPhases / 8);
}

}  // namespace
}  // namespace heddle::ptx
