// Phase specifiers in executed PTX.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_program.h"
#include "tests/support/ptx/ptx_run.h"
#include "tests/support/test_size.h"

namespace heddle::ptx {
namespace {

struct Issued {
  std::vector<Instruction> code;
  std::vector<PhaseNeeds> phases;
};

// Returns what the only warp of a launch with one warp issues.
Issued issue_all(PtxRun& run) {
  Issued all;
  const std::unique_ptr<KernelProgram> program = make_program(run.launch(), run.memory(), run.options);
  BlockStream& stream = program->start(BlockId{0});
  IssuedInstruction issued;
  while (stream.peek(0, 0) != nullptr) {
    stream.issue(0, issued);
    all.code.push_back(*issued.code);
  }
  program->finish(stream);
  all.phases = program->phases();
  return all;
}

// Returns a loop of three turns. Each turn computes with few registers and then with many.
std::string loop_of_two_phases() {
  std::string body = "mov.u32 %r1, 0; ld.global.u32 %r2, [%rd1];\nTURN:\n";
  for (int i = 0; i < 12; ++i) body += "mul.lo.u32 %r2, %r2, 5;\n";
  for (int i = 3; i < 19; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", i, 4 * i);
  for (int i = 3; i < 19; ++i) body += fmt::format("mad.lo.u32 %r2, %r2, 7, %r{};\n", i);
  return body +
         "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3;\n@%p1 bra TURN;\n"
         "st.global.u32 [%rd0], %r2;\n";
}

PtxRun run_of_loop(bool with_phases) {
  PtxRun run(kernel_text(loop_of_two_phases()));
  run.options.with_phases = with_phases;
  run.buffer(std::vector<std::uint32_t>(1), "out");
  run.buffer(std::vector<std::uint32_t>(20, 3), "in");
  return run;
}

TEST(PtxRunPhases, ASpecifierIssuesWhereItsPhaseStarts) {
  PtxRun run = run_of_loop(true);
  const Issued issued = issue_all(run);
  std::string order;
  for (const Instruction& instruction : issued.code)
    if (instruction.operation == Operation::kPhase) order += fmt::format("{} ", instruction.phase);
  std::string needs;
  for (const PhaseNeeds& phase : issued.phases) needs += fmt::format("{} ", phase.registers_per_thread);
  EXPECT_EQ(order, "1 2 3 4 1 2 3 4 1 2 3 4 ");
  EXPECT_EQ(needs, "4 8 20 12 4 ");
}

TEST(PtxRunPhases, WithoutThemTheCodeIsAsItWas) {
  PtxRun plain = run_of_loop(false);
  PtxRun phased = run_of_loop(true);
  const Issued without = issue_all(plain);
  const Issued with = issue_all(phased);
  EXPECT_TRUE(without.phases.empty());
  std::vector<Instruction> left;
  for (const Instruction& instruction : with.code)
    if (instruction.operation != Operation::kPhase) left.push_back(instruction);
  ASSERT_EQ(left.size(), without.code.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].operation, without.code[i].operation);
    EXPECT_EQ(left[i].sources(), without.code[i].sources());
    EXPECT_EQ(left[i].destinations(), without.code[i].destinations());
    // Each specifier before an instruction moves it by 8 bytes.
    EXPECT_GE(left[i].pc, without.code[i].pc);
    EXPECT_LE(left[i].pc, without.code[i].pc + 8 * (with.phases.size() - 1));
    EXPECT_EQ(without.code[i].phase, 0);
  }
}

TEST(PtxRunPhases, RandomProgramsDoTheSameAndIssueTheSpecifiersBeside) {
  std::uint64_t specifiers = 0;
  for (std::uint64_t seed = 0; seed < cases(300); ++seed) {
    Random random(seed);
    const std::string text = text_of(random_program(random));
    PtxRun plain(text);
    PtxRun phased(text);
    phased.options.with_phases = true;
    ASSERT_EQ(phased.failure(), plain.failure()) << text;
    ASSERT_EQ(phased.read<std::uint32_t>(phased.address_of("log"), 32),
              plain.read<std::uint32_t>(plain.address_of("log"), 32))
        << "seed " << seed << "\n"
        << text;
    ASSERT_EQ(phased.counts().warp_instructions,
              plain.counts().warp_instructions + phased.phases().specifiers);
    ASSERT_EQ(phased.phases().diverged + phased.phases().unknown, 0u) << "seed " << seed << "\n" << text;
    specifiers += phased.phases().specifiers;
  }
  EXPECT_GT(specifiers, cases(300));
}

}  // namespace
}  // namespace heddle::ptx
