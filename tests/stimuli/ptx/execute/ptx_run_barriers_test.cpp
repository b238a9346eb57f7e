// Barriers within a block, and blocks that wait for each other.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

const char* const kShared = ".shared .align 4 .b32 s[1024];";

PtxRun block_of(std::uint32_t threads, const std::string& body, const std::string& declarations = kShared) {
  PtxRun run(
      kernel_text("mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2; mov.u64 %rd4, s; add.u64 %rd4, %rd4, "
                  "%rd2; shr.u32 %r9, %r0, 5;\n" +
                      body,
                  declarations));
  run.block.x = threads;
  run.buffer(std::vector<std::uint32_t>(1024), "out");
  run.pass(std::uint64_t{0});
  return run;
}

std::vector<std::uint32_t> results(PtxRun& run) {
  run.execute();
  Address out = 0;
  std::memcpy(&out, run.launch().parameters.data(), sizeof(out));
  return run.read<std::uint32_t>(out, 1024);
}

// Expects that each thread reads the value that the opposite thread wrote before the barrier.
void expect_waits(const std::string& barrier) {
  PtxRun run =
      block_of(1024, "st.shared.u32 [%rd4], %r0;\n" + barrier +
                         "\nxor.b32 %r1, %r0, 1023; mul.wide.u32 %rd5, %r1, 4; mov.u64 %rd6, s; add.u64 "
                         "%rd5, %rd5, %rd6; ld.shared.u32 %r2, [%rd5]; st.global.u32 [%rd3], %r2;");
  const std::vector<std::uint32_t> words = results(run);
  for (std::uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(words[i], i ^ 1023U) << barrier;
}

TEST(PtxBarriers, EverySpellingOfSyncWaitsForTheBlock) {
  for (const char* mnemonic : {"bar", "barrier"})
    for (const Spelling& spelling : spellings_of(mnemonic)) {
      if (spelling.fields.opcode != Opcode::kBarSync) continue;
      expect_waits(spelling.text + " 0;");
      expect_waits(spelling.text + " 15, 1024;");
      expect_waits("mov.u32 %r5, 7; mov.u32 %r6, 1024; " + spelling.text + " %r5, %r6;");
    }
}

TEST(PtxBarriers, EverySpellingOfArriveLetsWaitersGoAndGoesOnItself) {
  for (const char* mnemonic : {"bar", "barrier"})
    for (const Spelling& spelling : spellings_of(mnemonic)) {
      if (spelling.fields.opcode != Opcode::kBarArrive) continue;
      // Warps 1 and 2 write and arrive without waiting. Warp 0 waits and reads.
      PtxRun run =
          block_of(96, "setp.eq.u32 %p1, %r9, 0; @%p1 bra WAIT; st.shared.u32 [%rd4], %r0; " + spelling.text +
                           " 3, 96; ret;\nWAIT: bar.sync 3, 96; ld.shared.u32 %r1, [%rd4+128]; ld.shared.u32 "
                           "%r2, [%rd4+256]; mad.lo.u32 %r1, %r1, 100, %r2; st.global.u32 [%rd3], %r1;");
      const std::vector<std::uint32_t> words = results(run);
      for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(words[i], 100 * (i + 32) + i + 64) << spelling.text;
    }
}

TEST(PtxBarriers, EverySpellingOfRedReducesOverThreadsThatTakePart) {
  for (const char* mnemonic : {"bar", "barrier"})
    for (const Spelling& spelling : spellings_of(mnemonic)) {
      if (spelling.fields.opcode != Opcode::kBarRed) continue;
      const bool count = spelling.fields.variant == Variant::kPopc;
      for (const bool negated : {false, true})
        for (const std::uint32_t bound : {0U, 1U, 40U, 100U}) {
          // The block has 100 threads, 4 of them in warp 3. The predicate holds in threads below the bound.
          PtxRun run = block_of(
              100, fmt::format("setp.lt.u32 %p1, %r0, {}; {} {}, 2{}, {}%p1; {} st.global.u32 [%rd3], %r1;",
                               bound, spelling.text, count ? "%r1" : "%p2", bound == 1 ? ", 128" : "",
                               negated ? "!" : "", count ? "" : "selp.u32 %r1, 1, 0, %p2;"));
          const std::uint32_t holds = negated ? 100 - bound : bound;
          const std::uint32_t wanted = count                                      ? holds
                                       : spelling.fields.variant == Variant::kAnd ? holds == 100
                                                                                  : holds != 0;
          const std::vector<std::uint32_t> words = results(run);
          for (std::uint32_t i = 0; i < 100; ++i)
            ASSERT_EQ(words[i], wanted) << spelling.text << bound << negated;
        }
    }
}

TEST(PtxBarriers, WarpsThatHaveEndedAreNotWaitedForNorCounted) {
  PtxRun run =
      block_of(128,
               "setp.eq.u32 %p1, %r9, 2; @%p1 exit; setp.ne.u32 %p2, %r0, 5; bar.red.popc.u32 %r1, 0, "
               "%p2; st.global.u32 [%rd3], %r1;");
  const std::vector<std::uint32_t> words = results(run);
  EXPECT_EQ(words[0], 95u);
  EXPECT_EQ(words[70], 0u);
  EXPECT_EQ(words[127], 95u);
}

TEST(PtxBarriers, AWarpNoneOfWhoseLanesAreGuardedInDoesNotArrive) {
  PtxRun run = block_of(64, "setp.eq.u32 %p1, %r9, 0; @%p1 bar.sync 1, 32; st.global.u32 [%rd3], 1;");
  const std::vector<std::uint32_t> words = results(run);
  EXPECT_EQ(words[0] + words[63], 2u);
}

TEST(PtxBarriers, PartsOfAWarpArriveOneAfterTheOther) {
  PtxRun run =
      block_of(64,
               "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN; st.shared.u32 [%rd4], %r0; "
               "bar.sync 0; bra MEET;\nEVEN: st.shared.u32 [%rd4], %r0; bar.sync 0;\nMEET: xor.b32 %r1, "
               "%r0, 63; mul.wide.u32 %rd5, %r1, 4; mov.u64 %rd6, s; add.u64 %rd5, %rd5, %rd6; bar.sync 0; "
               "ld.shared.u32 %r2, [%rd5]; st.global.u32 [%rd3], %r2;");
  const std::vector<std::uint32_t> words = results(run);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], i ^ 63U);
}

std::string failure_of(std::uint32_t threads, const std::string& body) {
  return block_of(threads, body).failure();
}

TEST(PtxBarriers, WrongNumbersAreFaults) {
  const std::string end = " (kernel k, block (0, 0, 0), thread (32, 0, 0), pc 0x50)";
  const std::string start = "setp.eq.u32 %p1, %r9, 1; mov.u32 %r1, 16;\n@%p1 ";
  EXPECT_EQ(failure_of(64, start + "bar.sync %r1;"), "t.ptx:10: barrier 16 of 16" + end);
  const std::string rest = " threads; a block of 64 threads takes whole warps of its own" + end;
  EXPECT_EQ(failure_of(64, start + "bar.sync 0, 33;"), "t.ptx:10: a barrier for 33" + rest);
  EXPECT_EQ(failure_of(64, start + "bar.sync 0, 96;"), "t.ptx:10: a barrier for 96" + rest);
  EXPECT_EQ(failure_of(64, start + "bar.arrive 0, 0;"), "t.ptx:10: a barrier for 0" + rest);
}

TEST(PtxBarriers, ADeadlockIsReportedAtOnceHoweverManyBlocksFollow) {
  PtxRun run = block_of(64, "setp.eq.u32 %p1, %r9, 0; @%p1 bra A; bar.sync 1; ret;\nA: bar.sync 2;");
  run.grid.x = 2000000000;
  EXPECT_EQ(
      run.failure(),
      "deadlock: the warps of block 0 that have not ended wait at barriers that the others do not reach\n"
      "  block (0, 0, 0), warp 0: waits at barrier 2, t.ptx:10, pc 0x60\n"
      "  block (0, 0, 0), warp 1: waits at barrier 1, t.ptx:9, pc 0x50");
}

// All blocks increment a counter and wait for the last block.
const char* const kGridBarrier = R"(
setp.ne.u32 %p1, %r0, 0;
@%p1 bra INSIDE;
mov.u32 %r1, %nctaid.x;
atom.global.add.u32 %r2, [%rd0+4000], 1;
SPIN:
ld.volatile.global.u32 %r2, [%rd0+4000];
setp.lt.u32 %p2, %r2, %r1;
@%p2 bra SPIN;
INSIDE:
bar.sync 0;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd5, %r3, 4;
add.u64 %rd5, %rd0, %rd5;
@!%p1 st.global.u32 [%rd5], %r2;
)";

TEST(PtxGrids, BlocksThatWaitForEachOtherEnd) {
  PtxRun run = block_of(64, kGridBarrier);
  run.grid.x = 300;
  const std::vector<std::uint32_t> words = results(run);
  for (std::uint32_t i = 0; i < 300; ++i) EXPECT_EQ(words[i], 300u);
}

TEST(PtxGrids, ABlockMayWaitForAnEarlierOneThatWaitsForALaterOne) {
  PtxRun run =
      block_of(32,
               "mov.u32 %r1, %ctaid.x; xor.b32 %r2, %r1, 7; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, "
               "%rd0, %rd5; mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd0, %rd6; st.global.u32 [%rd5], "
               "1;\nSPIN: ld.volatile.global.u32 %r3, [%rd6]; setp.eq.u32 %p1, %r3, 0; @%p1 bra SPIN;");
  run.grid.x = 8;
  EXPECT_EQ(results(run)[7], 1u);
}

TEST(PtxGrids, BlocksThatEndAreNeverResidentTogetherAndReuseTheirStream) {
  PtxRun run = block_of(32, "atom.global.add.u32 %r1, [%rd0], 1;");
  run.grid.x = 20000;
  const Launch launch = run.launch();
  const std::unique_ptr<KernelProgram> program = make_program(launch, run.memory());
  struct Counting final : KernelProgram {
    explicit Counting(KernelProgram& counted) : inner(counted) {}
    BlockStream& start(BlockId block) override {
      most = std::max(most, ++now);
      return inner.start(block);
    }
    void finish(BlockStream& stream) override {
      --now;
      inner.finish(stream);
    }
    KernelProgram& inner;
    std::uint32_t now = 0;
    std::uint32_t most = 0;
  } counting(*program);
  const FunctionalCounts counts = run_functionally(counting, 20000, shape_of(launch));
  EXPECT_EQ(counting.most, 1u);
  EXPECT_EQ(counts.warp_instructions, 20000u * 10);
  EXPECT_EQ(counts.thread_instructions, 20000u * 320);
}

TEST(PtxGrids, TheSameLaunchGivesTheSameBytesAndCounts) {
  const auto once = [] {
    PtxRun run = block_of(64, std::string(kGridBarrier) +
                                  "atom.global.exch.b32 %r4, [%rd0+3996], %r3; mad.lo.u32 %r4, "
                                  "%r4, 31, %r0; atom.global.xor.b32 %r5, [%rd0+3992], %r4;");
    run.grid.x = 100;
    std::vector<std::uint32_t> words = results(run);
    words.push_back(static_cast<std::uint32_t>(run.counts().warp_instructions));
    return words;
  };
  EXPECT_EQ(once(), once());
}

// Every warp spins until the warp with the next higher number has written its word, and the last one writes
// first. The turns of a block must therefore reach all of its warps.
TEST(PtxBarriers, WarpsOfABlockThatSpinForEachOtherEnd) {
  PtxRun run =
      block_of(1024,
               "setp.eq.u32 %p1, %r9, 31; @%p1 bra WRITE;\n"
               "mul.wide.u32 %rd5, %r9, 4; add.u64 %rd5, %rd0, %rd5;\n"
               "SPIN: ld.volatile.global.u32 %r1, [%rd5+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
               "WRITE: mul.wide.u32 %rd5, %r9, 4; add.u64 %rd5, %rd0, %rd5; add.u32 %r2, %r9, 1;"
               "st.volatile.global.u32 [%rd5], %r2;");
  const std::vector<std::uint32_t> words = results(run);
  for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(words[i], i + 1);
}

}  // namespace
}  // namespace heddle::ptx
