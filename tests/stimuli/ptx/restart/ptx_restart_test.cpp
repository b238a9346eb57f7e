// Which kernels may have blocks that start over: what they read and write, and where the arguments point to.

#include "stimuli/ptx/analysis/restart.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stimuli/ptx/analysis/module_loader.h"
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

// Returns what is known before a launch, as "KIND: LINE what; LINE what".
std::string verdict(const std::string& body, const std::string& declarations = "") {
  const Module module = parse_module(kernel_text(body, declarations), "test.ptx");
  const Function& entry = *std::find_if(module.functions.begin(), module.functions.end(),
                                        [](const Function& function) { return function.entry; });
  const RestartVerdict verdict = restart_verdict(module, entry);
  std::string text = name_of(verdict.kind);
  for (const RestartObstacle& reason : verdict.reasons)
    text += fmt::format("; {} {}", reason.line, reason.what);
  return text;
}

std::uint32_t line_of(const std::string& text, const std::string& part) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(part));
  return static_cast<std::uint32_t>(1 + std::count(text.begin(), end, '\n'));
}

TEST(PtxRestartVerdict, NamesEveryReasonWithItsLine) {
  const std::string body =
      "st.global.u32 [%rd0], %r0;\natom.global.add.u32 %r1, [%rd0], 1;\nmov.u32 %r2, %smid;\n"
      "ld.global.u32 %r1, [%rd0];\n";
  const std::string text = kernel_text(body, "");
  const std::uint32_t first = line_of(text, "st.global.u32 [%rd0]");
  EXPECT_EQ(
      verdict(body),
      fmt::format("no; {} it writes 'out' and reads 'out' (line {}); {} an atomic in global memory; {} a "
                  "read of %smid",
                  first, first + 3, first + 1, first + 2));
}

TEST(PtxRestartVerdict, ArgumentsDecideWhetherTwoParametersMeet) {
  EXPECT_THAT(verdict(kCopy), StartsWith("by arguments; "));
  EXPECT_THAT(verdict(kCopy), HasSubstr("it writes 'out' and reads 'in' (line "));
  EXPECT_THAT(verdict(kCopy), HasSubstr("which may be the same memory"));
}

TEST(PtxRestartVerdict, AKernelThatOnlyWritesAlwaysMay) {
  EXPECT_EQ(verdict("st.global.u32 [%rd0], %r0;"), "yes");
  EXPECT_EQ(verdict("ld.global.u32 %r1, [table]; st.global.u32 [other], %r1;",
                    ".global .align 4 .b8 table[64]; .global .align 4 .b8 other[64];"),
            "yes");
}

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
