// What warps of a block agree on beside bar: registers that they pass on by setmaxnreg, and the barrier, the
// addresses and the special registers of a cluster of one block.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ptx/ptx_run.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;

// A kernel of at most 64 threads with 128 registers each, which setmaxnreg shares out.
std::string with_registers(const std::string& body) {
  std::string text = kernel_text(body);
  text.insert(text.find('{', text.find(".entry")), ".maxntid 64 .maxnreg 128 ");
  return text;
}

std::string failure_of(const std::string& text, std::uint32_t threads = 64) {
  PtxRun run(text);
  run.block.x = threads;
  run.buffer(std::vector<std::uint32_t>(64), "out");
  run.pass(std::uint64_t{0});
  return run.failure();
}

TEST(PtxSetmaxnreg, AWarpWaitsForTheRegistersThatAnotherOneReleases) {
  // Warp 0 asks first. Warp 1 stores before it releases its registers, so warp 0 reads what it stored.
  PtxRun run(
      with_registers("setp.ge.u32 %p0, %r0, 32; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2;\n"
                     "@%p0 bra other;\n"
                     "setmaxnreg.inc.sync.aligned.u32 232;\n"
                     "ld.global.u32 %r5, [%rd0+128]; st.global.u32 [%rd3], %r5; ret;\n"
                     "other: mov.u32 %r6, 77; st.global.u32 [%rd3], %r6;\n"
                     "setmaxnreg.dec.sync.aligned.u32 24; ret;"));
  run.block.x = 64;
  const Address out = run.buffer(std::vector<std::uint32_t>(64), "out");
  run.pass(std::uint64_t{0});
  EXPECT_EQ(shape_of(run.launch()).registers_per_thread, 128U);
  run.execute();
  EXPECT_EQ(run.read<std::uint32_t>(out, 1)[0], 77U);
}

TEST(PtxSetmaxnreg, AnIncreaseThatNobodyMakesRoomForNeverEnds) {
  EXPECT_THAT(failure_of(with_registers("setmaxnreg.inc.sync.aligned.u32 136;")),
              HasSubstr("registers of other warps"));
}

TEST(PtxSetmaxnreg, ANumberOutOfItsRangeIsAFault) {
  EXPECT_THAT(failure_of(with_registers("setmaxnreg.dec.sync.aligned.u32 20;")), HasSubstr("from 24 to 256"));
  EXPECT_THAT(failure_of(with_registers("setmaxnreg.dec.sync.aligned.u32 30;")), HasSubstr("multiples of 8"));
  EXPECT_THAT(failure_of(with_registers("setmaxnreg.dec.sync.aligned.u32 136;")),
              HasSubstr("setmaxnreg.dec to 136 registers of a thread that has 128"));
  EXPECT_THAT(failure_of(with_registers("setmaxnreg.inc.sync.aligned.u32 64;")), HasSubstr("setmaxnreg.inc"));
}

TEST(PtxSetmaxnreg, ThreadsShareTheRegistersOfAnSmWhereOnlyTheirNumberIsKnown) {
  const auto registers = [](const std::string& limits) {
    std::string text = kernel_text("setmaxnreg.dec.sync.aligned.u32 24;");
    text.insert(text.find('{', text.find(".entry")), limits);
    PtxRun run(text);
    run.pass(std::uint64_t{0});
    run.pass(std::uint64_t{0});
    return shape_of(run.launch()).registers_per_thread;
  };
  EXPECT_EQ(registers(".maxntid 384 .minnctapersm 1 "), 168U);
  EXPECT_EQ(registers(".reqntid 384 "), 168U);
  EXPECT_EQ(registers(".maxntid 128 .minnctapersm 4 "), 128U);
  EXPECT_EQ(registers(".maxntid 128 "), 255U);
  EXPECT_LT(registers(""), 24U);  // the estimate: setmaxnreg has no effect
}

TEST(PtxClusters, TheBarrierOfAClusterHoldsUntilAllThreadsHaveArrivedOrEnded) {
  // Warp 2 ends without an arrival. Warp 0 arrives, and waits until warp 1 has stored and arrived.
  PtxRun run(
      kernel_text("mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2; shr.u32 %r4, %r0, 5;\n"
                  "setp.eq.u32 %p2, %r4, 2; @%p2 ret;\n"
                  "setp.eq.u32 %p0, %r4, 0;\n"
                  "@%p0 barrier.cluster.arrive.release.aligned;\n"
                  "@%p0 barrier.cluster.wait.acquire.aligned;\n"
                  "@%p0 ld.global.u32 %r5, [%rd3+128]; @%p0 st.global.u32 [%rd3], %r5; @%p0 ret;\n"
                  "add.u32 %r6, %r0, 1000; st.global.u32 [%rd3], %r6;\n"
                  "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"));
  run.block.x = 96;
  const Address out = run.buffer(std::vector<std::uint32_t>(96), "out");
  run.pass(std::uint64_t{0});
  run.execute();
  const auto words = run.read<std::uint32_t>(out, 96);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words[i], 1032 + i);
}

TEST(PtxClusters, AWaitForThreadsThatNeverArriveIsTold) {
  EXPECT_THAT(failure_of(kernel_text("setp.ge.u32 %p0, %r0, 32; @%p0 bra last;\n"
                                     "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
                                     "last: bar.sync 1, 64;")),
              HasSubstr("waits for all threads of the cluster"));
}

TEST(PtxClusters, ABlockIsTheOnlyOneOfItsCluster) {
  const auto words = words_of(
      "mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank; mov.u32 %r6, %clusterid.x;\n"
      "mov.u32 %r7, %nclusterid.y; mov.u32 %r8, %cluster_ctaid.z; mov.u32 %r9, %cluster_nctaid.x;\n"
      "add.u32 %r10, %r4, %r6; add.u32 %r10, %r10, %r8; cvt.u64.u32 %rd2, %r10; st.global.u64 [%rd0], %rd2;\n"
      "add.u32 %r10, %r5, %r7; add.u32 %r10, %r10, %r9; cvt.u64.u32 %rd2, %r10; st.global.u64 [%rd0+8], "
      "%rd2;\n"
      "mov.u32 %r11, 5; st.shared.u32 [s], %r11; mapa.shared::cluster.u32 %r12, s, 0;\n"
      "ld.shared::cluster.u32 %r13, [%r12]; getctarank.shared::cluster.u32 %r14, %r12;\n"
      "cvt.u64.u32 %rd2, %r13; st.global.u64 [%rd0+16], %rd2; cvt.u64.u32 %rd2, %r14;\n"
      "st.global.u64 [%rd0+24], %rd2; mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4;\n"
      "mapa.u64 %rd5, %rd4, %r4; ld.u32 %r13, [%rd5]; cvt.u64.u32 %rd2, %r13; st.global.u64 [%rd0+32], %rd2;",
      5, {}, ".shared .align 4 .b32 s;");
  EXPECT_EQ(words, (std::vector<std::uint64_t>{0, 3, 5, 0, 5}));
}

}  // namespace
}  // namespace heddle::ptx
