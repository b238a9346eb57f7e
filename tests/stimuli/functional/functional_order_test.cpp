// The two orders in which a kernel is executed without a machine. Programs without a race have the same
// results in both.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/core/config/data_path.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle {
namespace {

using ptx::kernel_text;
using ptx::PtxRun;

// Executes the kernel with one buffer of 1024 words, and returns the words.
std::vector<std::uint32_t> words_of(const std::string& body, std::uint32_t blocks, std::uint32_t threads,
                                    FunctionalOrder order) {
  PtxRun run(kernel_text(body, ".shared .align 4 .b32 s[64];"));
  run.grid.x = blocks;
  run.block.x = threads;
  const Address buffer = run.buffer(std::vector<std::uint32_t>(1024));
  run.pass(std::uint64_t{0});
  const ptx::Launch launch = run.launch();
  run_functionally(*ptx::make_program(launch, run.memory()), blocks, ptx::shape_of(launch), {order, {}});
  return run.read<std::uint32_t>(buffer, 1024);
}

TEST(FunctionalOrder, ShowsThatBlocksWriteTheSameWord) {
  const std::string body = "mov.u32 %r1, %ctaid.x; st.global.u32 [%rd0], %r1;";
  EXPECT_EQ(words_of(body, 8, 32, FunctionalOrder::kBlocks)[0], 7u);
  EXPECT_EQ(words_of(body, 8, 32, FunctionalOrder::kInterleaved)[0], 0u);
}

// Each thread reads what the thread of the next warp has written to shared memory.
TEST(FunctionalOrder, ShowsThatABarrierIsMissing) {
  const auto body = [](const char* barrier) {
    return fmt::format(
        "mov.u64 %rd2, s; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd2, %rd2, %rd3; add.u32 %r1, %r0, 1;"
        "st.shared.u32 [%rd2], %r1; {} xor.b32 %r2, %r0, 32; mul.wide.u32 %rd4, %r2, 4; mov.u64 %rd5, s;"
        "add.u64 %rd5, %rd5, %rd4; ld.shared.u32 %r3, [%rd5]; add.u64 %rd6, %rd0, %rd3;"
        "st.global.u32 [%rd6], %r3;",
        barrier);
  };
  const auto words = [&](const char* barrier, FunctionalOrder order) {
    return words_of(body(barrier), 1, 64, order);
  };
  EXPECT_EQ(words("bar.sync 0;", FunctionalOrder::kBlocks),
            words("bar.sync 0;", FunctionalOrder::kInterleaved));
  EXPECT_NE(words("", FunctionalOrder::kBlocks), words("", FunctionalOrder::kInterleaved));
}

// More blocks than are interleaved wait for each other.
TEST(FunctionalOrder, BlocksThatWaitForLaterOnesEndWhenInterleaved) {
  const std::string body =
      "mov.u32 %r1, %nctaid.x; setp.ne.u32 %p1, %r0, 0; @%p1 bra INSIDE; atom.global.add.u32 %r2, [%rd0], "
      "1;\n"
      "SPIN: ld.volatile.global.u32 %r2, [%rd0]; setp.lt.u32 %p2, %r2, %r1; @%p2 bra SPIN;\n"
      "INSIDE: bar.sync 0; mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd0, %rd5;"
      "@!%p1 st.global.u32 [%rd5+4], %r2;";
  const std::vector<std::uint32_t> words = words_of(body, 100, 64, FunctionalOrder::kInterleaved);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(words[i + 1], 100u);
}

TEST(FunctionalOrder, ADeadlockIsToldWhenInterleaved) {
  EXPECT_THROW(
      words_of("shr.u32 %r1, %r0, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; bar.sync 1; ret;\nA: bar.sync 2;",
               1, 64, FunctionalOrder::kInterleaved),
      std::runtime_error);
}

// The launch files check their results.
TEST(FunctionalOrder, ProgramsWithoutARacePassTheirChecksInBoth) {
  for (const char* name :
       {"vector_add", "breadth_first_search", "histogram", "matrix_multiply_tiled", "n_queens"}) {
    const LaunchApplication launch = load_launch_application(find_data("stimuli/launches", name), {});
    const auto counts = [&](FunctionalOrder order) {
      std::uint64_t sum = 0;
      for (const FunctionalLaunch& one : FunctionalHost(launch.application.program, order).run())
        sum += one.counts.thread_instructions;
      return sum;
    };
    EXPECT_FALSE(launch.plan->check.none()) << name;
    EXPECT_EQ(counts(FunctionalOrder::kBlocks), counts(FunctionalOrder::kInterleaved)) << name;
  }
}

TEST(FunctionalRun, IsToldAfterEachTurnAndEndsWithAll) {
  for (const FunctionalOrder order : {FunctionalOrder::kBlocks, FunctionalOrder::kInterleaved}) {
    PtxRun run(kernel_text("st.global.u32 [%rd0], %r0;"));
    run.buffer(std::vector<std::uint32_t>(1));
    run.pass(std::uint64_t{0});
    const ptx::Launch launch = run.launch();
    std::vector<std::uint64_t> ended;
    FunctionalCounts last;
    const auto note = [&](const FunctionalCounts& counts, std::uint64_t blocks) {
      EXPECT_GE(counts.warp_instructions, last.warp_instructions);
      last = counts;
      ended.push_back(blocks);
    };
    const FunctionalCounts counts =
        run_functionally(*ptx::make_program(launch, run.memory()), 100, ptx::shape_of(launch), {order, note});
    EXPECT_TRUE(std::is_sorted(ended.begin(), ended.end()));
    EXPECT_EQ(ended.back(), 100u);
    EXPECT_EQ(counts.warp_instructions, last.warp_instructions);
  }
}

}  // namespace
}  // namespace heddle
