// Which instructions the uniform datapath executes.

#include "stimuli/ptx/steps/uniform_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "stimuli/ptx/steps/entry_code.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// Returns how many instructions of a kernel the uniform datapath executes. The number of the thread is in
// %r1, and the parameter n in %r2.
std::ptrdiff_t uniform(const std::string& body, CodeSchedule schedule = CodeSchedule::kPtxasLike,
                       bool has_datapath = true) {
  PtxRun run(
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
      ".reg .b32 %r<32>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .pred %p<8>;\n"
      "ld.param.u64 %d1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;\n" +
      body + "\nret; }");
  run.pass(std::uint64_t{0});
  run.pass(std::uint32_t{0});
  const Launch launch = run.launch();
  CodeForm form;
  form.schedule = schedule;
  form.uniform_datapath = has_datapath;
  const EntryCode code = decode_entry(image_of(*launch.code), launch.entry, form);
  const std::vector<Instruction>& instructions = code.functions[code.entry].instructions;
  return std::count_if(instructions.begin(), instructions.end(), [](const Instruction& instruction) {
    return instruction.operation == Operation::kUniform;
  });
}

const std::string kStore = "st.global.u32 [%d1], %r9;";

TEST(PtxUniformOperations, ReadParametersConstantsAndEachOther) {
  EXPECT_EQ(uniform("shl.b32 %r3, %r2, 4; xor.b32 %r4, %r3, 5; add.u32 %r9, %r4, %r1;" + kStore), 1);
  EXPECT_EQ(uniform("mul.lo.u32 %r3, %r2, 12; not.b32 %r4, %r3; mul.lo.u32 %r9, %r4, %r1;" + kStore), 2);
  EXPECT_EQ(uniform("shl.b32 %r3, %r1, 4; xor.b32 %r9, %r3, 5;" + kStore), 0);
}

TEST(PtxUniformOperations, AreThoseOfSmsThatHaveTheDatapath) {
  EXPECT_EQ(uniform("mul.lo.u32 %r3, %r2, 12; not.b32 %r4, %r3; mul.lo.u32 %r9, %r4, %r1;" + kStore,
                    CodeSchedule::kPtxasLike, false),
            0);
}

TEST(PtxUniformOperations, ReadNeitherMemoryNorWhatAnotherUnitComputes) {
  EXPECT_EQ(uniform("ld.global.u32 %r3, [%d1]; shl.b32 %r9, %r3, 4;" + kStore), 0);
  EXPECT_EQ(uniform("cvt.rn.f32.u32 %f1, %r2; cvt.rzi.u32.f32 %r3, %f1; shl.b32 %r9, %r3, 4;" + kStore), 0);
}

TEST(PtxUniformOperations, StandInNoBlockInWhichLanesAreApart) {
  const auto behind = [](const std::string& compared) {
    return uniform(
        "mov.u32 %r9, 0; setp.lt.u32 %p1, " + compared +
        ", 7; @%p1 bra L; mul.lo.u32 %r3, %r2, 12; not.b32 %r4, %r3; not.b32 %r5, %r4; xor.b32 %r6, "
        "%r5, %r3; xor.b32 %r7, %r6, %r4; mul.lo.u32 %r8, %r7, %r7; xor.b32 %r9, %r8, %r1; L: " +
        kStore);
  };
  EXPECT_EQ(behind("%r1"), 0);
  EXPECT_GT(behind("%r2"), 3);
}

// The counter is compared alone, and the index is added to the number of the thread.
TEST(PtxUniformOperations, AreTheStepsOfAnIndexAndNotThoseOfACounter) {
  const std::string loop =
      "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r9, 0; L: ld.global.u32 %r5, [%d1]; add.u32 %r9, %r9, %r5; "
      "INDEX add.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, %r2; @%p1 bra L; " +
      kStore;
  const auto with = [&](const std::string& index) {
    std::string text = loop;
    text.replace(text.find("INDEX"), 5, index);
    return uniform(text);
  };
  EXPECT_EQ(with(""), 0);
  EXPECT_GT(with("add.u32 %r3, %r3, 32; xor.b32 %r9, %r9, %r3;"), 0);
}

TEST(PtxUniformOperations, LoadParametersAndReadTheIndexOfTheBlockSince90) {
  const std::string body = "mov.u32 %r3, %ctaid.x; mul.lo.u32 %r4, %r3, 12; add.u32 %r9, %r4, %r1;" + kStore;
  EXPECT_EQ(uniform(body), 0);
  EXPECT_GT(uniform(body, CodeSchedule::kPtxasLike90), 0);
}

}  // namespace
}  // namespace heddle::ptx
