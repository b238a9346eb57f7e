// The instructions of statements that machine code computes together, or for which it has another
// instruction.

#include "stimuli/ptx/schedule/instruction_selection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stimuli/ptx/steps/entry_code.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

using testing::ElementsAre;

// Returns the operations of the scheduled code of a kernel without the stack pointer and the descriptor,
// which come first, and without the exit. The number of the thread is in %r1, and %d1 has an address.
std::vector<Operation> operations_of(const std::string& body) {
  PtxRun run(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b32 %r<32>; .reg .b64 %d<8>; .reg .f32 %f<32>; .reg .b16 %h<8>; .reg .pred %p<8>;\n"
      "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n" +
      body + "\nret; }");
  run.pass(std::uint64_t{0});
  const Launch launch = run.launch();
  CodeForm form;
  form.schedule = CodeSchedule::kPtxasLike;
  const EntryCode code = decode_entry(image_of(*launch.code), launch.entry, form);
  std::vector<Operation> operations;
  for (const Instruction& instruction : code.functions[code.entry].instructions)
    operations.push_back(instruction.operation);
  return operations;
}

std::ptrdiff_t count(const std::vector<Operation>& operations, Operation operation) {
  return std::count(operations.begin(), operations.end(), operation);
}

TEST(PtxInstructionSelection, TwoNumbersAreConvertedAndPackedByOneInstruction) {
  const auto conversions = [](const std::string& first, const std::string& second, const std::string& pack) {
    return count(operations_of("ld.global.v2.f32 {%f1, %f2}, [%d1];\n" + first + second + pack +
                               "st.global.b32 [%d1], %r2;"),
                 Operation::kConvert);
  };
  const std::string first = "cvt.rn.f16.f32 %h1, %f1;";
  const std::string second = "cvt.rn.f16.f32 %h2, %f2;";
  EXPECT_EQ(conversions(first, second, "mov.b32 %r2, {%h1, %h2};"), 1);
  EXPECT_EQ(conversions(first, "", "mov.b32 %r2, {%h1, %h1};"), 1);
  EXPECT_EQ(conversions(first, second, "mov.b32 %r2, {%h1, %h2}; st.global.b16 [%d1+8], %h1;"), 2);
  EXPECT_EQ(conversions(first, "ld.global.b16 %h2, [%d1+8];", "mov.b32 %r2, {%h1, %h2};"), 1);
}

TEST(PtxInstructionSelection, AShiftedNumberOf64BitsIsAddedByTwoInstructions) {
  const auto all = [](const std::string& body) {
    return operations_of("ld.global.v2.u64 {%d2, %d3}, [%d1];\n" + body +
                         "st.global.u64 [%d1], %d5; st.global.u32 [%d1+32], %r1;")
        .size();
  };
  const std::size_t sum = all("add.s64 %d5, %d2, %d3;");
  EXPECT_EQ(all("shl.b64 %d4, %d2, 3; add.s64 %d5, %d4, %d3;"), sum);
  EXPECT_EQ(all("shl.b64 %d4, %d2, %r1; add.s64 %d5, %d4, %d3;"), sum + 2);
}

TEST(PtxInstructionSelection, AProductAndASumAreAnOperationOfTheMultiplier) {
  const auto operations = [](const std::string& body) {
    return operations_of("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1]; " + body +
                         "st.global.u32 [%d1], %r7;");
  };
  const std::vector<Operation> integers = operations("mul.lo.u32 %r6, %r2, %r3; add.u32 %r7, %r6, %r4;");
  EXPECT_EQ(count(integers, Operation::kIntMad), 1);
  EXPECT_EQ(count(integers, Operation::kIntAdd), 0);
  const std::vector<Operation> floats =
      operations("mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f1; mov.b32 %r7, %f4;");
  EXPECT_EQ(count(floats, Operation::kFloatFma), 1);
  EXPECT_EQ(count(floats, Operation::kFloatAdd), 0);
}

TEST(PtxInstructionSelection, AComparisonOfTwoNumbersHasNoInstruction) {
  const auto all = [](const std::string& compared) {
    return operations_of("mov.u32 %r2, 0;\nsetp.ne.b32 %p1, " + compared +
                         ", 0;\n@%p1 st.global.u32 [%d1], %r1;")
        .size();
  };
  EXPECT_EQ(all("%r2") + 1, all("%r1"));
}

// A product of 8 columns has four sums in a thread.
class Product {
 public:
  explicit Product(const std::string& scale, const std::string& between = "")
      : operations_(
            operations_of("mov.u32 %r2, 0; mov.u32 %r3, 1;\nsetp.ne.b32 %p1, " + scale +
                          ", 0;\nmov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000;"
                          "mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000;\n" +
                          between +
                          "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                          "{%f1, %f2, %f3, %f4}, %d2, %d3, %p1, 1, 1, 0, 0;\n"
                          "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                          "st.global.v4.f32 [%d1], {%f1, %f2, %f3, %f4}; st.global.u32 [%d1+32], %r1;")) {}
  std::size_t instructions() const { return operations_.size(); }

 private:
  const std::vector<Operation> operations_;
};

TEST(PtxInstructionSelection, AProductThatDoesNotReadItsSumsNeedsNoZerosInThem) {
  const std::size_t without = Product("%r2").instructions();
  EXPECT_EQ(Product("%r3").instructions(), without + 4);
  EXPECT_EQ(Product("%r1").instructions(), without + 5);  // the comparison has an instruction, too
  EXPECT_EQ(Product("%r2", "st.global.f32 [%d1+16], %f2;\n").instructions(), without + 2);
}

TEST(PtxInstructionSelection, ACopyOrAShiftBehindTheIntegerUnitIsAnOperationOfTheMultiplier) {
  const std::vector<Operation> shifts = operations_of(
      "ld.global.v2.u32 {%r2, %r3}, [%d1];\nshl.b32 %r4, %r2, 3; shl.b32 %r5, %r3, 4; shr.u32 %r6, %r2, 3; "
      "shl.b32 %r7, %r2, %r3;\nst.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7};");
  const auto first = std::find(shifts.begin(), shifts.end(), Operation::kLoad) + 1;
  EXPECT_THAT(std::vector<Operation>(first, first + 4),
              ElementsAre(Operation::kMove, Operation::kIntMad, Operation::kMove, Operation::kMove));
}

}  // namespace
}  // namespace heddle::ptx
