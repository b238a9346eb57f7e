// Which kernels may have blocks that start over: what they read and write, and where the arguments point to.

#include "stimuli/ptx/analysis/restart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stimuli/ptx/restart/restart_problem.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns the problem of a launch whose two parameters point to different buffers, or to the same one.
std::string problem(const std::string& body, const std::string& declarations = "", bool same = false) {
  PtxRun run(kernel_text(body, declarations));
  const Address out = run.buffer(std::vector<std::uint64_t>(64), "out");
  if (same)
    run.pass(out + 8);
  else
    run.buffer(std::vector<std::uint64_t>(64), "in");
  return restart_problem(run.launch(), run.memory());
}

constexpr const char* kCopy =
    "mul.wide.u32 %rd2, %r0, 8; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;"
    "ld.global.u64 %rd5, [%rd4]; st.global.u64 [%rd3], %rd5;";

TEST(PtxRestart, AKernelThatReadsOneBufferAndWritesAnotherMayRestart) {
  EXPECT_EQ(problem(kCopy), "");
}

TEST(PtxRestart, TwoParametersThatPointToTheSameBufferMayNot) {
  EXPECT_THAT(problem(kCopy, "", true), HasSubstr("which may be the same memory"));
}

TEST(PtxRestart, AKernelThatUpdatesInPlaceMayNot) {
  const std::string why =
      problem("ld.global.u64 %rd5, [%rd0]; add.s64 %rd5, %rd5, 1; st.global.u64 [%rd0], %rd5;");
  EXPECT_THAT(why, StartsWith("it reads 'out' (line "));
  EXPECT_THAT(why, HasSubstr("and writes 'out' (line "));
}

TEST(PtxRestart, AtomicsInGlobalMemoryMayNotAndThoseInSharedMemoryMay) {
  EXPECT_THAT(problem("atom.global.add.u32 %r1, [%rd0], 1;"),
              StartsWith("an atomic in global memory (line "));
  EXPECT_THAT(problem("red.global.add.u32 [%rd0], 1;"), StartsWith("an atomic in global memory (line "));
  EXPECT_THAT(problem("atom.add.u32 %r1, [%rd0], 1;"), StartsWith("an atomic in global memory (line "));
  EXPECT_EQ(
      problem("atom.shared.add.u32 %r1, [s], 1; st.global.u32 [%rd0], %r1;", ".shared .align 8 .b8 s[64];"),
      "");
}

// The block starts over with shared and local memory of its own.
TEST(PtxRestart, SharedMemoryMayBeReadAndWritten) {
  EXPECT_EQ(problem("ld.global.u32 %r1, [%rd1]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s];"
                    "add.s32 %r2, %r2, 1; st.shared.u32 [s], %r2; st.global.u32 [%rd0], %r2;",
                    ".shared .align 8 .b8 s[64];"),
            "");
}

TEST(PtxRestart, WhatAnotherRunOfABlockSeesDifferentlyMayNotBeRead) {
  for (const char* special : {"%clock", "%smid", "%warpid"})
    EXPECT_THAT(problem(std::string("mov.u32 %r1, ") + special + "; st.global.u32 [%rd0], %r1;"),
                StartsWith(std::string("a read of ") + special))
        << special;
  EXPECT_EQ(problem("mov.u32 %r1, %ctaid.x; st.global.u32 [%rd0], %r1;"), "");
}

TEST(PtxRestart, AnAddressFromMemoryMayBeAny) {
  EXPECT_THAT(problem("ld.global.u64 %rd5, [%rd1]; st.global.u32 [%rd5], %r0;"),
              HasSubstr("writes an unknown address"));
  EXPECT_THAT(problem("ld.global.u64 %rd5, [%rd1]; ld.global.u32 %r1, [%rd5]; st.global.u32 [%rd0], %r1;"),
              HasSubstr("reads an unknown address"));
  // It may be made of halves, and chosen instead of a parameter.
  EXPECT_THAT(problem("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; mov.b64 %rd5, {%r1, %r2};"
                      "setp.eq.u32 %p0, %r0, 0; selp.b64 %rd6, %rd0, %rd5, %p0; st.global.u32 [%rd6], %r0;"),
              HasSubstr("an unknown address"));
  // Without a read, it does not matter what is written.
  EXPECT_EQ(problem("ld.shared.u64 %rd5, [s]; st.global.u32 [%rd5], %r0;", ".shared .align 8 .b8 s[64];"),
            "");
}

// The value reaches the store at the next turn of the loop.
TEST(PtxRestart, ValuesAreFollowedAroundLoops) {
  const char* const loop =
      "mov.u64 %rd5, %rd0; mov.u32 %r1, 0; LOOP: ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd5], %r2;"
      "mov.u64 %rd5, %rd6; mov.u64 %rd6, %rd7; mov.u64 %rd7, %rd1; add.s32 %r1, %r1, 1;"
      "setp.lt.u32 %p0, %r1, 4; @%p0 bra LOOP;";
  EXPECT_THAT(problem(loop), HasSubstr("writes 'out' or 'in'"));
}

TEST(PtxRestart, VariablesOfTheModuleAreToldApart) {
  const char* const variables = ".global .align 8 .b8 a[64]; .global .align 8 .b8 b[64];";
  EXPECT_EQ(problem("ld.global.u32 %r1, [a]; st.global.u32 [b], %r1; st.global.u32 [%rd0], %r1;", variables),
            "");
  EXPECT_THAT(problem("ld.global.u32 %r1, [a+4]; st.global.u32 [a], %r1;", variables),
              HasSubstr("reads 'a' (line "));
}

TEST(PtxRestart, ABarrierOfTheGridMayNot) {
  PtxRun run(kernel_text(kCopy));
  run.buffer(std::vector<std::uint64_t>(64), "out");
  run.buffer(std::vector<std::uint64_t>(64), "in");
  Launch launch = run.launch();
  launch.workspace = 1;
  EXPECT_EQ(restart_problem(launch, run.memory()), "its blocks meet at barriers of the grid");
}

}  // namespace
}  // namespace heddle::ptx
