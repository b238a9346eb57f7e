// wgmma: what the SM sees of products of warpgroups, and the forms that are refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/config.h"
#include "tests/support/problems.h"
#include "tests/support/ptx/ptx_group_product.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

// Returns the instructions of a program that begins with the text, without those that only compute.
std::vector<Instruction> instructions_of(const std::string& text) {
  PtxRun run(kernel_text(text));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  run.block = {kGroupThreads, 1, 1};
  const auto program = make_program(run.launch(), run.memory());
  BlockStream& stream = program->start(BlockId{0});
  std::vector<Instruction> instructions;
  for (std::uint32_t ahead = 0; const Instruction* next = stream.peek(0, ahead); ++ahead)
    if (next->operation >= Operation::kTensorGroup && next->operation <= Operation::kProductWait)
      instructions.push_back(*next);
  return instructions;
}

Instruction product_of(int columns, bool in_registers, Type a = Type::kF16) {
  GroupProduct product;
  product.columns = columns;
  product.a = product.b = a;
  product.a_in_registers = in_registers;
  return instructions_of(fmt::format(".reg .b32 %w<128>;\n{} {};", product.spelling(), product.operands()))
      .at(0);
}

std::uint32_t repeats_of(int columns, bool in_registers, Type a = Type::kF16) {
  return product_of(columns, in_registers, a).repeats;
}

// A warp multiplies 16 of the 64 rows: mma.m16n8k16 of f16, which counts as two products, for each 8 columns.
TEST(PtxGroupInstructions, FourWarpsCountAsManyProductsAsTheirMmaWould) {
  for (const bool in_registers : {false, true}) {
    EXPECT_EQ(product_of(8, in_registers).tensor_products, 2);
    EXPECT_EQ(product_of(256, in_registers).tensor_products, 64);
    EXPECT_EQ(product_of(64, in_registers, Type::kTf32).tensor_products, 16);
  }
}

TEST(PtxGroupInstructions, AProductTakesAnIntervalForEach8ColumnsUnlessSharedMemoryIsSlower) {
  EXPECT_EQ(repeats_of(256, false), 32U);
  EXPECT_EQ(repeats_of(256, true), 32U);
  EXPECT_EQ(repeats_of(256, true, Type::kTf32), 32U);
  EXPECT_EQ(repeats_of(64, false), 8U);  // 4 KiB in 32 cycles
  EXPECT_EQ(repeats_of(32, false), 6U);  // 3 KiB in 24 cycles; the products take 16
  EXPECT_EQ(repeats_of(32, true), 4U);
  EXPECT_EQ(repeats_of(8, false), 5U);  // 2.25 KiB in 18 cycles
  EXPECT_EQ(repeats_of(8, true), 1U);
}

TEST(PtxGroupInstructions, TheSmSeesGroupsOfProductsThatNoRegisterOfDWaitsFor) {
  GroupProduct product;
  product.columns = 8;
  const std::string one = fmt::format("{} {};\n", product.spelling(), product.operands());
  const std::vector<Instruction> code =
      instructions_of(".reg .b32 %w<4>; mov.u64 %rd10, 0; mov.u64 %rd11, 0;\nwgmma.fence.sync.aligned;\n" +
                      one + "wgmma.commit_group.sync.aligned;\n" + one +
                      "wgmma.commit_group.sync.aligned;\n"
                      "wgmma.wait_group.sync.aligned 1; wgmma.wait_group.sync.aligned 0;");
  ASSERT_EQ(code.size(), 6U);
  EXPECT_EQ(code[0].operation, Operation::kTensorGroup);
  EXPECT_EQ(code[0].sources().size(), 4U);  // two descriptors
  EXPECT_TRUE(code[0].destinations().empty());
  EXPECT_EQ(code[1].operation, Operation::kProductCommit);
  EXPECT_EQ(code[4].operation, Operation::kProductWait);
  EXPECT_EQ(code[4].copy_groups, 2);
  EXPECT_EQ(code[5].copy_groups, 1);
}

TEST(PtxGroupInstructions, AScheduleMovesNoReaderOfDBeforeTheWait) {
  GroupProduct product;
  product.columns = 8;
  PtxRun run(kernel_text(fmt::format(
      ".reg .f32 %w<4>; mov.f32 %w0, 0f00000000; mov.f32 %w1, %w0; mov.f32 %w2, %w0; mov.f32 %w3, %w0;\n"
      "wgmma.fence.sync.aligned; {} {}; wgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0; add.f32 %f1, %w0, %w1; st.global.f32 [%rd0], %f1;",
      product.spelling(), product.operands())));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  run.block = {kGroupThreads, 1, 1};
  run.options.form.schedule = CodeSchedule::kPtxasLike90;
  const auto program = make_program(run.launch(), run.memory(), run.options);
  BlockStream& stream = program->start(BlockId{0});
  std::vector<Operation> order;
  for (std::uint32_t ahead = 0; const Instruction* next = stream.peek(0, ahead); ++ahead)
    if (next->operation == Operation::kFloatAdd || next->operation == Operation::kStore ||
        (next->operation >= Operation::kTensorGroup && next->operation <= Operation::kProductWait))
      order.push_back(next->operation);
  EXPECT_THAT(order, testing::ElementsAre(Operation::kTensorGroup, Operation::kProductCommit,
                                          Operation::kProductWait, Operation::kFloatAdd, Operation::kStore));
}

TEST(PtxGroupInstructions, WhatIsNotSupportedIsRefusedByName) {
  const auto refusal = [](const std::string& statement) {
    const std::vector<std::string> problems = test::problems_of(
        [&] { parse(kernel_text(".reg .b32 %w<64>;\n" + statement, ".shared .align 16 .b8 s[64];")); });
    return problems.empty() ? std::string() : problems[0];
  };
  const std::string d = " {%w0, %w1, %w2, %w3}, ";
  const std::string mma = "wgmma.mma_async.sync.aligned.";
  EXPECT_EQ(refusal(mma + "m64n8k16.f32.f16.f16" + d + "%rd1, %rd2, 1, 1, 1, 0, 0;"), "");
  EXPECT_THAT(refusal(mma + "m64n8k256.s32.b1.b1.and.popc" + d + "%rd1, %rd2, 1;"), HasSubstr("wgmma"));
  EXPECT_THAT(refusal("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16" + d +
                      "%rd1, %rd2, %r1, 0, 1, 1, 1, 0, 0;"),
              HasSubstr("wgmma has no modifier '.sp' here"));
  EXPECT_THAT(refusal(mma + "m64n12k16.f32.f16.f16" + d + "%rd1, %rd2, 1, 1, 1, 0, 0;"),
              HasSubstr("m64n12k16"));
  EXPECT_THAT(refusal(mma + "m64n8k16.f32.f16.f16" + d + "%rd1, %rd2, 1, 2, 1, 0, 0;"),
              HasSubstr("imm-scale-a is 2"));
  EXPECT_THAT(refusal(mma + "m64n8k16.f32.f16.f16" + d + "%rd1, %rd2, 1, 1, 1, 0;"),
              HasSubstr("the transpositions of a and b are wanted"));
  EXPECT_THAT(refusal(mma + "m64n8k16.f32.f16.f16" + d + "{%w4, %w5, %w6, %w7}, %rd2, 1, 1, 1, 0, 0;"),
              HasSubstr("a in registers has no transposition"));
}

}  // namespace
}  // namespace heddle::ptx
