// The memory that the blocks of a trace need, and the spool file for blocks beyond the limit.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/paths.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_size.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::TemporaryFile;
using test::trace_block;
using test::trace_header;
using test::trace_warp;

const std::string kTriad = heddle::test::source_directory() + "/stimuli/traces/triad1m/kernel-1.traceg.xz";

// Returns one warp of 5000 instructions. Every third one is a load, with alternating address modes.
std::vector<std::string> long_warp() {
  std::vector<std::string> instructions;
  for (int i = 0; i < 4999; ++i) {
    const int pc = 16 * (i % 700);
    if (i % 3 != 0)
      instructions.push_back(fmt::format("{:04x} ffffffff 1 R{} FADD 1 R2 0", pc, i % 200));
    else if (i % 2 == 0)
      instructions.push_back(
          fmt::format("{:04x} 0000000f 1 R1 LDG.E 1 R2 4 2 0x{:x} 4 -8 12", pc, 0x1000 + i));
    else
      instructions.push_back(
          fmt::format("{:04x} 80000001 1 R1 LDG.E 1 R2 4 0 0x{:x} 0x{:x}", pc, 4 * i, 8 * i));
  }
  instructions.emplace_back("8000 ffffffff 0 EXIT 0 0");
  return instructions;
}

// Expects that both streams return the same instructions, also for peeks ahead.
void expect_equal(BlockStream& a, BlockStream& b, std::uint32_t warp) {
  IssuedInstruction from_a;
  IssuedInstruction from_b;
  for (std::size_t i = 0; a.peek(warp, 0) != nullptr; ++i) {
    for (const std::uint32_t ahead : {0U, 1U, 2U, 600U}) {
      const Instruction* code_a = a.peek(warp, ahead);
      const Instruction* code_b = b.peek(warp, ahead);
      ASSERT_EQ(code_a == nullptr, code_b == nullptr) << i;
      if (code_a != nullptr) {
        ASSERT_EQ(code_a->pc, code_b->pc) << i;
      }
    }
    a.issue(warp, from_a);
    b.issue(warp, from_b);
    ASSERT_EQ(from_a.mask, from_b.mask) << i;
    for (std::uint32_t lane = 0; is_memory(from_a.code->operation) && lane < kLanes; ++lane)
      if ((from_a.mask >> lane & 1U) != 0) {
        ASSERT_EQ(from_a.addresses[lane], from_b.addresses[lane]) << i;
      }
  }
  EXPECT_EQ(b.peek(warp, 0), nullptr);
}

TEST(TraceSpool, GivesBackWhatWasTooLargeForMemory) {
  const std::string start = "0000 ffffffff 1 R1 MOV 0 0";
  const TemporaryFile file(trace_header({"block dim = (96,1,1)"}) +
                           trace_block("0,0,0", {trace_warp(0, {start, "0010 ffffffff 0 EXIT 0 0"}),
                                                 trace_warp(1, long_warp()), trace_warp(2, long_warp())}));
  // The limits range from spooling everything to spooling all warps but the last.
  for (const std::uint64_t limit : {0, 10, 5000, 20000, 60000}) {
    TraceProgram whole(file.path());
    TraceProgram spooled(file.path(), {limit, std::uint64_t{1} << 30U});
    EXPECT_LT(spooled.resident_bytes(), whole.resident_bytes());
    EXPECT_LE(spooled.resident_bytes(), limit + 512 * (8 + 2 * 20));  // one additional chunk
    BlockStream& a = whole.start(BlockId{0});
    BlockStream& b = spooled.start(BlockId{0});
    for (const std::uint32_t warp : {2U, 0U, 1U}) expect_equal(a, b, warp);
    spooled.finish(b);
  }
}

TEST(TraceSpool, TakesWhatAllResidentBlocksTogetherAreTooLargeFor) {
  TraceProgram whole(kTriad);
  const std::uint64_t limit = 100000;
  TraceProgram spooled(kTriad, {std::uint64_t{1} << 30U, limit});
  std::vector<BlockStream*> of_whole;
  std::vector<BlockStream*> of_spooled;
  for (std::uint64_t block = 0; block < 120; ++block) {
    of_whole.push_back(&whole.start(BlockId{block}));
    of_spooled.push_back(&spooled.start(BlockId{block}));
  }
  EXPECT_GT(whole.resident_bytes(), 10 * limit);
  EXPECT_LT(spooled.resident_bytes(), limit + 512 * 20);
  for (std::size_t block = 0; block < 120; ++block)
    for (std::uint32_t warp = 0; warp < 8; ++warp) expect_equal(*of_whole[block], *of_spooled[block], warp);
}

// Blocks are dropped after any number of instructions, and twice. A part of each is in the spool file.
TEST(TraceSpool, ABlockThatWasDroppedStartsOver) {
  const TemporaryFile file(trace_header({"grid dim = (2,1,1)", "block dim = (64,1,1)"}) +
                           trace_block("0,0,0", {trace_warp(0, long_warp()), trace_warp(1, long_warp())}) +
                           trace_block("1,0,0", {trace_warp(0, long_warp()), trace_warp(1, long_warp())}));
  for (const std::uint64_t limit : {0, 5000, 1 << 30})
    for (const std::uint32_t issued : {0U, 1U, 700U, 4999U}) {
      TraceProgram whole(file.path());
      TraceProgram dropping(file.path(), {limit, std::uint64_t{1} << 30U});
      TraceProgram straight(file.path(), {limit, std::uint64_t{1} << 30U});
      IssuedInstruction instruction;
      for (int times = 0; times < 2; ++times) {
        BlockStream& dropped = dropping.start(BlockId{0});
        for (std::uint32_t i = 0; i < issued; ++i) dropped.issue(times, instruction);
        dropping.drop(dropped, BlockId{0});
      }
      for (const std::uint64_t block : {1, 0}) {
        BlockStream& a = whole.start(BlockId{block});
        BlockStream& b = dropping.start(BlockId{block});
        for (const std::uint32_t warp : {1U, 0U}) expect_equal(a, b, warp);
        dropping.finish(b);
        straight.finish(straight.start(BlockId{block}));
      }
      EXPECT_EQ(dropping.resident_bytes(), straight.resident_bytes());
    }
}

TEST(TraceMemory, IsThatOfResidentBlocksAndComesBackWhenTheyEnd) {
  TraceProgram program(kTriad);
  std::uint64_t most = 0;
  for (std::uint64_t block = 0; block < 120; ++block) {
    BlockStream& stream = program.start(BlockId{block});
    most = std::max(most, program.resident_bytes());
    program.finish(stream);
  }
  // The addresses of a block are 8 warps x 35 x 3 records of 12 bytes, and there are two sets of sequences of
  // 8 x 402 entries.
  EXPECT_LT(most, 8U * 35 * 3 * 12 + 2 * 8 * 402 * 8);
}

TEST(TraceMemory, WarpsThatExecuteTheSameShareTheirInstructions) {
  std::string text = trace_header({"grid dim = (50,1,1)", "block dim = (1024,1,1)"});
  std::vector<std::string> warps;
  std::vector<std::string> instructions = long_warp();
  instructions.erase(
      std::remove_if(instructions.begin(), instructions.end(),
                     [](const std::string& line) { return line.find("LDG") != std::string::npos; }),
      instructions.end());
  instructions.resize(99);
  instructions.emplace_back("8000 ffffffff 0 EXIT 0 0");
  for (std::uint32_t warp = 0; warp < 32; ++warp) warps.push_back(trace_warp(warp, instructions));
  for (int block = 0; block < 50; ++block) text += trace_block(fmt::format("{},0,0", block), warps);
  const TemporaryFile file(text);
  TraceProgram program(file.path());
  for (std::uint64_t block = 0; block < 50; ++block) program.start(BlockId{block});
  EXPECT_EQ(program.resident_bytes(), 100 * sizeof(TraceEntry));
}

// The trace that scripts/make_trace writes. It is read from a pipe by an SM array that holds 240 blocks at a
// time.
struct MadeUp {
  std::uint64_t instructions = 0;
  std::uint64_t most_resident = 0;
};
MadeUp read_made_up(std::uint64_t blocks, const std::string& arguments) {
  const std::string command = fmt::format("{}/scripts/make_trace --blocks {} {}",
                                          heddle::test::source_directory(), blocks, arguments);
  std::FILE* pipe = popen(command.c_str(), "r");
  MadeUp result;
  {
    TraceProgram program(fmt::format("/proc/self/fd/{}", fileno(pipe)));
    std::vector<BlockStream*> resident(240, nullptr);
    IssuedInstruction issued;
    for (std::uint64_t block = 0; block < blocks + resident.size(); ++block) {
      BlockStream*& slot = resident[block % resident.size()];
      for (std::uint32_t warp = 0; slot != nullptr && warp < program.header().warps(); ++warp)
        for (; slot->peek(warp, 0) != nullptr; ++result.instructions) slot->issue(warp, issued);
      if (slot != nullptr) program.finish(*slot);
      slot = block < blocks ? &program.start(BlockId{block}) : nullptr;
      result.most_resident = std::max(result.most_resident, program.resident_bytes());
    }
  }
  EXPECT_EQ(pclose(pipe), 0);
  return result;
}

TEST(TraceMemory, StaysBelow300MBInATraceOf10GB) {
  const std::uint64_t blocks = full_size() ? 21000 : 300;  // 583 kB each
  const MadeUp trace = read_made_up(blocks, "--warps 8 --instructions 1000");
  EXPECT_EQ(trace.instructions, blocks * 8 * 1000);
  EXPECT_LT(trace.most_resident, 64U << 20U);
  if (test::kSanitized) return;  // its own memory counts, too
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 300 * 1000);  // KiB
}

TEST(TraceMemory, StaysBelow300MBWithHugeBlocks) {
  const std::uint64_t blocks = full_size() ? 150 : 15;  // 35 MB each
  const MadeUp trace = read_made_up(blocks, "--warps 32 --instructions 2500 --kinds int,list,gather");
  EXPECT_EQ(trace.instructions, blocks * 32 * 2500);
  EXPECT_LT(trace.most_resident, (std::uint64_t{128} << 20U) + (1U << 20U));
  if (test::kSanitized) return;  // its own memory counts, too
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 300 * 1000);  // KiB
}

TEST(TraceMemory, AHugeCountOfInstructionsCostsNothingBeforeTheyAreThere) {
  std::string text = test::trace_of({"0000 ffffffff 0 EXIT 0 0"});
  text.replace(text.find("insts = 1"), 9, "insts = 9223372036854775807");
  const TemporaryFile file(text);
  EXPECT_EQ(test::problem_of(file.path()),
            file.path() + ":21: warp 0 has 1 of its 9223372036854775807 instructions");
}

}  // namespace
}  // namespace heddle
