#include "models/sm/pipeline/coalescer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/core/base/random.h"

namespace heddle::test {

namespace {

struct Lanes {
  Instruction code;
  IssuedInstruction issued;
  Lanes(std::uint8_t bytes, std::uint32_t mask) {
    code.bytes = bytes;
    issued.code = &code;
    issued.mask = mask;
  }
  template <class F>
  Lanes& at(F address) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) issued.addresses[lane] = address(lane);
    return *this;
  }
  Coalesced lines(bool store = false) const {
    Coalesced result;
    coalesce(issued.addresses, issued.mask, code.bytes, store, result);
    return result;
  }
};

TEST(Coalescer, LanesSideBySideShareALine) {
  const Coalesced lines = Lanes(4, ~0u).at([](Address lane) { return 0x1000 + 4 * lane; }).lines();
  ASSERT_EQ(lines.count, 1u);
  EXPECT_EQ(lines.access[0].line, 0x1000u);
  EXPECT_EQ(lines.access[0].sectors, 0xf);
  for (const std::uint8_t lanes : lines.access[0].lanes) EXPECT_EQ(lanes, 8);
}

TEST(Coalescer, AStrideOfALineTakesALineAndASectorForEachLane) {
  const Coalesced lines = Lanes(4, ~0u).at([](Address lane) { return 128 * lane + 64; }).lines();
  ASSERT_EQ(lines.count, 32u);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(lines.access[i].sectors, 0b0100);
}

TEST(Coalescer, AnAccessAcrossALineTakesBoth) {
  const Coalesced lines = Lanes(8, 1).at([](Address) { return 124; }).lines();
  ASSERT_EQ(lines.count, 2u);
  EXPECT_EQ(lines.access[0].sectors, 0b1000);
  EXPECT_EQ(lines.access[1].sectors, 0b0001);
  EXPECT_EQ(lines.access[0].lanes[3], 1);
  EXPECT_EQ(lines.access[1].lanes[0], 1);
}

TEST(Coalescer, ALaneCountsWhereItsFirstByteLies) {
  const Coalesced lines = Lanes(16, 0b111).at([](Address lane) { return 24 + 24 * lane; }).lines();
  ASSERT_EQ(lines.count, 1u);
  EXPECT_EQ(lines.access[0].sectors, 0b0111);
  EXPECT_EQ(lines.access[0].lanes, (std::array<std::uint8_t, 4>{1, 1, 1, 0}));
}

TEST(Coalescer, AStoreThatLeavesBytesOutIsPartial) {
  EXPECT_FALSE(Lanes(4, ~0u).at([](Address lane) { return 4 * lane; }).lines(true).access[0].partial);
  EXPECT_FALSE(Lanes(4, 0xff).at([](Address lane) { return 4 * lane; }).lines(true).access[0].partial);
  EXPECT_TRUE(Lanes(4, 0x7f).at([](Address lane) { return 4 * lane; }).lines(true).access[0].partial);
  EXPECT_TRUE(Lanes(1, ~0u).at([](Address lane) { return 2 * lane; }).lines(true).access[0].partial);
}

TEST(Coalescer, TheDepthOfASectorIsTheMostLanesOfOneWord) {
  const auto depths = [](const Lanes& lanes) {
    Coalesced result = lanes.lines();
    count_depths(lanes.issued.addresses, lanes.issued.mask, result);
    std::vector<std::array<std::uint8_t, 4>> all;
    for (std::uint32_t i = 0; i < result.count; ++i) all.push_back(result.access[i].depth);
    return all;
  };
  using Depths = std::vector<std::array<std::uint8_t, 4>>;
  EXPECT_EQ(depths(Lanes(4, ~0u).at([](Address) { return 0x1020; })), (Depths{{0, 32, 0, 0}}));
  EXPECT_EQ(depths(Lanes(4, ~0u).at([](Address lane) { return 0x1000 + 4 * lane; })), (Depths{{1, 1, 1, 1}}));
  EXPECT_EQ(depths(Lanes(4, ~0u).at([](Address lane) { return 0x1000 + 4 * (lane % 8); })),
            (Depths{{4, 0, 0, 0}}));
  EXPECT_EQ(depths(Lanes(8, 0xff).at([](Address lane) { return 0x1060 + lane / 6 * 8; })),
            (Depths{{0, 0, 0, 6}}));
  EXPECT_EQ(depths(Lanes(4, 0b1011).at([](Address lane) { return 128 * (lane % 2); })),
            (Depths{{1, 0, 0, 0}, {2, 0, 0, 0}}));
}

Coalesced local_lines(const Lanes& lanes, bool store, const LocalLayout& layout, std::uint32_t slot) {
  Coalesced result;
  coalesce_local(lanes.issued.addresses, lanes.issued.mask, lanes.code.bytes, store, layout, slot, result);
  return result;
}

TEST(Coalescer, AnAccessOfLocalMemoryTouchesALineForEachWordOfTheLanes) {
  const LocalLayout layout(2, 15, 48);
  for (const std::uint32_t words : {1, 2, 4}) {
    const Lanes lanes = Lanes(static_cast<std::uint8_t>(4 * words), ~0u).at([](Address) { return 64; });
    const Coalesced result = local_lines(lanes, true, layout, 5);
    ASSERT_EQ(result.count, words);
    for (std::uint32_t i = 0; i < words; ++i) {
      EXPECT_EQ(result.access[i].line, layout.line(16 + i, 5));
      EXPECT_EQ(result.access[i].sectors, 0b1111);
      EXPECT_FALSE(result.access[i].partial);
    }
  }
  const Lanes apart = Lanes(16, ~0u).at([](Address lane) { return 16 * lane; });
  EXPECT_EQ(local_lines(apart, false, layout, 5).count, 128u);
}

TEST(Coalescer, TouchesExactlyTheBytesOfLocalMemoryOfTheLanesThatTakePart) {
  Random random(5);
  const LocalLayout layout(1, 6, 8);
  for (int round = 0; round < 2000; ++round) {
    const Address bytes = Address{1} << random.below(5);
    Lanes lanes(static_cast<std::uint8_t>(bytes), static_cast<std::uint32_t>(random.next()));
    const std::uint64_t range = 1 + random.below(64);
    lanes.at([&](Address) { return random.below(range) * bytes; });
    std::map<Address, std::set<std::uint32_t>> expected;  // line -> bytes
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (Address byte = 0; (lanes.issued.mask >> lane & 1) != 0 && byte < bytes; ++byte) {
        const Address at = lanes.issued.addresses[lane] + byte;
        expected[layout.line(at / 4, 3)].insert(static_cast<std::uint32_t>(4 * lane + at % 4));
      }
    const Coalesced result = local_lines(lanes, true, layout, 3);
    ASSERT_EQ(result.count, expected.size());
    for (std::uint32_t i = 0; i < result.count; ++i) {
      const LineAccess& access = result.access[i];
      std::set<std::uint32_t> written;
      for (std::uint32_t byte = 0; byte < kLineBytes; ++byte)
        if ((access.written[byte / 64] >> (byte % 64) & 1) != 0) written.insert(byte);
      EXPECT_EQ(written, expected[access.line]);
      std::uint32_t sectors = 0;
      for (const std::uint32_t byte : written) sectors |= 1u << byte / kSectorBytes;
      EXPECT_EQ(access.sectors, sectors);
      EXPECT_EQ(access.partial,
                written.size() != 32u * static_cast<std::uint32_t>(__builtin_popcount(sectors)));
    }
  }
}

TEST(Coalescer, TouchesExactlyTheBytesOfTheLanesThatTakePart) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    Lanes lanes(static_cast<std::uint8_t>(1u << random.below(5)), static_cast<std::uint32_t>(random.next()));
    const std::uint64_t range = 1 + random.below(8192);
    lanes.at([&](Address) { return random.below(range); });
    std::map<Address, std::set<std::uint32_t>> expected;  // line -> bytes
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t byte = 0; (lanes.issued.mask >> lane & 1) != 0 && byte < lanes.code.bytes; ++byte) {
        const Address at = lanes.issued.addresses[lane] + byte;
        expected[at / kLineBytes * kLineBytes].insert(static_cast<std::uint32_t>(at % kLineBytes));
      }
    const Coalesced lines = lanes.lines(true);
    ASSERT_EQ(lines.count, expected.size());
    for (std::uint32_t i = 0; i < lines.count; ++i) {
      const LineAccess& access = lines.access[i];
      ASSERT_EQ(expected.count(access.line), 1u);
      std::uint32_t sectors = 0;
      std::size_t full = 0;
      for (const std::uint32_t byte : expected[access.line]) {
        sectors |= 1u << (byte / kSectorBytes);
        EXPECT_EQ(access.written[byte / 64] >> (byte % 64) & 1, 1u);
      }
      full = static_cast<std::size_t>(__builtin_popcount(sectors)) * kSectorBytes;
      EXPECT_EQ(access.sectors, sectors);
      EXPECT_EQ(access.partial, expected[access.line].size() != full);
      EXPECT_EQ(static_cast<std::size_t>(__builtin_popcountll(access.written[0]) +
                                         __builtin_popcountll(access.written[1])),
                expected[access.line].size());
    }
  }
}

// Full warps access one run of bytes, which starts anywhere.
TEST(Coalescer, ARunOfBytesIsWhatItsLanesAre) {
  for (const std::uint8_t bytes : std::array<std::uint8_t, 5>{1, 2, 4, 8, 16}) {
    for (Address start = 0x2000; start < 0x2000 + 2 * kLineBytes; start += bytes) {
      const auto address = [&](Address lane) { return start + bytes * lane; };
      const Coalesced lines = Lanes(bytes, ~0u).at(address).lines(true);
      const Address last = address(kLanes) - 1;
      ASSERT_EQ(lines.count, last / kLineBytes - start / kLineBytes + 1);
      for (std::uint32_t i = 0; i < lines.count; ++i) {
        const LineAccess& access = lines.access[i];
        EXPECT_EQ(access.line, (start / kLineBytes + i) * kLineBytes);
        SectorLanes expected{};
        ByteMask written{};
        std::uint32_t sectors = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          if (address(lane) / kLineBytes != access.line / kLineBytes) continue;
          const Address first = address(lane) % kLineBytes;
          ++expected[first / kSectorBytes];
          sectors |= 1u << (first / kSectorBytes);
          for (Address byte = first; byte < first + bytes; ++byte)
            written[byte / 64] |= std::uint64_t{1} << (byte % 64);
        }
        EXPECT_EQ(access.lanes, expected);
        EXPECT_EQ(access.written, written);
        EXPECT_EQ(access.sectors, sectors);
        const auto full = static_cast<std::uint32_t>(__builtin_popcount(sectors)) * kSectorBytes;
        const auto all =
            static_cast<std::uint32_t>(__builtin_popcountll(written[0]) + __builtin_popcountll(written[1]));
        EXPECT_EQ(access.partial, all != full);
      }
    }
  }
}

// Returns lines of which L1 reads one word each, given by their places in the line.
Coalesced words_of_lines(const std::vector<std::uint32_t>& words) {
  Coalesced lines;
  lines.count = 0;
  for (const std::uint32_t word : words) {
    LineAccess& access = lines.access[lines.count++] = {};
    access.written[word / 16] = std::uint64_t{0xf} << (word % 16 * 4);
  }
  return lines;
}

TEST(LinesAtOnce, EndAtTheFirstLineWithABankThatIsInUse) {
  const Coalesced lines = words_of_lines({0, 1, 31, 1, 2});
  EXPECT_EQ(lines_at_once(lines, 0, 8), 3u);
  EXPECT_EQ(lines_at_once(lines, 0, 2), 2u) << "L1 reads no more than so many";
  EXPECT_EQ(lines_at_once(lines, 2, 8), 3u) << "there are no more";
}

TEST(LinesAtOnce, DoNotIncludeALineWhoseBytesAreNotKnown) {
  Coalesced lines = words_of_lines({0, 1, 2});
  lines.access[1].written = {};
  EXPECT_EQ(lines_at_once(lines, 0, 8), 1u);
  EXPECT_EQ(lines_at_once(lines, 1, 8), 2u);
}

// Two accesses of 64 bytes bypass L1 in one cycle, or four accesses of one sector.
TEST(LinesPastL1, HaveNoMoreSectorsThanALine) {
  const auto of_sectors = [](std::uint8_t sectors) {
    Coalesced lines;
    lines.count = 8;
    for (std::uint32_t line = 0; line < 8; ++line) lines.access[line].sectors = sectors;
    return lines;
  };
  EXPECT_EQ(lines_past_l1(of_sectors(0b1111), 0, 4), 1u);
  EXPECT_EQ(lines_past_l1(of_sectors(0b0110), 0, 4), 2u);
  EXPECT_EQ(lines_past_l1(of_sectors(0b0111), 0, 4), 1u);
  EXPECT_EQ(lines_past_l1(of_sectors(0b0100), 0, 4), 4u);
  EXPECT_EQ(lines_past_l1(of_sectors(0b0100), 0, 1), 1u);
  EXPECT_EQ(lines_past_l1(of_sectors(0b0100), 6, 4), 2u) << "there are no more";
}

TEST(SharedPasses, AreTheMostWordsOfABank) {
  const auto passes = [](std::uint8_t bytes, auto address) {
    return shared_passes(Lanes(bytes, ~0u).at(address).issued, 32, false);
  };
  EXPECT_EQ(passes(4, [](Address lane) { return 4 * lane; }), 1u);
  EXPECT_EQ(passes(4, [](Address) { return 400; }), 1u);  // one word: a broadcast
  for (std::uint32_t stride = 1; stride <= 32; stride *= 2)
    EXPECT_EQ(passes(4, [&](Address lane) { return 4 * stride * lane; }), stride);
  EXPECT_EQ(passes(4, [](Address lane) { return 4 * 33 * lane; }), 1u);  // padded by a word
  EXPECT_EQ(passes(8, [](Address lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(passes(16, [](Address lane) { return 16 * lane; }), 4u);
  EXPECT_EQ(passes(1, [](Address lane) { return lane; }), 1u);
}

TEST(SharedPasses, OfAtomicsOnOneWordAreOnePerLane) {
  EXPECT_EQ(shared_passes(Lanes(4, 0xff).at([](Address) { return 64; }).issued, 32, true), 8u);
  EXPECT_EQ(shared_passes(Lanes(4, ~0u).at([](Address lane) { return 4 * lane; }).issued, 32, true), 1u);
}

}  // namespace

}  // namespace heddle::test
