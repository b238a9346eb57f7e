#include "models/cache/tag_array.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

PolicyChoice lru() {
  return {"lru", {}};
}

TagArray array(std::uint32_t sets, std::uint32_t ways, bool hash = false) {
  return TagArray({sets, ways, 128, 32, hash ? SetHash::kAllGroups : SetHash::kNone, lru()});
}

TEST(TagArray, SectorsOfARange) {
  const TagArray tags = array(4, 2);
  EXPECT_EQ(tags.sectors_of(0x1000, 32), 0b0001u);
  EXPECT_EQ(tags.sectors_of(0x1020, 64), 0b0110u);
  EXPECT_EQ(tags.sectors_of(0x1000, 128), 0b1111u);
  EXPECT_EQ(tags.sectors_of(0x101f, 2), 0b0011u);
  EXPECT_EQ(tags.line_of(0x10ff), 0x1080u);
  EXPECT_EQ(tags.sector_of(0x10ff), 3u);
  const TagArray wide({4, 2, 1024, 32, SetHash::kNone, lru()});
  EXPECT_EQ(wide.sectors_of(0, 1024), 0xffffffffu);
}

TEST(TagArray, EmptyWaysGoFirstThenTheLeastRecentlyUsed) {
  TagArray tags = array(1, 3);
  for (Address line = 0; line < 3; ++line) {
    EXPECT_EQ(tags.victim(0), line);
    tags.install(tags.victim(0), line * 128);
  }
  tags.touch(0);
  EXPECT_EQ(tags.victim(0), 1u);
  EXPECT_EQ(tags.find(0, 128), 1u);
  EXPECT_EQ(tags.victim(0), 1u) << "finding is not a use";
  tags.touch(1);
  EXPECT_EQ(tags.victim(0), 2u);
  tags.drop(0);
  EXPECT_EQ(tags.victim(0), 0u);
  EXPECT_EQ(tags.find(0, 0), TagArray::kNone);
}

TEST(TagArray, LinesWithReservedSectorsStay) {
  TagArray tags = array(1, 2);
  tags.install(0, 0);
  tags.install(1, 128);
  tags.reserve(0, 0b0010);
  EXPECT_EQ(tags.victim(0), 1u);
  tags.reserve(1, 0b0001);
  EXPECT_EQ(tags.victim(0), TagArray::kNone);
  tags.fill(0, 0b0010);
  EXPECT_EQ(tags.victim(0), 0u);
}

TEST(TagArray, ANewLineTakesOneOfTheWaysInUse) {
  TagArray tags = array(2, 4);
  for (TagArray::Line line = 0; line < 8; ++line) tags.install(line, line * 128);
  tags.reserve(3, 0b0001);
  tags.use_ways(2);
  for (const TagArray::Line dropped : {2u, 6u, 7u}) EXPECT_FALSE(tags.present(dropped));
  EXPECT_TRUE(tags.present(3)) << "its fill is in flight";
  EXPECT_EQ(tags.victim(0), 0u);
  tags.touch(0);
  EXPECT_EQ(tags.victim(0), 1u);
  tags.drop(1);
  EXPECT_EQ(tags.victim(0), 1u);
  tags.use_ways(4);
  tags.install(1, 1024);
  EXPECT_EQ(tags.victim(0), 2u);
}

TEST(TagArray, StatesOfASector) {
  TagArray tags = array(1, 1);
  tags.install(0, 0x80);
  EXPECT_EQ(tags.state(0, 1), SectorState::kInvalid);
  tags.reserve(0, 0b0010);
  EXPECT_EQ(tags.state(0, 1), SectorState::kReserved);
  tags.fill(0, 0b0010);
  EXPECT_EQ(tags.state(0, 1), SectorState::kValid);
  tags.set_dirty(0, 0b0010);
  EXPECT_EQ(tags.state(0, 1), SectorState::kDirty);
  EXPECT_EQ(tags.state(0, 0), SectorState::kInvalid);
  tags.install(0, 0x100);
  EXPECT_EQ(tags.dirty(0), 0u);
  EXPECT_EQ(tags.valid(0), 0u);
}

TEST(TagArray, WithoutHashTheSetIsTheLowBits) {
  const TagArray tags = array(64, 8);
  for (Address line = 0; line < 1000; ++line) EXPECT_EQ(tags.set_of(line * 128 + 5), line % 64);
}

TEST(TagArray, ThreeGroupsAreTheLowestOfTheLinesNumber) {
  const TagArray three({64, 8, 128, 32, SetHash::kThreeGroups, lru()});
  EXPECT_EQ(three.set_of((Address{3} << 7) | (Address{1} << 13) | (Address{4} << 19)), 3u ^ 1u ^ 4u);
  EXPECT_EQ(three.set_of(Address{5} << 25), 0u) << "the fourth group";
}

TEST(TagArray, SetsNeedNotBeAPowerOfTwo) {
  const TagArray plain({6, 2, 128, 32, SetHash::kNone, lru()});
  const TagArray three({6, 2, 128, 32, SetHash::kThreeGroups, lru()});
  const TagArray all({6, 2, 128, 32, SetHash::kAllGroups, lru()});
  for (Address line = 0; line < 5000; ++line) {
    EXPECT_EQ(plain.set_of(line * 128), line % 6);
    EXPECT_EQ(three.set_of(line * 128), (line ^ line / 6 ^ line / 36) % 6);
    EXPECT_EQ(all.set_of(line * 128), (line ^ line / 6 ^ line / 36 ^ line / 216 ^ line / 1296) % 6);
  }
}

TEST(TagArray, TheReplacementPolicyChoosesAmongFullSets) {
  for (const char* policy : {"lru", "fifo"}) {
    TagArray tags({1, 2, 128, 32, SetHash::kNone, {policy, {}}});
    tags.install(0, 0);
    tags.install(1, 128);
    tags.touch(0);
    EXPECT_EQ(tags.victim(0), policy == std::string("lru") ? 1u : 0u);
    tags.drop(1);
    EXPECT_EQ(tags.victim(0), 1u) << "an empty way goes first";
  }
}

TEST(TagArray, AResetEmptiesEveryLineAndThePolicy) {
  for (const char* policy : {"lru", "fifo", "srrip", "tree-plru"}) {
    TagArray tags({1, 4, 128, 32, SetHash::kNone, {policy, {}}});
    const auto victim_after_uses = [&tags] {
      for (TagArray::Line line = 0; line < 4; ++line) tags.install(line, line * 128);
      tags.touch(2);
      tags.touch(0);
      return tags.victim(0);
    };
    const TagArray::Line fresh = victim_after_uses();
    tags.touch(fresh);
    tags.reserve(3, 0b0001);
    tags.reset();
    for (TagArray::Line line = 0; line < 4; ++line) EXPECT_FALSE(tags.present(line));
    EXPECT_EQ(tags.victim(0), 0u) << "an empty way goes first";
    EXPECT_EQ(victim_after_uses(), fresh) << policy;
  }
}

TEST(TagArray, TheHashSpreadsPowerOfTwoStrides) {
  const TagArray plain = array(64, 8), hashed = array(64, 8, true);
  for (std::uint32_t shift = 7; shift <= 16; ++shift) {
    std::set<std::uint32_t> in_plain, in_hashed;
    for (Address i = 0; i < 4096; ++i) {
      in_plain.insert(plain.set_of(i << shift));
      in_hashed.insert(hashed.set_of(i << shift));
    }
    EXPECT_EQ(in_hashed.size(), 64u) << shift;
    EXPECT_EQ(in_plain.size(), shift < 13 ? 64u >> (shift - 7) : 1u) << shift;
  }
  EXPECT_EQ(hashed.set_of((Address{1} << 7) | (Address{1} << 13)), 0u);
  EXPECT_EQ(hashed.set_of((Address{3} << 7) | (Address{1} << 13) | (Address{4} << 19)), 3u ^ 1u ^ 4u);
}

}  // namespace
}  // namespace heddle
