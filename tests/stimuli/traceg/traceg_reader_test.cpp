#include <gtest/gtest.h>

#include "models/core/base/random.h"
#include "tests/support/paths.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::issue_all;
using test::TemporaryFile;
using test::trace_block;
using test::trace_header;
using test::trace_of;
using test::trace_warp;

const std::string kTraces = heddle::test::source_directory() + "/stimuli/traces/";

// The instructions that the only warp of a trace issues. The program stays alive, because the instructions
// belong to it.
struct OneWarp {
  explicit OneWarp(const std::string& text, const TraceLimits& limits = {})
      : file(text), program(file.path(), limits), issued(issue_all(program.start(BlockId{0}), 0)) {}
  const Instruction& code(std::size_t i) const { return *issued[i].code; }

  TemporaryFile file;
  TraceProgram program;
  std::vector<IssuedInstruction> issued;
};

TEST(Trace, GivesEachInstructionWithItsRegistersAndMask) {
  const OneWarp warp(trace_of({"0010 0000ffff 1 R7 IMAD.WIDE 3 R4 R255 R6 0",
                               "0020 ffffffff 1 R255 FADD 1 R7 0", "0030 00000001 0 EXIT 0 0"}));
  ASSERT_EQ(warp.issued.size(), 3U);
  EXPECT_EQ(warp.code(0).pc, 0x10U);
  EXPECT_EQ(warp.code(0).operation, Operation::kIntMad);
  EXPECT_EQ(warp.issued[0].mask, 0xffffU);
  ASSERT_EQ(warp.code(0).destinations().size(), 1u);
  EXPECT_EQ(warp.code(0).destinations()[0], 7);
  ASSERT_EQ(warp.code(0).sources().size(), 2u);  // R255 is zero
  EXPECT_EQ(warp.code(0).sources()[0], 4);
  EXPECT_EQ(warp.code(0).sources()[1], 6);
  EXPECT_TRUE(warp.code(1).destinations().empty());
  EXPECT_EQ(warp.code(1).operation, Operation::kTraceSp);
  EXPECT_EQ(warp.code(2).operation, Operation::kExit);
  EXPECT_EQ(warp.issued[2].mask, 1U);
  EXPECT_EQ(warp.code(2).pc, 0x30U);
}

TEST(Trace, ALoopComesBackToTheSameInstruction) {
  const OneWarp warp(
      trace_of({"0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 BRA 0 0", "0000 0000000f 1 R1 MOV 0 0",
                "0010 0000000f 0 BRA 0 0", "0020 ffffffff 0 EXIT 0 0"}));
  EXPECT_EQ(warp.issued[0].code, warp.issued[2].code);
  EXPECT_EQ(warp.issued[1].code, warp.issued[3].code);
  EXPECT_EQ(warp.issued[0].mask, 0xffffffffU);
  EXPECT_EQ(warp.issued[2].mask, 0xfU);
  EXPECT_FALSE(warp.issued[1].redirected);
}

TEST(Trace, TheSamePcWithAnotherTextIsAnotherInstruction) {
  const OneWarp warp(trace_of({"0000 ffffffff 1 R1 MOV 0 0", "0000 ffffffff 1 R2 MOV 0 0",
                               "0000 ffffffff 1 R1 MOV 0 0", "0010 ffffffff 0 EXIT 0 0"}));
  EXPECT_EQ(warp.issued[0].code, warp.issued[2].code);
  EXPECT_NE(warp.issued[0].code, warp.issued[1].code);
  EXPECT_EQ(warp.code(1).destinations()[0], 2);
}

TEST(TraceAddresses, ListGivesOneToEachLaneThatTakesPart) {
  const OneWarp warp(trace_of(
      {"0000 80000005 1 R1 LDG.E 1 R2 4 0 0x1000 2008 0x0000000000003f00", "0010 ffffffff 0 EXIT 0 0"}));
  EXPECT_EQ(warp.issued[0].mask, 0x80000005U);
  EXPECT_EQ(warp.issued[0].addresses[0], 0x1000U);
  EXPECT_EQ(warp.issued[0].addresses[2], 0x2008U);
  EXPECT_EQ(warp.issued[0].addresses[31], 0x3f00U);
}

TEST(TraceAddresses, ListMayRepeatTheStartOfTheAddressBefore) {
  const OneWarp warp(
      trace_of({"0000 0000003f 1 R1 LDG.E 1 R2 4 0 0x00007f2000000100 0x00007f20000001fC 0x00007f2000000200 "
                "0x7f2000000204 0x00007f20000002 0x00007f2000000208",
                "0010 ffffffff 0 EXIT 0 0"}));
  const std::array<Address, 6> expected{0x7f2000000100, 0x7f20000001fc, 0x7f2000000200,
                                        0x7f2000000204, 0x7f20000002,   0x7f2000000208};
  for (std::size_t lane = 0; lane < expected.size(); ++lane)
    EXPECT_EQ(warp.issued[0].addresses[lane], expected[lane]) << lane;
}

TEST(TraceAddresses, StrideStartsAtTheFirstLaneThatTakesPart) {
  const OneWarp warp(trace_of({"0000 0000fff0 1 R1 LDG.E 1 R2 4 1 0x7fc841500000 -8",
                               "0010 ffffffff 0 STG.E.64 2 R2 R3 8 1 1000 0", "0020 ffffffff 0 EXIT 0 0"}));
  for (std::uint32_t lane = 4; lane < 16; ++lane)
    EXPECT_EQ(warp.issued[0].addresses[lane], 0x7fc841500000U - 8 * (lane - 4));
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.issued[1].addresses[lane], 0x1000U);
  EXPECT_EQ(warp.code(1).operation, Operation::kStore);
  EXPECT_EQ(warp.code(1).bytes, 8);
}

TEST(TraceAddresses, DeltasLeadFromLaneToLane) {
  // The active lanes are 1, 6, 8, 13, 15, 20, 23, 29 and 30. Their addresses were computed by hand.
  const OneWarp warp(
      trace_of({"0000 6090a142 1 R1 LDG.E.U8 1 R2 1 2 0x7fc84152273c 1488 576 -2866 2843 -1699 294 -954 1434",
                "0010 ffffffff 0 EXIT 0 0"}));
  const std::uint64_t base = 0x7fc84152273c;
  const std::vector<std::pair<int, std::int64_t>> expected{
      {1, 0}, {6, 1488}, {8, 2064}, {13, -802}, {15, 2041}, {20, 342}, {23, 636}, {29, -318}, {30, 1116}};
  ASSERT_EQ(__builtin_popcount(warp.issued[0].mask), 9);
  for (const auto& [lane, distance] : expected)
    EXPECT_EQ(warp.issued[0].addresses[lane], base + static_cast<std::uint64_t>(distance)) << lane;
  EXPECT_EQ(warp.code(0).bytes, 1);
}

TEST(TraceAddresses, DeltasBeyond32BitsAreKept) {
  const OneWarp warp(trace_of(
      {"0000 00000007 1 R1 LDG.E 1 R2 4 2 0x1000 137438953472 -137438953468", "0010 ffffffff 0 EXIT 0 0"}));
  EXPECT_EQ(warp.issued[0].addresses[1], 0x1000U + (std::uint64_t{1} << 37U));
  EXPECT_EQ(warp.issued[0].addresses[2], 0x1004U);
}

TEST(TraceAddresses, AllModesSayTheSame) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const auto mask = static_cast<std::uint32_t>(random.next());
    if (mask == 0) continue;
    std::vector<std::uint64_t> addresses;
    for (int lane = 0; lane < __builtin_popcount(mask); ++lane)
      addresses.push_back(0x100000000 + 4 * random.below(1 << 20));
    std::string list = "0", deltas = fmt::format("2 {:#x}", addresses[0]);
    for (std::size_t k = 0; k < addresses.size(); ++k) {
      list += fmt::format(" {:#018x}", addresses[k]);
      if (k > 0) deltas += fmt::format(" {}", static_cast<std::int64_t>(addresses[k] - addresses[k - 1]));
    }
    const std::string start = fmt::format("0000 {:08x} 1 R1 LDG.E 1 R2 4 ", mask);
    const OneWarp warp(trace_of({start + list, start + deltas, "0010 ffffffff 0 EXIT 0 0"}));
    std::size_t next = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1U) == 0) continue;
      EXPECT_EQ(warp.issued[0].addresses[lane], addresses[next]);
      EXPECT_EQ(warp.issued[1].addresses[lane], addresses[next++]);
    }
  }
}

TEST(TraceAddresses, NoLaneTakesPartWithoutAddressesOrWithAnEmptyMask) {
  const OneWarp warp(trace_of({"0000 ffffffff 1 R1 LDC 0 0", "0010 00000000 1 R7 LDG.E 1 R4 4 1 0x0 0",
                               "0020 00000000 1 R7 LDG.E 1 R4 4 0", "0030 00000000 0 STG.E 1 R4 4 2 0x0",
                               "0040 ffffffff 1 R1 LDG.E 1 R4 4 1 0x80 4", "0050 ffffffff 0 EXIT 0 0"}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(warp.issued[i].mask, 0U) << i;
  EXPECT_EQ(warp.issued[4].addresses[31], 0x80U + 124);
}

TEST(TraceSpaces, AreKnownFromTheOpcodeOrTheWindowsOfGenericAddresses) {
  const OneWarp warp(
      trace_of({"0000 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0000000100 4",     // in the shared window
                "0000 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f1000000200 4",     // in the local window
                "0000 ffffffff 1 R1 LD.E 1 R2 4 1 0xc0000000 4",         // in neither
                "0000 00000003 1 R1 LD.E 1 R2 4 0 0x7f0000000100 0x40",  // in several: global
                "0010 ffffffff 1 R1 LDS 1 R2 4 1 0x10 4",                // an offset already
                "0020 ffffffff 1 R1 LDS 1 R2 4 1 0x7f0000000010 4",      //
                "0030 00000003 0 STL 1 R2 4 0 0x7f1000000018 0x7f1000000000",
                "0040 00000003 1 R1 ATOMS.ADD 1 R2 4 2 0x7f0000000020 -16",
                "0050 00000001 0 RED.E.ADD.64 1 R2 8 0 0x7f0000ffffff",  // the window's last byte
                "0060 00000001 0 RED.E.ADD.64 1 R2 8 0 0x7f0001000000", "0070 ffffffff 0 EXIT 0 0"}));
  const auto expect = [&](std::size_t i, MemorySpace space, std::uint64_t first) {
    EXPECT_EQ(warp.code(i).space, space) << i;
    EXPECT_EQ(warp.issued[i].addresses[0], first) << i;
  };
  expect(0, MemorySpace::kShared, 0x100);
  expect(1, MemorySpace::kLocal, 0x200);
  expect(2, MemorySpace::kGlobal, 0xc0000000);
  expect(3, MemorySpace::kGlobal, 0x7f0000000100);
  expect(4, MemorySpace::kShared, 0x10);
  expect(5, MemorySpace::kShared, 0x10);
  expect(6, MemorySpace::kLocal, 0x18);
  EXPECT_EQ(warp.issued[6].addresses[1], 0U);
  expect(7, MemorySpace::kShared, 0x20);
  EXPECT_EQ(warp.issued[7].addresses[1], 0x10U);
  EXPECT_EQ(warp.code(7).operation, Operation::kAtomic);
  expect(8, MemorySpace::kShared, 0xffffff);
  expect(9, MemorySpace::kGlobal, 0x7f0001000000);
  EXPECT_EQ(warp.code(9).bytes, 8);
  EXPECT_EQ(warp.code(0).pc, warp.code(1).pc);
}

TEST(TraceLayouts, OldTracersPutBlockAndWarpFirst) {
  const OneWarp warp(trace_of({"0 0 0 0 0000 ffffffff 1 R1 MOV 0 0", "0 0 0 0 0010 ffffffff 0 EXIT 0 0"},
                              {"accelsim tracer version = 2"}));
  EXPECT_EQ(warp.issued.size(), 2U);
  EXPECT_EQ(warp.code(1).pc, 0x10U);
}

TEST(TraceLayouts, LineNumbersPrecedeThePc) {
  const OneWarp warp(
      trace_of({"77 0000 ffffffff 1 R1 MOV 0 0", "78 0010 ffffffff 0 EXIT 0 0"}, {"enable lineinfo = 1"}));
  EXPECT_EQ(warp.code(1).pc, 0x10U);
}

TEST(TraceLayouts, Version5EndsInAnImmediate) {
  const OneWarp warp(trace_of({"0000 ffffffff 1 R1 MOV 0 0 -17",
                               "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4 12", "0020 ffffffff 0 EXIT 0 0 0"},
                              {"accelsim tracer version = 5"}));
  EXPECT_EQ(warp.issued[1].addresses[1], 0x104U);
}

std::string block_with_pc(int block) {
  return trace_block(
      fmt::format("{},0,0", block),
      {trace_warp(0, {fmt::format("{:04x} ffffffff 1 R1 MOV 0 0", 16 * block), "1000 ffffffff 0 EXIT 0 0"})});
}

TEST(TraceBlocks, AreNumberedInFileOrderAndStartedInAnyOrder) {
  std::string text = trace_header({"grid dim = (4,1,1)"});
  for (const int block : {2, 0, 3, 1}) text += block_with_pc(block);
  const TemporaryFile file(text);
  TraceProgram program(file.path());
  const std::vector<std::uint64_t> order{1, 3, 0, 2};
  const std::vector<std::uint32_t> pc{0x20, 0x00, 0x30, 0x10};
  std::vector<BlockStream*> streams;
  for (const std::uint64_t block : order) streams.push_back(&program.start(BlockId{block}));
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_NE(streams[i]->peek(0, 1), nullptr);
    EXPECT_EQ(streams[i]->peek(0, 0)->pc, pc[order[i]]);
    EXPECT_EQ(streams[i]->peek(0, 1)->pc, 0x1000U);
    EXPECT_EQ(streams[i]->peek(0, 2), nullptr);
  }
}

TEST(TraceBlocks, WarpsMayComeInAnyOrder) {
  const TemporaryFile file(trace_header({"block dim = (33,1,1)"}) +
                           trace_block("0,0,0", {trace_warp(1, {"0010 ffffffff 0 EXIT 0 0"}),
                                                 trace_warp(0, {"0000 ffffffff 0 EXIT 0 0"})}));
  TraceProgram program(file.path());
  BlockStream& stream = program.start(BlockId{0});
  EXPECT_EQ(stream.peek(0, 0)->pc, 0U);
  EXPECT_EQ(stream.peek(1, 0)->pc, 0x10U);
}

TEST(TraceSamples, HoldAsManyInstructionsAsTheyAreKnownTo) {
  EXPECT_EQ(test::run_trace(kTraces + "fma32/kernel-1.traceg.xz"), 1058880U);
  EXPECT_EQ(test::run_trace(kTraces + "triad1m/kernel-1.traceg.xz"), 376768U);
  EXPECT_EQ(test::run_trace(kTraces + "vecadd4k/kernel-1.traceg.xz"), 2816U);
  EXPECT_EQ(test::run_trace(kTraces + "nvbit-romnn_vectoradd/kernel-1.traceg.xz"), 344U);
}

TEST(TraceSamples, Fma32HasFourChainsOf256InEachOf960Warps) {
  TraceProgram program(kTraces + "fma32/kernel-1.traceg.xz");
  std::uint64_t floats = 0;
  std::uint64_t stores = 0;
  for (std::uint64_t block = 0; block < 120; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
      for (const IssuedInstruction& issued : issue_all(stream, warp)) {
        floats += issued.code->operation == Operation::kTraceSp;
        stores += issued.code->operation == Operation::kStore;
      }
    }
    program.finish(stream);
  }
  EXPECT_EQ(stores, 960U);
  EXPECT_EQ(floats, 960U * (4 * 256 + 3));  // the last term is the sum of the chains
}

// The kernel computes a[i] = b[i] + s c[i] for i in 0 .. 2^20 - 1. Thread i mod 30720 handles element i.
TEST(TraceSamples, Triad1mTouchesEachElementOnceWhereItLies) {
  TraceProgram program(kTraces + "triad1m/kernel-1.traceg.xz");
  std::uint64_t lanes = 0;
  for (std::uint64_t block = 0; block < 120; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    for (std::uint64_t warp = 0; warp < 8; ++warp) {
      std::array<std::uint64_t, 3> passes{};
      for (const IssuedInstruction& issued : issue_all(stream, static_cast<std::uint32_t>(warp))) {
        if (!is_memory(issued.code->operation) || issued.mask == 0) continue;
        const std::size_t array = issued.code->operation == Operation::kStore ? 2
                                  : issued.code->pc == 0x150                  ? 0
                                                                              : 1;
        const std::uint64_t first = block * 256 + warp * 32 + 30720 * passes[array]++;
        for (std::uint64_t lane = 0; lane < 32; ++lane)
          if ((issued.mask >> lane & 1U) != 0) {
            ASSERT_EQ(issued.addresses[lane], 0xc0000000 + 0x400000 * array + 4 * (first + lane));
          }
        lanes += static_cast<std::uint64_t>(__builtin_popcount(issued.mask));
      }
    }
    program.finish(stream);
  }
  EXPECT_EQ(lanes, 3U << 20U);
}

}  // namespace
}  // namespace heddle
