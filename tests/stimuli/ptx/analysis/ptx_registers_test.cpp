// Physical registers, the instructions as an SM sees them, and entries that cannot be launched.

#include "stimuli/ptx/analysis/physical_registers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "stimuli/ptx/analysis/flow_graph.h"
#include "stimuli/ptx/analysis/liveness.h"
#include "stimuli/ptx/steps/timing.h"
#include "tests/support/ptx/ptx_random.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using Ids = std::set<RegisterId>;

// Returns the physical registers of a name, which are numbered as in Liveness.
Ids ids_of(const Function& function, const PhysicalRegisters& physical, std::size_t name) {
  if (name >= function.registers.size()) return {physical.predicates[name - function.registers.size()]};
  const RegisterId first = physical.registers[name];
  if (bits_of(function.registers[name].type) != 64) return {first};
  return {first, static_cast<RegisterId>(first + 1)};
}

std::set<std::size_t> written_by(const Function& function, const Statement& statement) {
  std::set<std::size_t> names;
  for (std::uint32_t i = 0; i < statement.destinations; ++i) {
    const Operand& operand = function.operands_of(statement)[i];
    if (operand.kind == OperandKind::kRegister) names.insert(operand.index);
    if (operand.kind == OperandKind::kPredicate) names.insert(function.registers.size() + operand.index);
  }
  return names;
}

void expect_apart(const Function& function, const PhysicalRegisters& physical,
                  const std::set<std::size_t>& names, const std::string& where) {
  std::map<RegisterId, std::size_t> owner;
  for (const std::size_t name : names)
    for (const RegisterId id : ids_of(function, physical, name))
      EXPECT_TRUE(owner.emplace(id, name).second)
          << where << ": " << owner[id] << " and " << name << " share " << id;
}

TEST(PtxRegisters, NamesThatLiveAtTheSameTimeNeverShare) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    Function function = random_function(random);
    const FlowGraph graph(function);
    const Liveness liveness(function, graph);
    const PhysicalRegisters physical = allocate_registers(function, static_cast<RegisterId>(seed % 9));
    const auto live_at = [&](std::size_t statement) {
      std::set<std::size_t> names;
      const std::vector<bool> live = liveness.live_before(static_cast<std::uint32_t>(statement));
      for (std::size_t name = 0; name < live.size(); ++name)
        if (live[name]) names.insert(name);
      return names;
    };
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      const std::string where = fmt::format("seed {} instruction {}", seed, i);
      expect_apart(function, physical, live_at(i), where);
      std::set<std::size_t> behind = written_by(function, function.code[i]);
      if (behind.empty() || i + 1 == function.code.size()) continue;
      behind.merge(live_at(i + 1));
      expect_apart(function, physical, behind, where + " behind");
    }
    for (std::size_t name = 0; name < function.registers.size(); name += 2)
      EXPECT_EQ(physical.registers[name] % 2, 0) << seed;
    EXPECT_LE(physical.end, kFirstPredicate);
  }
}

TEST(PtxRegisters, RowsOfWideAndOfNarrowRegistersAreApart) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const Function function = random_function(random);
    const PhysicalRegisters physical = allocate_registers(function, 0);
    std::map<std::uint32_t, std::uint32_t> bits;  // by row
    for (const Operand& operand : function.operands) {
      if (operand.kind != OperandKind::kRegister) continue;
      const std::uint32_t own = bits_of(function.registers[operand.index].type);
      for (std::uint32_t row = 0; row < own / 32; ++row)
        EXPECT_EQ(bits.emplace(physical.rows[operand.index] + row, own).first->second, own) << seed;
    }
  }
}

// Rows that one instruction reads and writes are disjoint as well.
TEST(PtxRegisters, RowsOfWhatIsNeededAtTheSameTimeAreApart) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Function function = random_function(random);
    const FlowGraph graph(function);
    const Liveness liveness(function, graph);
    const PhysicalRegisters physical = allocate_registers(function, 0);
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      std::set<std::size_t> names = written_by(function, function.code[i]);
      const std::vector<bool> live = liveness.live_before(static_cast<std::uint32_t>(i));
      for (std::size_t name = 0; name < live.size(); ++name)
        if (live[name]) names.insert(name);
      std::map<std::uint32_t, std::size_t> owner;
      for (const std::size_t name : names) {
        if (name >= function.registers.size()) continue;
        const std::uint32_t rows = bits_of(function.registers[name].type) == 64 ? 2 : 1;
        for (std::uint32_t row = physical.rows[name]; row < physical.rows[name] + rows; ++row) {
          EXPECT_TRUE(owner.emplace(row, name).second) << seed << ": " << owner[row] << " and " << name;
          EXPECT_LT(row, physical.row_end);
        }
      }
    }
  }
}

TEST(PtxRegisters, WhatACallerHoldsLiesBelow) {
  const Module module =
      parse(kernel("mov.u32 %u32_0, 1; mov.u64 %u64_0, 2; add.u32 %u32_1, %u32_0, 1; add.u64 %u64_1, "
                   "%u64_0, 1; st.global.u32 [%u64_1], %u32_1;"));
  const Function& function = function_of(module, "k");
  for (const RegisterId first : std::vector<RegisterId>{0, 1, 7, 800, 959}) {
    const PhysicalRegisters physical = allocate_registers(function, first);
    for (const RegisterId id : physical.registers) {
      EXPECT_GE(id, std::min<RegisterId>(first, kFirstPredicate - 32));
      EXPECT_LT(id, kFirstPredicate);
    }
  }
}

TEST(PtxRegisters, MoreThanThereAreShareAndStayInRange) {
  std::string body;
  for (int i = 0; i < 1500; ++i) body += fmt::format("mov.u64 %x{}, {};\n", i, i);
  for (int i = 0; i < 1500; ++i) body += fmt::format("st.global.u64 [%x{}], %x{};\n", i, 1499 - i);
  const Module module = parse(kernel(".reg .b64 %x<1500>;\n" + body));
  const PhysicalRegisters physical = allocate_registers(function_of(module, "k"), 0);
  for (const RegisterId id : physical.registers) {
    EXPECT_LT(id + 1, kFirstPredicate);
    EXPECT_EQ(id % 2, 0);
  }
}

Instruction timing_for(const std::string& text) {
  const Module module = parse(kernel(text));
  const Function& function = function_of(module, "k");
  return timing_of(function, function.code[0], nullptr, allocate_registers(function, 0), 8);
}

TEST(PtxTiming, EveryOpcodeHasItsUnit) {
  const std::pair<const char*, Operation> table[] = {
      {"add.s32 %s32_0, %s32_1, %s32_2;", Operation::kIntAdd},
      {"add.f32 %f32_0, %f32_1, %f32_2;", Operation::kFloatAdd},
      {"sub.f64 %f64_0, %f64_1, %f64_2;", Operation::kDouble},
      {"min.s32 %s32_0, %s32_1, %s32_2;", Operation::kIntMax},
      {"max.f32 %f32_0, %f32_1, %f32_2;", Operation::kFloatMax},
      {"mul.lo.u32 %u32_0, %u32_1, %u32_2;", Operation::kIntMul},
      {"mul.f32 %f32_0, %f32_1, %f32_2;", Operation::kFloatMul},
      {"mad.lo.s32 %s32_0, %s32_1, %s32_2, %s32_3;", Operation::kIntMad},
      {"fma.rn.f32 %f32_0, %f32_1, %f32_2, %f32_3;", Operation::kFloatFma},
      {"fma.rn.f64 %f64_0, %f64_1, %f64_2, %f64_3;", Operation::kDouble},
      {"div.s32 %s32_0, %s32_1, %s32_2;", Operation::kIntDiv},
      {"rem.u64 %u64_0, %u64_1, %u64_2;", Operation::kIntDiv},
      {"div.rn.f32 %f32_0, %f32_1, %f32_2;", Operation::kFloatDiv},
      {"div.full.f32 %f32_0, %f32_1, %f32_2;", Operation::kFloatDivApprox},
      {"div.rn.f64 %f64_0, %f64_1, %f64_2;", Operation::kDoubleDiv},
      {"sqrt.rn.f32 %f32_0, %f32_1;", Operation::kFloatDiv},
      {"sqrt.approx.f32 %f32_0, %f32_1;", Operation::kSfu},
      {"rcp.rn.f64 %f64_0, %f64_1;", Operation::kDoubleReciprocal},
      {"sqrt.rn.f64 %f64_0, %f64_1;", Operation::kDoubleDiv},
      {"sin.approx.f32 %f32_0, %f32_1;", Operation::kSfu},
      {"setp.lt.f64 %pred_0, %f64_0, %f64_1;", Operation::kDouble},
      {"setp.lt.f32 %pred_0, %f32_0, %f32_1;", Operation::kMove},
      {"selp.f64 %f64_0, %f64_1, %f64_2, %pred_0;", Operation::kMove},
      {"cvt.rn.f32.f64 %f32_0, %f64_0;", Operation::kConvert},
      {"cvt.u16.u32 %u16_0, %u32_0;", Operation::kConvert},
      {"shl.b32 %b32_0, %b32_1, 3;", Operation::kMove},
      {"shfl.sync.idx.b32 %b32_0, %b32_1, 1, 31, -1;", Operation::kShuffle},
      {"ld.global.u32 %u32_0, [%u64_0];", Operation::kLoad},
      {"st.shared.u32 [s], %u32_0;", Operation::kStore},
      {"atom.global.add.u32 %u32_0, [%u64_0], 1;", Operation::kAtomic},
      {"red.global.add.u32 [%u64_0], 1;", Operation::kAtomic},
      {"tex.1d.v4.f32.s32 {%f32_0, %f32_1, %f32_2, %f32_3}, [t, {%s32_0}];", Operation::kLoad},
      {"sust.b.1d.b32.trap [u, {%s32_0}], %b32_0;", Operation::kStore},
      {"bra LABEL;", Operation::kBranch},
      {"call f, (%u32_0);", Operation::kBranch},
      {"bar.sync 0;", Operation::kBarrier},
      {"bar.warp.sync -1;", Operation::kNop},
      {"membar.gl;", Operation::kFence},
      {"ret;", Operation::kExit},
      {"exit;", Operation::kExit}};
  for (const auto& [text, operation] : table) EXPECT_EQ(timing_for(text).operation, operation) << text;
}

TEST(PtxTiming, MemoryInstructionsSayWhereAndHowMuch) {
  const auto expect = [](const char* text, MemorySpace space, int bytes, bool bypass) {
    const Instruction timing = timing_for(text);
    EXPECT_EQ(timing.space, space) << text;
    EXPECT_EQ(timing.bytes, bytes) << text;
    EXPECT_EQ(timing.bypass_l1, bypass) << text;
    EXPECT_EQ(timing.pc, 8u);
  };
  expect("ld.global.v4.f32 {%f32_0, %f32_1, %f32_2, %f32_3}, [%u64_0];", MemorySpace::kGlobal, 16, false);
  expect("ld.global.cg.u8 %u16_0, [%u64_0];", MemorySpace::kGlobal, 1, true);
  expect("ld.volatile.global.u64 %u64_1, [%u64_0];", MemorySpace::kGlobal, 8, true);
  expect("ld.shared.u16 %u16_0, [s];", MemorySpace::kShared, 2, false);
  expect("st.local.v2.u32 [l], {%u32_0, %u32_1};", MemorySpace::kLocal, 8, false);
  expect("ld.const.u32 %u32_0, [c];", MemorySpace::kConstant, 4, false);
  expect("ld.param.u64 %u64_0, [p];", MemorySpace::kConstant, 8, false);
  expect("ld.u32 %u32_0, [%u64_0];", MemorySpace::kGlobal, 4, false);
}

TEST(PtxTiming, RegistersOfSixtyFourBitsCountTwiceAndGuardsAreRead) {
  const Instruction timing = timing_for("@%pred_1 mad.wide.u32 %u64_0, %u32_1, %u32_2, %u64_3;");
  EXPECT_EQ(timing.destinations().size(), 2u);
  ASSERT_EQ(timing.sources().size(), 5u);
  EXPECT_GE(timing.sources()[4], kFirstPredicate);
}

std::string problem(const std::string& limits, Dim3 grid, Dim3 block, std::uint32_t shared = 0,
                    int parameters = 1) {
  PtxRun run(".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) " + limits +
             " { .shared .b8 s[1000]; .reg .u64 %a; mov.u64 %a, s; ret; }");
  for (int i = 0; i < parameters; ++i) run.pass(std::uint64_t{0});
  run.grid = grid;
  run.block = block;
  run.dynamic_shared = shared;
  return launch_problem(run.launch());
}

TEST(PtxLaunches, WhatCannotBeLaunchedIsRefusedWithAReason) {
  EXPECT_EQ(problem("", {1, 1, 1}, {1024, 1, 1}), "");
  EXPECT_EQ(problem("", {0, 1, 1}, {32, 1, 1}), "a grid of (0, 1, 1) blocks");
  EXPECT_EQ(problem("", {1, 65536, 1}, {32, 1, 1}), "a grid of (1, 65536, 1) blocks");
  EXPECT_EQ(problem("", {1, 1, 1}, {32, 33, 1}), "a block of (32, 33, 1) threads; the most are 1024");
  EXPECT_EQ(problem("", {1, 1, 1}, {1U << 31U, 1U << 31U, 4}),
            "a block of (2147483648, 2147483648, 4) threads; the most are 1024");
  EXPECT_EQ(problem(".reqntid 64", {1, 1, 1}, {32, 1, 1}),
            "a block of (32, 1, 1) threads; 'k' asks for (64, 1, 1)");
  EXPECT_EQ(problem(".maxntid 16, 2", {1, 1, 1}, {33, 1, 1}), "a block of 33 threads; 'k' takes at most 32");
  EXPECT_EQ(problem("", {1, 1, 1}, {32, 1, 1}, 0, 2), "16 bytes of parameters; 'k' takes 8");
  EXPECT_EQ(problem("", {1, 1, 1}, {32, 1, 1}, ~0U), "4294968295 bytes of shared memory");
}

TEST(PtxLaunches, MoreLocalMemoryThanAThreadMayHaveIsRefused) {
  PtxRun run(kernel_text(".local .b8 l[524304]; mov.u64 %rd2, l;"));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_EQ(launch_problem(run.launch()), "524304 bytes of local memory of a thread; the most are 524288");
}

TEST(PtxLaunches, RecursionDoesNotShrinkWhatAnEntryHolds) {
  EXPECT_EQ(
      words_of(".local .align 8 .b8 l[100000]; st.local.u64 [l+99992], 7; call f, (0); ld.local.u64 %rd2, "
               "[l+99992]; st.global.u64 [%rd0], %rd2;",
               1, {},
               ".func f (.param .b32 n) { .reg .b32 %r; .reg .pred %p; ld.param.u32 %r, [n]; setp.eq.u32 %p, "
               "%r, 0; "
               "@%p ret; call f, (0); ret; }")[0],
      7u);
}

}  // namespace
}  // namespace heddle::ptx
