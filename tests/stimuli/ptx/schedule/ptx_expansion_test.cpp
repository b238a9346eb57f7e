// The instructions of statements that have more than one, and those that no statement has.

#include "stimuli/ptx/schedule/expansion.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "stimuli/ptx/schedule/code_schedule.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// An instruction of a part; none: that of the statement itself.
struct Seen {
  const InstructionForm* form = nullptr;
  bool is_part = false;
};

// Scheduled code of an entry with the parameters p, q and n. Each statement of the body stands in a line of
// its own, the first one in line 2.
class Expanded {
 public:
  explicit Expanded(const std::string& body, CodeSchedule schedule = CodeSchedule::kPtxasLike)
      : module_(parse(".version 7.8 .target sm_75 .address_size 64 .shared .align 4 .b8 tile[4096]; "
                      ".entry k(.param .u64 p, .param .u64 q, .param .u32 n) { .reg .b32 %r<64>; "
                      ".reg .b64 %d<64>; .reg .f32 %f<64>; .reg .f64 %e<8>; .reg .pred %p<64>; "
                      "mov.u32 %r1, %tid.x;\n" +
                      body + "\nret; }\n")),
        code_(scheduled(module_.functions[0], schedule)) {}

  // Returns the instructions of the statement of a line in their order.
  std::vector<Seen> instructions(std::uint32_t line) const {
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < code_.function.code.size(); ++i)
      if (code_.function.code[i].line == line && !code_.folded[i])
        seen.push_back({&code_.forms[i], code_.function.code[i].opcode == Opcode::kPart});
    return seen;
  }
  std::vector<Operation> operations(std::uint32_t line) const {
    std::vector<Operation> operations;
    for (const Seen& seen : instructions(line))
      if (seen.form->operation) operations.push_back(*seen.form->operation);
    return operations;
  }
  std::ptrdiff_t count(std::uint32_t line, Operation operation) const {
    const std::vector<Operation> all = operations(line);
    return std::count(all.begin(), all.end(), operation);
  }
  std::size_t all() const {
    return static_cast<std::size_t>(std::count(code_.folded.begin(), code_.folded.end(), false));
  }
  // Returns the statements before which there is an instruction that names a barrier or waits at one.
  std::vector<std::uint32_t> barriers() const {
    std::vector<std::uint32_t> lines;
    for (std::size_t i = 0; i < code_.function.code.size(); ++i)
      if (code_.function.code[i].opcode == Opcode::kPart && code_.forms[i].operation == Operation::kNop)
        lines.push_back(code_.function.code[i].line);
    return lines;
  }
  std::uint32_t name(const std::string& name) const {
    const std::vector<Register>& all = code_.function.registers;
    return static_cast<std::uint32_t>(
        std::find_if(all.begin(), all.end(), [&](const Register& r) { return r.name == name; }) -
        all.begin());
  }

 private:
  const Module module_;
  const ScheduledFunction code_;
};

TEST(PtxExpansion, ADivisionRefinesAReciprocal) {
  for (const auto& [text, instructions] : {std::pair<const char*, std::size_t>{"div.s32", 25},
                                           {"div.u32", 18},
                                           {"rem.s32", 24},
                                           {"rem.u32", 17}}) {
    const Expanded code(std::string(text) + " %r2, %r1, %r3;\nst.shared.u32 [tile], %r2;");
    EXPECT_EQ(code.operations(2).size(), instructions) << text;
    EXPECT_EQ(code.count(2, Operation::kSfu), 1) << text;
    EXPECT_EQ(code.count(2, Operation::kConvert), 2) << text;
    EXPECT_FALSE(code.instructions(2).back().is_part) << text;
  }
}

TEST(PtxExpansion, ARootOrADivisionOfFloatingPointStartsFromAnApproximation) {
  for (const auto& [text, instructions] :
       {std::pair<const char*, std::size_t>{"div.rn.f32 %f2, %f1, %f1", 10},
        {"div.full.f32 %f2, %f1, %f1", 8},
        {"div.approx.ftz.f32 %f2, %f1, %f1", 2},
        {"rcp.rn.f32 %f2, %f1", 10},
        {"sqrt.rn.f32 %f2, %f1", 10},
        {"sqrt.approx.f32 %f2, %f1", 4}}) {
    const Expanded code(std::string(text) + ";\nst.shared.f32 [tile], %f2;");
    EXPECT_EQ(code.operations(2).size(), instructions) << text;
    EXPECT_EQ(code.count(2, Operation::kSfu), 1) << text;
  }
  EXPECT_THAT(Expanded("sqrt.approx.ftz.f32 %f2, %f1;\nst.shared.f32 [tile], %f2;").operations(2), IsEmpty());
}

TEST(PtxExpansion, EachStepWaitsForTheOneBefore) {
  const Expanded code("ld.shared.u64 %d1, [tile];\nmin.s64 %d2, %d1, %d1;\nst.shared.u64 [tile], %d2;");
  const std::vector<Seen> steps = code.instructions(3);
  ASSERT_EQ(steps.size(), 4);
  EXPECT_THAT(steps[0].form->reads, ElementsAre(code.name("%d1")));
  EXPECT_THAT(steps[0].form->writes, ElementsAre(code.name("%d2")));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_THAT(steps[i].form->reads, Contains(code.name("%d2")));
}

TEST(PtxExpansion, TheHalvesOfASumDoNotWaitForEachOther) {
  const Expanded code("ld.shared.u64 %d1, [tile];\nadd.s64 %d2, %d1, %d1;\nst.shared.u64 [tile], %d2;");
  const std::vector<Seen> steps = code.instructions(3);
  ASSERT_EQ(steps.size(), 2);
  for (const Seen& step : steps) EXPECT_THAT(step.form->reads, ElementsAre(code.name("%d1")));
}

TEST(PtxExpansion, OperationsOf64BitsAreSeveralOf32) {
  const auto instructions = [](const std::string& statement) {
    const Expanded code("ld.shared.u64 %d1, [tile];\n" + statement +
                        "\nst.shared.u64 [tile], %d2; selp.u32 %r5, 1, 2, %p1; st.shared.u32 [tile], %r5;");
    return code.instructions(3).size();
  };
  EXPECT_EQ(instructions("sub.s64 %d2, %d1, 5;"), 2);
  EXPECT_EQ(instructions("and.b64 %d2, %d1, 5;"), 2);
  EXPECT_EQ(instructions("shl.b64 %d2, %d1, 5;"), 2);
  EXPECT_EQ(instructions("setp.lt.s64 %p1, %d1, 5;"), 2);
  EXPECT_EQ(instructions("selp.b64 %d2, %d1, 5, %p1;"), 2);
  EXPECT_EQ(instructions("min.s64 %d2, %d1, 5;"), 4);
  EXPECT_EQ(instructions("mul.lo.s64 %d2, %d1, %d1;"), 4);
  EXPECT_EQ(instructions("mul.wide.u32 %d2, %r1, %r1;"), 1);
}

TEST(PtxExpansion, AnAddressOfAnIndexIsOneInstruction) {
  const Expanded code(
      "ld.param.u64 %d1, [p];\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r2, [%d3];\n"
      "st.global.u32 [%d3], %r2;");
  EXPECT_THAT(code.operations(4), ElementsAre(Operation::kIntMad));
}

TEST(PtxExpansion, AnAddressOfSharedMemoryHas32Bits) {
  const Expanded code(
      "mul.wide.u32 %d2, %r1, 4;\nmov.u64 %d1, tile;\nadd.s64 %d3, %d1, %d2;\nst.shared.u32 [%d3], %r1;");
  EXPECT_EQ(code.instructions(4).size(), 1);
}

TEST(PtxExpansion, InstructionsLoadParametersSince90) {
  const std::string text =
      "ld.param.u32 %r2, [n];\nadd.u32 %r3, %r1, %r2;\nmov.u32 %r4, %ntid.x;\nmul.lo.u32 %r5, %r3, %r4;\n"
      "st.local.u32 [frame], %r5;";
  const std::string frame = ".local .align 4 .b8 frame[4];\n";
  const Expanded operands(frame + text);
  const Expanded loaded(frame + text, CodeSchedule::kPtxasLike90);
  EXPECT_EQ(loaded.all(), operands.all() + 2);
  EXPECT_THAT(operands.instructions(4)[0].form->reads, ElementsAre(operands.name("%r1")));
  EXPECT_THAT(loaded.instructions(4)[0].form->reads, ElementsAre(loaded.name("%r1"), loaded.name("%r2")));
}

// A branch around ten instructions, which no guards replace.
std::string branch_on(const std::string& value) {
  std::string text = "setp.eq.u32 %p1, " + value + ", 0;\n@%p1 bra after;\n";
  for (int i = 0; i < 10; ++i) text += "st.volatile.shared.u32 [tile], %r1;";
  return text + "\nafter: st.shared.u32 [tile], %r1;";
}

TEST(PtxExpansion, LanesThatDivergeMeetAtABarrier) {
  EXPECT_THAT(Expanded(branch_on("%r1")).barriers(), ElementsAre(3, 5));
  EXPECT_THAT(Expanded("mov.u32 %r2, %ctaid.x; " + branch_on("%r2")).barriers(), IsEmpty());
}

TEST(PtxExpansion, TheBarrierOfALoopIsNamedBeforeTheLoop) {
  const Expanded code(
      "mov.u32 %r2, %r1;\nst.shared.u32 [tile], %r1;\nloop: st.volatile.shared.u32 [tile], %r2;\n"
      "ld.volatile.shared.u32 %r3, [tile];\nadd.u32 %r2, %r2, %r3;\nsetp.lt.u32 %p1, %r2, 100;\n"
      "@%p1 bra loop;\nst.shared.u32 [tile], %r2; st.shared.u32 [tile+4], %r2;");
  EXPECT_THAT(code.barriers(), ElementsAre(4, 9));
}

}  // namespace
}  // namespace heddle::ptx
