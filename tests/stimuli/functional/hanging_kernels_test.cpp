// Kernels that never end are told, with the places of their warps, and no others are.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stimuli/functional/hang_watch.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle {
namespace {

using ptx::kernel_text;
using ptx::PtxRun;
using testing::AllOf;
using testing::HasSubstr;

// Executes the body with a buffer of 1024 words at %rd0, on a GPU before Volta, and returns the message of
// the failure; empty: it ends.
std::string failure_of(const std::string& body, std::uint32_t blocks = 1, std::uint32_t threads = 32,
                       FunctionalOrder order = FunctionalOrder::kBlocks, const std::string& behind = "") {
  std::string text = kernel_text(body, ".shared .align 4 .b32 s[64];") + behind;
  text.replace(text.find("sm_75"), 5, "sm_60");
  PtxRun run(text);
  run.grid.x = blocks;
  run.block.x = threads;
  run.buffer(std::vector<std::uint32_t>(1024));
  run.pass(std::uint64_t{0});
  const ptx::Launch launch = run.launch();
  try {
    run_functionally(*ptx::make_program(launch, run.memory()), blocks, ptx::shape_of(launch),
                     {order, {}, {}});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kSpin =
    "\nSPIN: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;";

TEST(HangingKernels, AWarpThatWaitsForMemoryIsToldWithItsPlace) {
  for (const FunctionalOrder order : {FunctionalOrder::kBlocks, FunctionalOrder::kInterleaved})
    EXPECT_THAT(failure_of(kSpin, 1, 32, order),
                AllOf(HasSubstr("the kernel never ends"), HasSubstr("block (0, 0, 0), warp 0: t.ptx:"),
                      HasSubstr(", pc 0x"), HasSubstr("lanes ffffffff, in a loop that changes nothing")));
}

// The lock of one lane is released behind the loop in which the others wait for it.
TEST(HangingKernels, LanesOfAWarpThatWaitForEachOtherAreTold) {
  const std::string lock =
      "LOCK: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;"
      "atom.global.exch.b32 %r1, [%rd0], 0;";
  EXPECT_THAT(failure_of(lock), HasSubstr("lanes fffffffe, in a loop that changes nothing; 1 lanes wait for "
                                          "these to reconverge"));
}

// More blocks than are executed side by side, each of which writes before it waits.
TEST(HangingKernels, AreToldOfManyBlocks) {
  const std::string body = std::string(
                               "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, "
                               "%rd4, %rd0; st.global.u32 [%rd4+4], %r1;") +
                           kSpin;
  EXPECT_THAT(failure_of(body, 700), AllOf(HasSubstr("the kernel never ends"), HasSubstr("warps elsewhere")));
}

TEST(HangingKernels, WarpsThatWaitAtABarrierForOneThatSpinsAreTold) {
  const std::string body =
      std::string("setp.ge.u32 %p1, %r0, 32; @%p1 bra WAIT;") + kSpin + "\nWAIT: bar.sync 3;";
  EXPECT_THAT(failure_of(body, 1, 96),
              AllOf(HasSubstr("warp 0: t.ptx:"), HasSubstr("warps 1 to 2: waits at barrier 3, t.ptx:")));
}

TEST(HangingKernels, ALoopOfManyInstructionsIsTold) {
  std::string body = "SPIN: ld.volatile.global.u32 %r2, [%rd0];\n";
  for (int i = 0; i < 700; ++i) body += "add.u32 %r3, %r2, 1;\n";
  body += "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;";
  EXPECT_THAT(failure_of(body), HasSubstr("the kernel never ends"));
}

TEST(HangingKernels, LongLoopsThatEndAreLeftAlone) {
  // The first loop changes a register and then one word. The others change shared and local memory back and
  // forth.
  EXPECT_EQ(failure_of("mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2500000;\n@%p1 bra L;"
                       "st.global.u32 [%rd0], %r1;"),
            "");
  EXPECT_EQ(failure_of("L: ld.shared.u32 %r1, [s]; xor.b32 %r2, %r1, 1; st.shared.u32 [s], %r2;"
                       "atom.global.add.u32 %r3, [%rd0], 1; setp.lt.u32 %p1, %r3, 900000;\n@%p1 bra L;",
                       1, 1),
            "");
}

// The second block lets the first one go on after the watch has begun.
TEST(HangingKernels, ABlockThatWaitsForASlowOneIsLeftAlone) {
  const std::string body = std::string(
                               "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra SPIN;"
                               "mov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, "
                               "2500000;\n@%p1 bra L; st.global.u32 [%rd0], %r1; ret;") +
                           kSpin;
  EXPECT_EQ(failure_of(body, 2), "");
}

TEST(HangingKernels, ALoopThatReadsTheClockIsNoProof) {
  EXPECT_EQ(failure_of("mov.u64 %rd2, %clock64;\nL: mov.u64 %rd3, %clock64; sub.u64 %rd3, %rd3, %rd2;"
                       "setp.lt.u64 %p1, %rd3, 6000000;\n@%p1 bra L;"),
            "");
}

TEST(HangingKernels, ADeadlockSaysWhichWarpsWaitAtWhichBarrier) {
  EXPECT_THAT(
      failure_of(
          "shr.u32 %r1, %r0, 5; setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nbar.sync 1;\nret;\nA: bar.sync 2;", 1,
          96),
      AllOf(HasSubstr("deadlock: the warps of block 0"),
            HasSubstr("\n  block (0, 0, 0), warp 0: waits at barrier 2, t.ptx:"),
            HasSubstr("\n  block (0, 0, 0), warps 1 to 2: waits at barrier 1, t.ptx:")));
}

TEST(HangingKernels, AreToldWithTheLineOfTheSource) {
  const std::string body =
      ".loc 1 12 0\nSPIN: ld.volatile.global.u32 %r2, [%rd0];\n.loc 1 13 0\n"
      "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;";
  EXPECT_THAT(failure_of(body, 1, 32, FunctionalOrder::kBlocks, "\n.file 1 \"wait.cu\"\n"),
              HasSubstr(" (wait.cu:1"));
}

// ---- barriers in divergent code

ptx::DivergentBarriers barriers_of(const std::string& body, std::uint32_t threads) {
  PtxRun run(kernel_text(body));
  run.block.x = threads;
  run.buffer(std::vector<std::uint32_t>(64));
  run.pass(std::uint64_t{0});
  ptx::Launch launch = run.launch();
  ptx::DivergentBarriers found;
  launch.divergent_barriers = &found;
  run_functionally(*ptx::make_program(launch, run.memory()), 1, ptx::shape_of(launch));
  return found;
}

TEST(DivergentBarriers, AreToldWithTheFirst) {
  const ptx::DivergentBarriers found =
      barriers_of("setp.lt.u32 %p1, %r0, 40;\n@!%p1 bra E;\nbar.sync 5;\nE: st.global.u32 [%rd0], %r0;", 64);
  EXPECT_EQ(found.count, 1u);
  EXPECT_THAT(found.first,
              HasSubstr("barrier 5 is reached by 8 of 32 lanes of a warp (kernel k, block (0, 0, 0), "
                        "thread (32, 0, 0)"));
  EXPECT_THAT(ptx::describe(found), HasSubstr("1 arrival at a barrier in divergent code, the first: t.ptx:"));
}

TEST(DivergentBarriers, OfLanesThatHaveEndedAndOfWholeWarpsAreNone) {
  EXPECT_EQ(barriers_of("setp.ge.u32 %p1, %r0, 40;\n@%p1 ret;\nbar.sync 0;", 64).count, 0u);
  EXPECT_EQ(barriers_of("setp.lt.u32 %p1, %r0, 32;\n@%p1 bra E;\nbar.sync 0, 32;\nE: bar.sync 1;", 64).count,
            0u);
  EXPECT_EQ(barriers_of("bar.sync 0;", 40).count, 0u);
}

// ---- the watch

struct ScriptedProgram final : KernelProgram {
  BlockStream& start(BlockId) override { throw std::logic_error("not called"); }
  void finish(BlockStream&) override {}
  void watch(bool is_watched) override { watches += is_watched ? 1 : 0; }
  std::uint64_t changes() const override { return change; }
  bool is_stuck() const override { return stuck; }
  int watches = 0;
  std::uint64_t change = 0;
  bool stuck = false;
};

TEST(HangWatch, BeginsWhereNoBlockHasEndedForLongAndEndsWithAChange) {
  ScriptedProgram program;
  HangWatch watch(program);
  watch.turn(3'900'000, false, 1);
  EXPECT_FALSE(watch.is_watching());
  watch.turn(4'100'000, true, 1);
  watch.turn(8'000'000, false, 1);
  EXPECT_FALSE(watch.is_watching());
  watch.turn(8'200'000, false, 1);
  EXPECT_TRUE(watch.is_watching());
  ++program.change;
  EXPECT_EQ(watch.turn(8'201'000, false, 1), HangWatch::Verdict::kNone);
  EXPECT_FALSE(watch.is_watching());
  EXPECT_EQ(program.watches, 1);
}

TEST(HangWatch, SuspectsOnceAfterLongWithoutAChange) {
  ScriptedProgram program;
  HangWatch watch(program);
  int suspected = 0;
  for (std::uint64_t at = 0; at < 1'000'000'000; at += 4096)
    suspected += watch.turn(at, false, 1) == HangWatch::Verdict::kSuspected ? 1 : 0;
  EXPECT_EQ(suspected, 1);
  EXPECT_GT(program.watches, 4);
  EXPECT_LT(program.watches, 12);
}

}  // namespace
}  // namespace heddle
