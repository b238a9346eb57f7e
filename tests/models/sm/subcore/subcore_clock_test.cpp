// What a program sees of the clock on an SM with sub-cores: listings 1 and 2 of Huerta et al., MICRO 2025.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/sm/subcore_sm.h"

namespace heddle::test {
namespace {

// Runs a warp whose PTX reads the clock before and behind `between`, and returns the difference of the two.
// %f0 to %f11 lie in registers that follow each other, of which the first is even. %f12 and %f13 are for
// results.
std::uint32_t between_clocks(const std::string& between) {
  std::string body = "mov.f32 %f12, 0f3F800000;\nmov.f32 %f13, 0f3F800000;\n";
  for (int i = 0; i < 12; ++i) body += fmt::format("mov.f32 %f{}, 0f3F800000;\n", i);
  body += "mov.u32 %r1, %clock;\n" + between + "mov.u32 %r2, %clock;\nsub.u32 %r3, %r2, %r1;\n";
  body += "st.global.u32 [%rd0], %r3;\n";
  for (int i = 0; i < 14; ++i) body += fmt::format("st.global.f32 [%rd1+{}], %f{};\n", 4 * i, i);
  ptx::PtxRun run(ptx::kernel_text(body));
  const Address out = run.buffer(std::vector<std::uint32_t>(1));
  run.buffer(std::vector<float>(16));
  const ptx::Launch launch = run.launch();
  const std::unique_ptr<KernelProgram> program = ptx::make_program(launch, run.memory(), run.options);
  SmRig rig(subcore_sm(), 100, {"cggty", {}});
  rig.launch(*program, 1);
  rig.run();
  return run.read<std::uint32_t>(out, 1)[0];
}

constexpr const char* kNop = "bar.warp.sync 0xffffffff;\n";
std::string two_products(int x, int y) {
  return fmt::format("fma.rn.f32 %f12, %f0, %f2, %f4;\nfma.rn.f32 %f13, %f6, %f{}, %f{};\n", x, y);
}

TEST(SubcoreClock, SeesTheReadsOfOneBank) {
  EXPECT_EQ(between_clocks(kNop + two_products(9, 11) + kNop), 5u);
  EXPECT_EQ(between_clocks(kNop + two_products(8, 11) + kNop), 6u);
  EXPECT_EQ(between_clocks(kNop + two_products(8, 10) + kNop), 7u);
}

// Section 5.1.1: the reads do not delay the second clock if nothing stands between it and the last product.
TEST(SubcoreClock, DoesNotSeeTheReadsOfTheInstructionJustBeforeIt) {
  EXPECT_EQ(between_clocks(kNop + two_products(9, 11)), 4u);
  EXPECT_EQ(between_clocks(kNop + two_products(8, 10)), 4u);
}

TEST(SubcoreClock, IsReadWhenItsInstructionIssues) {
  EXPECT_EQ(between_clocks(""), 1u);
  // The second sum waits four cycles for the first one.
  EXPECT_EQ(between_clocks("add.f32 %f12, %f0, %f1;\nadd.f32 %f13, %f12, %f3;\n"), 6u);
}

}  // namespace
}  // namespace heddle::test
