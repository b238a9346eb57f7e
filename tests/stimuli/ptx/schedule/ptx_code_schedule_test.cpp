// The order of the statements in scheduled code, and the statements that issue no instruction.

#include "stimuli/ptx/schedule/code_schedule.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Scheduled code of an entry with the parameters p, q and n. Each statement of the body stands in a line of
// its own, the first one in line 1.
class Scheduled {
 public:
  explicit Scheduled(const std::string& body)
      : module_(parse(".version 7.8 .target sm_75 .address_size 64 .shared .align 4 .b8 tile[4096]; "
                      ".entry k(.param .u64 p, .param .u64 q, .param .u32 n) { .reg .b32 %r<64>; "
                      ".reg .b64 %d<64>; .reg .f32 %f<64>; .reg .pred %p<64>; " +
                      body + "\nret; }\n")),
        code_(scheduled(module_.functions[0], CodeSchedule::kPtxasLike)) {}

  // Returns the lines of the statements with an instruction in their order, without the last one, which ends
  // the thread.
  std::vector<std::uint32_t> instructions() const { return lines(false); }
  std::vector<std::uint32_t> folded() const { return lines(true); }
  // Returns the registers that the instruction of a line reads.
  std::vector<std::string> reads(std::uint32_t line) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < code_.forms.size(); ++i)
      if (code_.function.code[i].line == line && code_.function.code[i].opcode != Opcode::kPart)
        for (const std::uint32_t name : code_.forms[i].reads)
          if (name < code_.function.registers.size()) names.push_back(code_.function.registers[name].name);
    return names;
  }

 private:
  std::vector<std::uint32_t> lines(bool folded) const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i + 1 < code_.function.code.size(); ++i)
      if (code_.folded[i] == folded && code_.function.code[i].opcode != Opcode::kPart)
        found.push_back(code_.function.code[i].line);
    return found;
  }

  const Module module_;
  const ScheduledFunction code_;
};

// Loads from two addresses of the thread in lines 6 and 8, and stores in line 7.
std::vector<std::uint32_t> order_around(const std::string& store, const std::string& load) {
  return Scheduled(
             "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n"
             "mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\n"
             "ld.global.f32 %f1, [%d4];\n" +
             store + "\n" + load + "\nst.shared.f32 [tile], %f2;\n")
      .instructions();
}
bool passes(const std::string& store, const std::string& load) {
  const std::vector<std::uint32_t> order = order_around(store, load);
  const auto at = [&](std::uint32_t line) { return std::find(order.begin(), order.end(), line); };
  EXPECT_NE(at(7), order.end());
  EXPECT_NE(at(8), order.end());
  return at(8) < at(7);
}

TEST(PtxCodeSchedule, LoadsStandBeforeTheFirstUse) {
  const Scheduled code(
      "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p];\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
      "ld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f3, [%d3+128];\n"
      "add.f32 %f4, %f2, %f3;\nld.global.f32 %f5, [%d3+256];\nadd.f32 %f6, %f4, %f5;\n"
      "st.global.f32 [%d3], %f6;");
  EXPECT_THAT(code.instructions(), ElementsAre(1, 4, 5, 7, 9, 6, 8, 10, 11));
  EXPECT_THAT(code.folded(), UnorderedElementsAre(2, 3));
}

TEST(PtxCodeSchedule, AnInstructionReadsWhatTheStatementsReadThatItComputes) {
  const Scheduled code(
      "mov.u32 %r1, %tid.x;\nld.param.u64 %d1, [p];\ncvta.to.global.u64 %d2, %d1;\nmul.wide.u32 %d3, %r1, "
      "4;\n"
      "add.s64 %d4, %d2, %d3;\nadd.s64 %d5, %d4, 16;\nld.global.u32 %r2, [%d5];\nst.global.u32 [%d4], %r2;");
  EXPECT_THAT(code.folded(), UnorderedElementsAre(2, 3, 4, 6));
  EXPECT_THAT(code.reads(5), ElementsAre("%r1"));
  EXPECT_THAT(code.reads(7), ElementsAre("%d4"));
}

TEST(PtxCodeSchedule, ALoadPassesAStoreOnlyWhereBothCannotMeet) {
  EXPECT_FALSE(passes("st.global.f32 [%d5], %f1;", "ld.global.f32 %f2, [%d4+4];"));
  EXPECT_FALSE(passes("st.global.f32 [%d4], %f1;", "ld.global.f32 %f2, [%d4];"));
  EXPECT_FALSE(passes("st.global.f32 [%d4], %f1;", "ld.global.f32 %f2, [%d4+2];"));
  EXPECT_TRUE(passes("st.global.f32 [%d4], %f1;", "ld.global.f32 %f2, [%d4+4];"));
  EXPECT_TRUE(passes("st.global.f32 [%d4+4], %f1;", "ld.global.f32 %f2, [%d4];"));
  EXPECT_TRUE(passes("st.shared.f32 [tile], %f1;", "ld.global.f32 %f2, [%d4+4];"));
  EXPECT_FALSE(passes("st.shared.f32 [tile], %f1;", "ld.f32 %f2, [%d4+4];"));
  EXPECT_TRUE(passes("st.global.f32 [%d5], %f1;", "ld.global.nc.f32 %f2, [%d4+4];"));
}

TEST(PtxCodeSchedule, OffsetsBelowZeroAreOfTheSameBase) {
  EXPECT_FALSE(passes("st.global.v2.f32 [%d4-4], {%f1, %f1};", "ld.global.f32 %f2, [%d4];"));
  EXPECT_TRUE(passes("st.global.v2.f32 [%d4-8], {%f1, %f1};", "ld.global.f32 %f2, [%d4];"));
}

TEST(PtxCodeSchedule, AnAddressThatChangesIsAnotherOne) {
  // %d4 + 4 of line 8 is what %d4 is behind the addition in line 7.
  const std::vector<std::uint32_t> order =
      order_around("st.global.f32 [%d4+4], %f1; add.s64 %d4, %d4, 4;", "ld.global.f32 %f2, [%d4];");
  EXPECT_LT(std::find(order.begin(), order.end(), 7), std::find(order.begin(), order.end(), 8));
  EXPECT_FALSE(passes("st.global.f32 [%d4+4], %f1;", "add.s64 %d6, %d4, 4; ld.global.f32 %f2, [%d6];"));
  EXPECT_TRUE(passes("st.global.f32 [%d4+8], %f1;", "add.s64 %d6, %d4, 4; ld.global.f32 %f2, [%d6];"));
}

TEST(PtxCodeSchedule, NothingOfMemoryPassesAFenceAnAtomicABarrierOrAVolatileAccess) {
  for (const char* const fence :
       {"membar.gl;", "bar.sync 0;", "bar.warp.sync -1;", "red.global.add.u32 [%d5], 1;",
        "ld.volatile.global.f32 %f3, [%d5];", "st.relaxed.gpu.global.f32 [%d5], %f1;", "nanosleep.u32 20;"})
    EXPECT_FALSE(passes(fence, "ld.global.f32 %f2, [%d4+4];")) << fence;
}

TEST(PtxCodeSchedule, NothingPassesAClock) {
  const std::vector<std::uint32_t> order =
      Scheduled(
          "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %clock;\nadd.u32 %r3, %r1, 1;\nmov.u32 %r4, %clock;\n"
          "sub.u32 %r5, %r4, %r2;\nst.shared.v2.u32 [tile], {%r5, %r3};")
          .instructions();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PtxCodeSchedule, ACarryGoesFromOneStatementToTheNext) {
  const std::vector<std::uint32_t> order =
      Scheduled(
          "mov.u32 %r1, %tid.x;\nadd.cc.u32 %r2, %r1, -1;\naddc.u32 %r3, %r1, 0;\n"
          "add.cc.u32 %r4, %r1, 1;\naddc.u32 %r5, %r1, 1;\n"
          "st.shared.v4.u32 [tile], {%r2, %r3, %r4, %r5};")
          .instructions();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PtxCodeSchedule, ABlockOfFoldedStatementsKeepsAnInstruction) {
  const Scheduled code(
      "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra end;\nld.param.u64 %d1, [p];\n"
      "cvta.to.global.u64 %d2, %d1;\nend: ret;");
  EXPECT_THAT(code.instructions(), ElementsAre(2, 3, 5, 6));
}

}  // namespace
}  // namespace heddle::ptx
