// Control flow: lanes that diverge, reconverge and end, and random programs compared with the execution of
// one thread at a time.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_program.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// Returns the word that each lane stores.
std::vector<std::uint64_t> lane_words(const std::string& body, const std::string& declarations = "") {
  return words_of("mul.wide.u32 %rd2, %r0, 8; add.u64 %rd2, %rd0, %rd2;\n" + body, 32, {}, declarations);
}

TEST(PtxFlow, RandomProgramsEndAsTheirThreadsDoAlone) {
  const std::uint64_t programs = 1500;
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; tried < programs; ++seed) {
    Random random(seed);
    const Program program = random_program(random);
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t thread = 0; thread < 32; ++thread)
      if (const std::optional<std::uint32_t> log = log_of(program, thread)) wanted.push_back(*log);
    if (wanted.size() < 32) continue;
    ++tried;
    const std::string text = text_of(program);
    PtxRun run(text);
    ASSERT_EQ(run.failure(), "") << text;
    ASSERT_EQ(run.read<std::uint32_t>(run.address_of("log"), 32), wanted) << "seed " << seed << "\n" << text;
  }
}

TEST(PtxFlow, DivergenceNestsThirtyFourDeep) {
  std::string body = "mov.u32 %r1, 0;\n";
  for (int level = 0; level < 34; ++level)
    body += fmt::format("setp.le.u32 %p1, %r0, {0}; @%p1 bra L{0}; add.u32 %r1, %r1, 1;\n", level);
  for (int level = 33; level >= 0; --level) body += fmt::format("add.u32 %r1, %r1, 100;\nL{}:\n", level);
  body +=
      "cvt.u64.u32 %rd3, %r1; activemask.b32 %r2; cvt.u64.u32 %rd4, %r2; shl.b64 %rd4, %rd4, 32; or.b64 "
      "%rd3, "
      "%rd3, %rd4; st.global.u64 [%rd2], %rd3;";
  const std::vector<std::uint64_t> words = lane_words(body);
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], 0xffffffff00000000 | (101 * std::min<std::uint64_t>(lane, 34))) << lane;
}

TEST(PtxFlow, LanesLeaveALoopOneByOneAndMeetBehindIt) {
  const std::vector<std::uint64_t> words = lane_words(
      "mov.u32 %r1, 0; mov.u32 %r3, 0;\nLOOP:\nactivemask.b32 %r2; popc.b32 %r2, %r2; add.u32 %r3, %r3, %r2; "
      "add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %r0; @%p1 bra LOOP;\nactivemask.b32 %r4; popc.b32 %r4, "
      "%r4; "
      "mad.lo.u32 %r3, %r4, 1000, %r3; cvt.u64.u32 %rd3, %r3; st.global.u64 [%rd2], %rd3;");
  std::uint64_t sum = 0;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    sum += 32 - lane;
    EXPECT_EQ(words[lane], 32000 + sum) << lane;
  }
}

TEST(PtxFlow, AGuardedExitInDivergentCodeEndsThoseLanesAlone) {
  const std::vector<std::uint64_t> words = lane_words(
      "mov.u64 %rd3, 1; st.global.u64 [%rd2], %rd3; setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW;\nsetp.gt.u32 "
      "%p2, %r0, "
      "23; @%p2 exit;\nmov.u64 %rd3, 2; bra MEET;\nLOW:\nsetp.eq.u32 %p2, %r0, 3; @%p2 ret;\nmov.u64 %rd3, "
      "3;\nMEET:\nactivemask.b32 %r1; cvt.u64.u32 %rd4, %r1; shl.b64 %rd4, %rd4, 8; or.b64 %rd3, %rd3, %rd4; "
      "st.global.u64 [%rd2], %rd3;");
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t met = 0x00fffff7ULL << 8U;
    EXPECT_EQ(words[lane], lane > 23 || lane == 3 ? 1 : met | (lane < 16 ? 3 : 2)) << lane;
  }
}

const char* const kFactorial = R"(
.func (.param .b64 back) factorial (.param .b64 n) {
  .reg .b64 %rd<8>; .reg .pred %p<2>; .local .align 8 .b64 kept[3];
  ld.param.u64 %rd1, [n];
  setp.gt.u64 %p1, %rd1, 1;
  @%p1 bra MORE;
  st.param.b64 [back], 1;
  ret;
MORE:
  st.local.u64 [kept+8], %rd1;
  sub.u64 %rd2, %rd1, 1;
  call (%rd3), factorial, (%rd2);
  ld.local.u64 %rd4, [kept+8];
  mul.lo.u64 %rd3, %rd3, %rd4;
  st.param.b64 [back], %rd3;
  ret;
})";

TEST(PtxFlow, RecursionKeepsLocalMemoryApartByCallAndLane) {
  const std::vector<std::uint64_t> words = lane_words(
      "and.b32 %r1, %r0, 15; cvt.u64.u32 %rd3, %r1; call (%rd4), factorial, (%rd3); st.global.u64 [%rd2], "
      "%rd4;",
      kFactorial);
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    std::uint64_t wanted = 1;
    for (std::uint64_t i = 2; i <= lane % 16; ++i) wanted *= i;
    EXPECT_EQ(words[lane], wanted) << lane;
  }
}

TEST(PtxFlow, RecursionWithoutEndOverflowsTheStack) {
  PtxRun run(kernel_text("mov.u64 %rd3, 1000000; call (%rd4), factorial, (%rd3);", kFactorial));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_EQ(
      run.failure(),
      "t.ptx:15: stack overflow: 2049 calls deep, 65560 bytes of local memory (kernel k, block (0, 0, 0), "
      "thread (0, 0, 0), pc 0x38, in factorial)");
}

TEST(PtxFlow, RecursionWithoutLocalMemoryOverflowsTheStackToo) {
  PtxRun run(kernel_text("call f;", ".func f { call f; ret; }"));
  run.pass(std::uint64_t{0});
  run.pass(std::uint64_t{0});
  EXPECT_EQ(run.failure(),
            "t.ptx:4: stack overflow: 4096 calls deep, 0 bytes of local memory (kernel k, block (0, 0, "
            "0), thread (0, 0, 0), pc 0x0, in f)");
}

TEST(PtxFlow, AFunctionMayEndSomeOfItsThreads) {
  const std::vector<std::uint64_t> words = lane_words(
      "setp.lt.u32 %p1, %r0, 20; @%p1 call ends, (%r0);\nadd.u32 %r1, %r0, 1; cvt.u64.u32 %rd3, %r1; "
      "st.global.u64 "
      "[%rd2], %rd3;",
      ".func ends (.param .b32 lane) { .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.u32 %r1, [lane]; "
      "setp.gt.u32 %p1, "
      "%r1, 4; @!%p1 ret; exit; }");
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], lane > 4 && lane < 20 ? 0 : lane + 1);
}

TEST(PtxFlow, ParametersOfEverySizeAndStructuresGoInAndComeBack) {
  const std::string declarations = R"(
.func (.param .align 8 .b8 back[24]) pass (.param .b8 a, .param .b16 b, .param .b32 c, .param .b64 d, .param .align 16 .b8 e[32], .param .f32 f, .param .f64 g) {
  .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<2>; .reg .f64 %d<2>;
  ld.param.s8 %r1, [a]; ld.param.u16 %h1, [b]; ld.param.u32 %r2, [c]; ld.param.u64 %rd1, [d];
  ld.param.v2.u64 {%rd2, %rd3}, [e+16]; ld.param.f32 %f1, [f]; ld.param.f64 %d1, [g];
  cvt.u32.u16 %r3, %h1; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd4, %r1; add.u64 %rd4, %rd4, %rd1;
  cvt.rzi.u64.f32 %rd5, %f1; add.u64 %rd4, %rd4, %rd5; cvt.rzi.u64.f64 %rd5, %d1; add.u64 %rd4, %rd4, %rd5;
  st.param.u64 [back], %rd4; st.param.u64 [back+8], %rd2; st.param.u64 [back+16], %rd3; ret;
})";
  const std::string body = R"({
  .param .b8 p0; .param .b16 p1; .param .b32 p2; .param .b64 p3; .param .align 16 .b8 p4[32]; .param .f32 p5;
  .param .f64 p6; .param .align 8 .b8 q[24];
  st.param.b8 [p0], -3; st.param.b16 [p1], 50000; add.u32 %r1, %r0, 100000; st.param.b32 [p2], %r1;
  st.param.b64 [p3], 0x100000000; mul.wide.u32 %rd3, %r0, 3; st.param.v2.b64 [p4+16], {%rd3, 77};
  st.param.f32 [p5], 0f41200000; st.param.f64 [p6], 0d4059000000000000;
  call (q), pass, (p0, p1, p2, p3, p4, p5, p6);
  ld.param.b64 %rd4, [q]; ld.param.b64 %rd5, [q+8]; ld.param.b64 %rd6, [q+16]; add.u64 %rd4, %rd4, %rd5;
  add.u64 %rd4, %rd4, %rd6; st.global.u64 [%rd2], %rd4; })";
  const std::vector<std::uint64_t> words = lane_words(body, declarations);
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], 0x100000000 + lane + 100000 + 50000 - 3 + 10 + 100 + 3 * lane + 77) << lane;
}

TEST(PtxFlow, ANarrowResultFillsItsRegisterWithZeros) {
  const std::vector<std::uint64_t> words = lane_words(
      "mov.u32 %r1, 0xffffffff; mov.b32 {%h1, %h2}, %r1; call (%h1), half, (); mov.b32 %r1, {%h1, 0}; "
      "cvt.u64.u32 "
      "%rd3, %r1; st.global.u64 [%rd2], %rd3;",
      ".func (.param .b16 back) half () { st.param.b16 [back], 0x8001; ret; }");
  EXPECT_EQ(words[31], 0x8001u);
}

TEST(PtxFlow, ACalleesLocalMemoryIsAlignedWhateverItsCallersHold) {
  const std::vector<std::uint64_t> words = lane_words(
      ".local .align 8 .b8 odd[8]; st.local.u64 [odd], 9; call (%rd3), vector, (%r0); ld.local.u64 %rd4, "
      "[odd]; "
      "add.u64 %rd3, %rd3, %rd4; st.global.u64 [%rd2], %rd3;",
      ".func (.param .b64 back) vector (.param .b32 n) { .reg .b32 %r<6>; .reg .b64 %rd<2>; .local .align 16 "
      ".b8 "
      "v[16]; ld.param.u32 %r1, [n]; st.local.v4.u32 [v], {%r1, %r1, %r1, %r1}; ld.local.v4.u32 {%r2, %r3, "
      "%r4, %r5}, "
      "[v]; add.u32 %r2, %r2, %r5; cvt.u64.u32 %rd1, %r2; st.param.u64 [back], %rd1; ret; }");
  for (std::uint64_t lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], 9 + 2 * lane);
}

}  // namespace
}  // namespace heddle::ptx
