// Functions that need too many registers keep values in local memory, and compute the same.

#include "stimuli/ptx/analysis/spilling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "stimuli/ptx/analysis/register_estimate.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

constexpr int kValues = 40;

// Returns a body that holds kValues words across a barrier, and adds `turns` to the first of them in a loop.
std::string held_across_barrier(int turns) {
  std::string body;
  for (int i = 0; i < kValues; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", i + 2, 4 * i);
  body += "bar.sync 0;\nmov.u32 %r60, 0;\nLOOP: add.u32 %r2, %r2, 1; add.u32 %r60, %r60, 1;\n" +
          fmt::format("setp.lt.u32 %p0, %r60, {}; @%p0 bra LOOP;\n", turns);
  for (int i = 0; i < kValues; ++i) body += fmt::format("st.global.u32 [%rd0+{}], %r{};\n", 4 * i, i + 2);
  return body;
}

std::vector<std::uint32_t> results(int turns, std::uint32_t most) {
  std::vector<std::uint32_t> input(kValues);
  std::iota(input.begin(), input.end(), 100U);
  PtxRun run(kernel_text(held_across_barrier(turns)), "k", most);
  const Address out = run.buffer(std::vector<std::uint32_t>(kValues));
  run.buffer(input);
  run.execute();
  return run.read<std::uint32_t>(out, kValues);
}

std::size_t local_accesses(const Function& function) {
  return static_cast<std::size_t>(
      std::count_if(function.code.begin(), function.code.end(), [](const Statement& s) {
        return s.space == Space::kLocal && (s.opcode == Opcode::kLd || s.opcode == Opcode::kSt);
      }));
}

TEST(PtxSpilling, KeepsAThreadWithinItsRegisters) {
  Module module = parse(kernel_text(held_across_barrier(3)));
  EXPECT_GT(register_estimates(module)[0], static_cast<std::uint32_t>(kValues));
  for (const std::uint32_t most : {32U, 24U, 20U}) {
    spill_registers(module, most);
    EXPECT_LE(register_estimates(module)[0], most);
  }
  EXPECT_GE(local_accesses(module.functions[0]), 2U * (kValues - 20));
}

TEST(PtxSpilling, IsNotedWithTheRegistersBeforeAndTheBytes) {
  Module module = parse(kernel_text(held_across_barrier(3)));
  const std::uint32_t needed = register_estimates(module)[0];
  spill_registers(module, needed);
  EXPECT_TRUE(spill_notes(module, 0).empty());
  spill_registers(module, 32);
  spill_registers(module, 24);
  const std::uint32_t bytes = module.functions[0].local_bytes;
  EXPECT_GE(bytes, 4U * (kValues - 24));
  EXPECT_EQ(spill_notes(module, 0), std::vector<std::string>{fmt::format(
                                        "kernel 'k' needs {} registers of a thread and has 24: {} B of each "
                                        "thread are spilled to local memory",
                                        needed, bytes)});
}

TEST(PtxSpilling, OfACalledFunctionIsNotedForItsCallers) {
  const std::string body = held_across_barrier(3);
  Module module = parse(
      ".version 6.0\n.target sm_35\n.address_size 64\n.func f(.param .u64 a, .param .u64 b)\n"
      "{ .reg .u32 %r<64>; .reg .u64 %rd<2>; .reg .pred %p<2>; ld.param.u64 %rd0, [a]; "
      "ld.param.u64 %rd1, [b];\n" +
      body +
      "ret; }\n.entry k(.param .u64 a) { .reg .u64 p; ld.param.u64 p, [a]; call f, (p, p); }\n"
      ".entry other() { ret; }\n");
  spill_registers(module, 24);
  ASSERT_EQ(spill_notes(module, 1).size(), 1U);
  EXPECT_EQ(spill_notes(module, 1)[0].rfind("function 'f' of kernel 'k' needs ", 0), 0U)
      << spill_notes(module, 1)[0];
  EXPECT_TRUE(spill_notes(module, 2).empty());
}

TEST(PtxSpilling, ComputesTheSame) {
  EXPECT_EQ(results(3, 24), results(3, kAnyRegisters));
  EXPECT_EQ(results(3, 24)[0], 103U);
}

TEST(PtxSpilling, LeavesTheValuesOfLoopsInRegisters) {
  Module module = parse(kernel_text(held_across_barrier(3)));
  spill_registers(module, 24);
  const Function& function = module.functions[0];
  const auto loop = std::find_if(function.labels.begin(), function.labels.end(),
                                 [](const Label& label) { return label.name == "LOOP"; });
  ASSERT_NE(loop, function.labels.end());
  for (std::uint32_t i = loop->statement; function.code[i].opcode != Opcode::kBra; ++i)
    EXPECT_NE(function.code[i].space, Space::kLocal) << i;
}

TEST(PtxSpilling, DoesNothingWhereRegistersSuffice) {
  Module module = parse(kernel_text(held_across_barrier(3)));
  const std::size_t statements = module.functions[0].code.size();
  spill_registers(module, 64);
  EXPECT_EQ(module.functions[0].code.size(), statements);
  spill_registers(module, kAnyRegisters);
  EXPECT_EQ(module.functions[0].code.size(), statements);
}

TEST(PtxSpilling, KeepsTheLimitThatTheKernelStates) {
  std::string text = kernel_text(held_across_barrier(3));
  text.replace(text.find(") {\n"), 3, ") .maxnreg 24 {");
  Module module = parse(text);
  spill_registers(module, 255);
  EXPECT_LE(register_estimates(module)[0], 24U);
}

}  // namespace
}  // namespace heddle::ptx
