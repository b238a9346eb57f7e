// Which atomics of a kernel compilers make one operation of a warp of.

#include "stimuli/ptx/analysis/merged_atomics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

// Returns whether the one atomic of the body is merged. %rd0 is a parameter, %r0 the thread's index.
bool merges(const std::string& body) {
  const Module module = parse(kernel_text("mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2;\n" + body));
  const Function& entry = module.functions[0];
  const std::vector<bool> merged = merged_atomics(entry);
  EXPECT_EQ(
      std::count_if(entry.code.begin(), entry.code.end(),
                    [](const Statement& s) { return s.opcode == Opcode::kAtom || s.opcode == Opcode::kRed; }),
      1);
  return std::count(merged.begin(), merged.end(), true) == 1;
}

TEST(PtxMergedAtomics, AreAdditionsToOneWordForAllLanes) {
  EXPECT_TRUE(merges("red.global.add.u32 [%rd0], 1;"));
  EXPECT_TRUE(merges("red.global.add.u32 [%rd0+8], %r0;"));
  EXPECT_TRUE(merges("atom.global.add.u32 %r1, [%rd0], %r0; st.global.u32 [%rd3], %r1;"));
  EXPECT_TRUE(
      merges("mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %rd0; "
             "red.global.add.u32 [%rd4], 1;"));
  EXPECT_TRUE(merges("atom.add.u32 %r1, [%rd0], 1;"));
  EXPECT_TRUE(merges("red.global.add.u64 [%rd0], 1;"));
  EXPECT_FALSE(merges("red.global.add.u64 [%rd0], %rd3;"));
  EXPECT_FALSE(merges("red.global.add.f32 [%rd0], 0f3F800000;"));
}

TEST(PtxMergedAtomics, AreNoneWhoseAddressTheCodeDoesNotShowToBeTheSame) {
  EXPECT_FALSE(merges("red.global.add.u32 [%rd3], 1;"));
  EXPECT_FALSE(merges("ld.global.u64 %rd4, [%rd3]; red.global.add.u32 [%rd4], 1;"));
  EXPECT_TRUE(merges("ld.global.u64 %rd4, [%rd1]; red.global.add.u32 [%rd4], 1;"));
  EXPECT_FALSE(
      merges("mov.u64 %rd4, %rd0; setp.lt.u32 %p0, %r0, 7; @%p0 mov.u64 %rd4, %rd1; "
             "red.global.add.u32 [%rd4], 1;"));
  EXPECT_TRUE(merges("setp.lt.u32 %p0, %r0, 7; @%p0 red.global.add.u32 [%rd0], 1;"));
}

TEST(PtxMergedAtomics, OfOtherOperationsAreThoseWithoutAResult) {
  for (const std::string operation :
       {"and.b32", "or.b32", "xor.b32", "min.u32", "max.s32", "inc.u32", "dec.u32"}) {
    EXPECT_TRUE(merges("red.global." + operation + " [%rd0], %r0;")) << operation;
    EXPECT_TRUE(merges("atom.global." + operation + " %r1, [%rd0], %r0;")) << operation;
    EXPECT_FALSE(merges("atom.global." + operation + " %r1, [%rd0], %r0; st.global.u32 [%rd3], %r1;"))
        << operation;
  }
  EXPECT_FALSE(merges("atom.global.exch.b32 %r1, [%rd0], %r0;"));
  EXPECT_FALSE(merges("atom.global.cas.b32 %r1, [%rd0], %r0, 5;"));
  EXPECT_FALSE(merges("red.global.max.u64 [%rd0], %rd3;"));
}

TEST(PtxMergedAtomics, OfSharedMemoryAreNone) {
  const Module module = parse(kernel_text("red.shared.add.u32 [s], 1;", ".shared .u32 s;"));
  const std::vector<bool> merged = merged_atomics(module.functions[0]);
  EXPECT_EQ(std::count(merged.begin(), merged.end(), true), 0);
}

}  // namespace
}  // namespace heddle::ptx
