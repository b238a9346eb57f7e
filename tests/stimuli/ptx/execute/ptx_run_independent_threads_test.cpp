// Lanes that wait for what other lanes of their warp do, as they may since Volta.

#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {
namespace {

// Returns the text of a kernel for GPUs before Volta.
std::string older_text(const std::string& body) {
  std::string text = kernel_text(body, ".shared .align 4 .b32 s[64];");
  text.replace(text.find("sm_75"), 5, "sm_60");
  return text;
}

// Executes the body with 64 words of zeros at %rd0, on a machine whose threads are independent, and returns
// them.
std::vector<std::uint32_t> words_after(const std::string& body, std::uint32_t threads = 32,
                                       CodeSchedule schedule = CodeSchedule::kNone) {
  PtxRun run(older_text(body));
  run.block.x = threads;
  run.options.independent_threads = true;
  run.options.form.schedule = schedule;
  const Address words = run.buffer(std::vector<std::uint32_t>(64));
  run.pass(std::uint64_t{0});
  EXPECT_EQ(run.failure(), "");
  return run.read<std::uint32_t>(words, 64);
}

// The first word is the lock, and the second one counts the lanes that held it.
constexpr const char* kLock =
    "LOCK: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;";
constexpr const char* kCountAndUnlock =
    "ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd0+4], %r2;"
    "membar.gl; atom.global.exch.b32 %r1, [%rd0], 0;";
// Each lane writes the count at its own word.
constexpr const char* kWriteCount =
    "ld.volatile.global.u32 %r2, [%rd0+4]; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd4, %rd4, %rd0;"
    "st.global.u32 [%rd4+128], %r2;";

TEST(PtxIndependentThreads, EachLaneGetsTheLockThatTheOthersSpinFor) {
  for (const CodeSchedule schedule :
       {CodeSchedule::kNone, CodeSchedule::kPtxasLike, CodeSchedule::kPtxasLike90})
    for (const std::uint32_t threads : {1U, 32U, 50U, 256U})
      EXPECT_EQ(words_after(std::string(kLock) + kCountAndUnlock, threads, schedule)[1], threads);
}

TEST(PtxIndependentThreads, ALoopMayLeaveBeforeItSpinsAgain) {
  const std::string lock =
      "LOCK: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra HELD; bra LOCK;\nHELD:";
  EXPECT_EQ(words_after(lock + kCountAndUnlock)[1], 32u);
}

TEST(PtxIndependentThreads, TwoLocksAreTakenOneAfterTheOther) {
  const std::string second =
      "SECOND: atom.global.cas.b32 %r3, [%rd0+8], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SECOND;";
  EXPECT_EQ(words_after(kLock + second + "atom.global.exch.b32 %r1, [%rd0+8], 0;" + kCountAndUnlock)[1], 32u);
}

// The lanes below 16 fall through and spin first.
TEST(PtxIndependentThreads, APathWaitsForThePathBesideIt) {
  const std::string body =
      "mov.u32 %r5, s; setp.ge.u32 %p1, %r0, 16; @%p1 bra SETS;\n"
      "and.b32 %r3, %r0, 0; add.u32 %r5, %r5, %r3;\n"  // an address that may differ between lanes
      "SPIN: ld.volatile.shared.u32 %r1, [%r5]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "st.global.u32 [%rd0], %r1; bra END;\n"
      "SETS: mov.u32 %r2, 7; st.volatile.shared.u32 [s], %r2;\nEND: st.global.u32 [%rd0+4], %r0;";
  EXPECT_EQ(words_after(body)[0], 7u);
}

// Nobody passes the barrier before the last lane has counted.
TEST(PtxIndependentThreads, ABarrierOfTheBlockWaitsForTheLanesThatSpin) {
  for (const std::uint32_t threads : {32U, 64U}) {
    const std::vector<std::uint32_t> words = words_after(
        std::string(kLock) + kCountAndUnlock + "bar.sync 0;" + "and.b32 %r0, %r0, 31;" + kWriteCount,
        threads);
    EXPECT_EQ(std::vector<std::uint32_t>(words.begin() + 32, words.end()),
              std::vector<std::uint32_t>(32, threads));
  }
}

TEST(PtxIndependentThreads, AShuffleWaitsForTheLanesThatItNames) {
  const std::vector<std::uint32_t> words =
      words_after(std::string(kLock) + kCountAndUnlock +
                  "shfl.sync.idx.b32 %r3, %r0, 31, 31, -1; vote.sync.ballot.b32 %r4, 1, -1;"
                  "st.global.u32 [%rd0+8], %r3; st.global.u32 [%rd0+12], %r4;" +
                  kWriteCount);
  EXPECT_EQ(words[2], 31u);
  EXPECT_EQ(words[3], 0xffffffffu);
  EXPECT_EQ(std::vector<std::uint32_t>(words.begin() + 32, words.end()), std::vector<std::uint32_t>(32, 32));
}

// Each half of the warp writes, waits for the other half at the barrier of the warp, and reads what it wrote.
TEST(PtxIndependentThreads, ABarrierOfTheWarpStandsInBothPaths) {
  const std::string body =
      "setp.ge.u32 %p1, %r0, 16; @%p1 bra UPPER;\n"
      "mov.u32 %r1, 3; st.volatile.shared.u32 [s], %r1; bar.warp.sync -1; ld.volatile.shared.u32 %r2, [s+4];"
      "st.global.u32 [%rd0], %r2; bar.warp.sync -1; bra END;\n"
      "UPPER: mov.u32 %r1, 5; st.volatile.shared.u32 [s+4], %r1; bar.warp.sync -1;"
      "ld.volatile.shared.u32 %r2, [s]; st.global.u32 [%rd0+4], %r2; bar.warp.sync -1;\n"
      "END: activemask.b32 %r3; st.global.u32 [%rd0+8], %r3;";
  const std::vector<std::uint32_t> words = words_after(body);
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 3u);
  EXPECT_EQ(words[2], 0xffffffffu);  // they have reconverged
}

// Lanes that wait at a barrier of some lanes do not wait for the others.
TEST(PtxIndependentThreads, ABarrierOfSomeLanesWaitsForTheseAlone) {
  const std::string body =
      "setp.ge.u32 %p1, %r0, 16; @%p1 bra UPPER;\nbar.warp.sync 0xffff; st.volatile.shared.u32 [s], %r0;"
      "bra END;\nUPPER: ld.volatile.shared.u32 %r2, [s]; st.global.u32 [%rd0], %r2;\nEND:";
  EXPECT_EQ(words_after(body)[0], 15u);
}

// The code is for such a GPU, although the machine is an older one.
TEST(PtxIndependentThreads, CodeForVoltaHasThemOnAnyMachine) {
  PtxRun run(kernel_text(std::string(kLock) + kCountAndUnlock));
  const Address words = run.buffer(std::vector<std::uint32_t>(64));
  run.pass(std::uint64_t{0});
  EXPECT_EQ(run.failure(), "");
  EXPECT_EQ(run.read<std::uint32_t>(words, 2)[1], 32u);
}

}  // namespace
}  // namespace heddle::ptx
