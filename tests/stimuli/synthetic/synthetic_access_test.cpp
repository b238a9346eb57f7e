// Addresses of synthetic memory instructions.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/synthetic.h"

namespace heddle {
namespace {

using test::accesses_of;
using test::addresses_of;
using test::KernelText;
using test::lines_of;

constexpr Address kFirst = 0x1000000000;

KernelText text_of(const std::string& code, std::uint64_t blocks = 1, std::uint32_t threads = 32) {
  KernelText text;
  text.code = code;
  text.blocks = blocks;
  text.threads = threads;
  text.shared = "16KiB";
  return text;
}

// Returns how often the kernel accesses each address.
std::map<Address, int> touches_of(const KernelText& text) {
  std::map<Address, int> touches;
  for (const IssuedInstruction& issued : accesses_of(text))
    for (const Address address : addresses_of(issued)) ++touches[address];
  return touches;
}

TEST(SyntheticStream, TouchesEveryElementOnceInEachOrder) {
  for (const std::string per : {"warp", "block", "kernel"}) {
    // 5 blocks x 80 threads x 6 rounds x 2 = 4800 elements of 8 B
    const KernelText text = text_of(
        "[{loop: 6, body: [{load: global, pattern: stream, count: 2, bytes: 8, region: 38400B, per: " + per +
            "}]}]",
        5, 80);
    const std::map<Address, int> touches = touches_of(text);
    EXPECT_EQ(touches.size(), 4800U) << per;
    EXPECT_EQ(touches.begin()->first, kFirst);
    EXPECT_EQ(touches.rbegin()->first, kFirst + 38400 - 8);
    for (const auto& [address, times] : touches) ASSERT_EQ(times, 1) << per << " " << address;
  }
}

TEST(SyntheticStream, GivesWarpsBlocksOrTheKernelAContiguousPart) {
  const auto first_of_second_visit = [](const std::string& per) {
    const auto accesses = accesses_of(text_of(
        "[{loop: 4, body: [{load: global, pattern: stream, region: 1MiB, per: " + per + "}]}]", 3, 64));
    return (accesses[1].addresses[0] - accesses[0].addresses[0]) / 4;
  };
  EXPECT_EQ(first_of_second_visit("warp"), 32U);
  EXPECT_EQ(first_of_second_visit("block"), 64U);
  EXPECT_EQ(first_of_second_visit("kernel"), 192U);
}

TEST(SyntheticStream, WrapsWithinItsBuffer) {
  KernelText text = text_of("[{loop: 10, body: [{load: global, pattern: stream, buffer: b}]}]", 2, 64);
  text.more = "buffers: {a: 5MiB, b: 500B}\n";
  const std::map<Address, int> touches = touches_of(text);
  EXPECT_EQ(touches.size(), 125U);
  EXPECT_EQ(touches.begin()->first, kFirst + (6u << 20));  // 5 MiB, on to 2 MiB
  EXPECT_EQ(touches.rbegin()->first, kFirst + (6u << 20) + 496);
}

TEST(SyntheticStream, CountsTheRoundsALaneHasMadeWhereLanesPart) {
  // The visit number is 5 o + i in round o of the outer loop and round i of the inner loop, whichever other
  // lanes are active.
  std::array<std::uint64_t, kLanes> outer{};
  std::array<std::uint64_t, kLanes> inner{};
  inner.fill(~std::uint64_t{0});
  std::size_t partial = 0;
  for (const IssuedInstruction& issued : accesses_of(
           text_of("[{loop: 3, body: [{loop: {least: 1, most: 5, of: lanes}, body: [{load: global, pattern: "
                   "stream, region: 1MiB, per: warp}]}]}]"))) {
    partial += issued.mask != ~std::uint32_t{0};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (((issued.mask >> lane) & 1) == 0) continue;
      const std::uint64_t element = (issued.addresses[lane] - kFirst) / 4;
      ASSERT_EQ(element % 32, lane);
      const std::uint64_t visit = element / 32;
      ++inner[lane];
      if (visit / 5 == outer[lane] + 1) {
        ++outer[lane];
        inner[lane] = 0;
      }
      ASSERT_EQ(visit, 5 * outer[lane] + inner[lane]);
    }
  }
  for (const std::uint64_t rounds : outer) EXPECT_EQ(rounds, 2U);
  EXPECT_GT(partial, 5U);
}

TEST(SyntheticStream, AStrideSetsHowManyLinesAWarpTouches) {
  for (const auto& [stride, lines] : std::vector<std::pair<int, std::size_t>>{
           {4, 1}, {8, 2}, {16, 4}, {32, 8}, {64, 16}, {128, 32}, {256, 32}})
    for (const IssuedInstruction& issued : accesses_of(text_of(
             fmt::format("[{{load: global, pattern: strided, stride: {}B, region: 1MiB, count: 8}}]", stride),
             3, 64)))
      ASSERT_EQ(lines_of(issued).size(), lines) << stride;
}

TEST(SyntheticLines, AreAsManyAsDeclared) {
  for (const std::string pattern : {"random", "working_set", "per_block, tile: 16128B"})
    for (std::size_t lines = 1; lines <= 32; ++lines) {
      if (pattern[0] == 'p' && 126 % lines != 0) continue;  // a tile consists of whole accesses
      for (const IssuedInstruction& issued : accesses_of(
               text_of(fmt::format("[{{load: global, pattern: {}, region: 32KiB, count: 20, lines: {}}}]",
                                   pattern, lines),
                       2, 64)))
        ASSERT_EQ(lines_of(issued).size(), lines) << pattern;
    }
}

TEST(SyntheticLines, WithoutSayingAreTheFewestTheBytesNeed) {
  for (const auto& [bytes, lines] : std::vector<std::pair<int, std::size_t>>{{1, 1}, {4, 1}, {8, 2}, {16, 4}})
    for (const IssuedInstruction& issued : accesses_of(
             text_of(fmt::format("[{{load: global, pattern: random, region: 32KiB, bytes: {}}}]", bytes))))
      EXPECT_EQ(lines_of(issued).size(), lines);
}

TEST(SyntheticRandom, DrawsItsSetEvenly) {
  std::map<std::uint64_t, int> touches;
  const auto accesses = accesses_of(
      text_of("[{load: global, pattern: random, region: 8KiB, lines: 2, distance: 8, count: 4000}]", 8, 64));
  for (const IssuedInstruction& issued : accesses)
    for (const std::uint64_t line : lines_of(issued)) ++touches[line];
  EXPECT_EQ(touches.size(), 64U);
  for (const auto& [line, times] : touches) EXPECT_NEAR(times, 2000, 200) << line;  // 64000 accesses x 2 / 64
}

std::set<std::uint64_t> all_lines(const std::vector<IssuedInstruction>& accesses) {
  std::set<std::uint64_t> lines;
  for (const IssuedInstruction& issued : accesses) {
    const std::set<std::uint64_t> more = lines_of(issued);
    lines.insert(more.begin(), more.end());
  }
  return lines;
}

TEST(SyntheticWorkingSet, HasItsSizeForWhoeverSharesIt) {
  const auto lines = [](const std::string& per, std::uint64_t blocks) {
    return all_lines(
               accesses_of(text_of("[{load: global, pattern: working_set, region: 1MiB, set: 3KiB, lines: 2, "
                                   "count: 30, per: " +
                                       per + "}]",
                                   blocks, 128)))
        .size();
  };
  EXPECT_EQ(lines("kernel", 5), 24U);
  EXPECT_EQ(lines("block", 5), 5U * 24U);
  EXPECT_EQ(lines("warp", 5), 20U * 24U);
}

TEST(SyntheticWorkingSet, ComesBackToALineAfterAllTheOthers) {
  const auto accesses = accesses_of(
      text_of("[{loop: 40, body: [{load: global, pattern: working_set, per: warp, region: 2KiB}]}]"));
  for (std::size_t i = 0; i < accesses.size(); ++i)
    EXPECT_EQ(*lines_of(accesses[i]).begin(), kFirst / 128 + i % 16);
}

TEST(SyntheticPerBlock, ReadsEachTileSoManyTimes) {
  // 2 warps x 24 visits are 48 accesses of a line. A tile takes 4 lines x 3 times = 12 accesses, so that a
  // block has four tiles.
  const auto accesses = accesses_of(text_of(
      "[{loop: 24, body: [{load: global, pattern: per_block, region: 8KiB, tile: 512B, times: 3}]}]", 4, 64));
  std::map<std::uint64_t, int> touches;
  for (const IssuedInstruction& issued : accesses)
    for (const std::uint64_t line : lines_of(issued)) ++touches[line];
  EXPECT_EQ(touches.size(), 4U * 4U * 4U);  // blocks x tiles x lines
  for (const auto& [line, times] : touches) EXPECT_EQ(times, 3) << line;
}

TEST(SyntheticUniform, SendsAllLanesToOneElement) {
  const auto accesses = accesses_of(text_of("[{load: constant, pattern: uniform, region: 16B, count: 6}]"));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(accesses[i].code->space, MemorySpace::kConstant);
    for (const Address address : accesses[i].addresses) EXPECT_EQ(address, kFirst + i % 4 * 4);
  }
}

TEST(SyntheticAtomic, MeetsAtAsManyAddressesAsDeclared) {
  for (const std::size_t addresses : {1u, 7u, 256u}) {
    const KernelText text =
        text_of(fmt::format("[{{atomic: global, pattern: scatter, region: 4KiB, addresses: {}, count: 200}}]",
                            addresses),
                4, 64);
    EXPECT_EQ(touches_of(text).size(), addresses);
    for (const IssuedInstruction& issued : accesses_of(text)) {
      ASSERT_EQ(issued.code->operation, Operation::kAtomic);
      ASSERT_TRUE(issued.code->destinations().empty());
    }
  }
}

TEST(SyntheticShared, HasItsDegreeOfBankConflicts) {
  for (std::uint32_t conflicts = 1; conflicts <= 32; ++conflicts)
    for (const IssuedInstruction& issued : accesses_of(
             text_of(fmt::format("[{{load: shared, conflicts: {}, count: 40}}]", conflicts), 2, 96))) {
      std::map<Address, std::set<Address>> words;  // by bank
      for (const Address address : addresses_of(issued)) {
        ASSERT_LT(address, 16384U);
        words[address / 4 % 32].insert(address / 4);
      }
      std::size_t most = 0;
      for (const auto& [bank, its] : words) most = std::max(most, its.size());
      ASSERT_EQ(most, conflicts);
    }
}

TEST(SyntheticShared, WideElementsLieSideBySide) {
  const auto accesses = accesses_of(text_of("[{store: shared, bytes: 16}]"));
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(accesses[0].addresses[lane], 16 * lane);
}

TEST(SyntheticLocal, StaysWithinAThreadsShare) {
  const auto accesses = accesses_of(text_of("[{load: local, set: 24B, bytes: 8, count: 7}]"));
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(accesses[i].addresses[31], i % 3 * 8);
}

TEST(SyntheticAccess, CarriesItsSpaceWidthAndBypass) {
  const auto accesses =
      accesses_of(text_of("[{load: global, pattern: stream, region: 1KiB, bytes: 2, bypass_l1: true}, "
                          "{store: local, bytes: 16}]"));
  EXPECT_TRUE(accesses[0].code->bypass_l1);
  EXPECT_EQ(accesses[0].code->bytes, 2);
  EXPECT_EQ(accesses[0].code->space, MemorySpace::kGlobal);
  EXPECT_FALSE(accesses[1].code->bypass_l1);
  EXPECT_EQ(accesses[1].code->space, MemorySpace::kLocal);
}

TEST(SyntheticAccess, RegionsOfOneApplicationAreApart) {
  const auto accesses = accesses_of(text_of(
      "[{load: global, pattern: stream, region: 3MiB}, {load: global, pattern: stream, region: 1KiB}]"));
  EXPECT_EQ(accesses[1].addresses[0], kFirst + (4u << 20));
}

const char* const kEverything =
    "[{loop: {least: 2, most: 5, of: lanes}, body: [{load: global, pattern: random, region: 64KiB, lines: 7},"
    "{if: 0.4, then: [{atomic: global, pattern: scatter, region: 4KiB}]}]},"
    "{loop: {least: 1, most: 4, of: warps}, body: [{load: shared, conflicts: 3},"
    "{store: global, pattern: stream, region: 1MiB, per: warp}]}, {barrier: 0}]";

std::string trace_of(BlockStream& stream, std::uint32_t warps, bool backwards) {
  std::vector<std::string> traces(warps);
  for (std::uint32_t i = 0; i < warps; ++i) {
    const std::uint32_t warp = backwards ? warps - 1 - i : i;
    for (const IssuedInstruction& issued : test::issues_of(stream, warp)) {
      traces[warp] += fmt::format("{:x} {:x}", issued.code->pc, issued.mask);
      if (is_memory(issued.code->operation))
        for (const Address address : addresses_of(issued)) traces[warp] += fmt::format(" {:x}", address);
      traces[warp] += "\n";
    }
  }
  std::string all;
  for (const std::string& trace : traces) all += trace;
  return all;
}

TEST(SyntheticProgram, DoesTheSameInWhateverOrderBlocksAndWarpsRun) {
  const KernelText text = text_of(kEverything, 6, 96);
  std::vector<std::string> forward;
  std::vector<std::string> backward(6);
  const auto program = test::program_of(text);
  for (std::uint64_t block = 0; block < 6; ++block) {
    BlockStream& stream = program->start(BlockId{block});
    forward.push_back(trace_of(stream, 3, false));
    program->finish(stream);
  }
  const auto again = test::program_of(text);
  std::vector<BlockStream*> streams;
  for (std::uint64_t block = 6; block-- > 0;) streams.push_back(&again->start(BlockId{block}));
  for (std::uint64_t block = 6; block-- > 0;) backward[block] = trace_of(*streams[5 - block], 3, true);
  EXPECT_EQ(forward, backward);
  EXPECT_NE(forward[0], forward[1]);
  KernelText other = text;
  other.seed = 2;
  EXPECT_NE(trace_of(test::program_of(other)->start(BlockId{0}), 3, false), forward[0]);
}

TEST(SyntheticProgram, KeepsAsManyStreamsAsRanAtOnce) {
  const auto program = test::program_of(text_of(kEverything, 100, 96));
  const auto& synthetic = dynamic_cast<const SyntheticProgram&>(*program);
  for (std::uint64_t block = 0; block + 1 < 100; block += 2) {
    BlockStream& first = program->start(BlockId{block});
    BlockStream& second = program->start(BlockId{block + 1});
    program->finish(first);
    program->finish(second);
  }
  EXPECT_EQ(synthetic.streams(), 2U);
}

}  // namespace
}  // namespace heddle
