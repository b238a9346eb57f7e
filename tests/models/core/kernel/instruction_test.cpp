// What an instruction says of its registers: lists, words of 64, and banks.

#include "models/core/kernel/instruction.h"

#include <gmock/gmock.h>

#include <map>

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> words_of(const Instruction& code) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> words;
  code.for_each_register_word([&](const RegisterWord& word) {
    EXPECT_TRUE(words.emplace(word.number, std::pair(word.named, word.written)).second) << word.number;
  });
  return words;
}

TEST(Instruction, ListsItsRegistersInTheOrderInWhichTheyAreNamed) {
  Instruction code;
  code.writes(7);
  code.writes_predicate(961);
  code.reads(200);
  code.reads(3);
  code.reads(200);
  code.reads_predicate(960);
  EXPECT_THAT(code.destinations(), ElementsAre(7, 961));
  EXPECT_THAT(code.sources(), ElementsAre(200, 3, 960));
  EXPECT_EQ(code.register_writes, 1);
  EXPECT_EQ(code.register_reads, 2);
}

TEST(Instruction, HasAWordForEach64RegistersOfWhichItNamesOne) {
  Instruction code;
  code.writes(7);
  code.writes_predicate(961);
  code.reads(200);
  code.reads(3);
  const auto words = words_of(code);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words.at(0), std::pair(std::uint64_t{1U << 7U | 1U << 3U}, std::uint64_t{1U << 7U}));
  EXPECT_EQ(words.at(3), std::pair(std::uint64_t{1U << 8U}, std::uint64_t{0}));
  EXPECT_EQ(words.at(15), std::pair(std::uint64_t{1U << 1U}, std::uint64_t{1U << 1U}));
}

TEST(Instruction, WithoutRegistersHasOneEmptyWord) {
  const Instruction code;
  EXPECT_THAT(code.sources(), IsEmpty());
  EXPECT_THAT(code.destinations(), IsEmpty());
  EXPECT_EQ(words_of(code), words_of(Instruction{}));
  EXPECT_EQ(words_of(code).at(0), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

// Programs make instructions of others, with another memory space or barrier, and with more registers.
TEST(Instruction, KeepsItsRegistersWhenACopyNamesMore) {
  Instruction code;
  code.reads(1);
  code.reads(100);
  Instruction copy = code;
  copy.reads(2);
  copy.writes(700);
  EXPECT_THAT(code.sources(), ElementsAre(1, 100));
  EXPECT_THAT(code.destinations(), IsEmpty());
  EXPECT_EQ(words_of(code).size(), 2u);
  EXPECT_THAT(copy.sources(), ElementsAre(1, 100, 2));
  EXPECT_EQ(words_of(copy).size(), 3u);
}

TEST(Instruction, NamesAsManyRegistersAsItMay) {
  Instruction code;
  for (std::size_t i = 0; i < Instruction::kMostDestinations; ++i)
    code.writes(static_cast<RegisterId>(i * 128));
  for (std::size_t i = 0; i < Instruction::kMostSources; ++i)
    code.reads_predicate(static_cast<RegisterId>(i * 36));
  EXPECT_EQ(code.destinations().size(), 8u);
  EXPECT_EQ(code.sources().size(), 28u);
  std::size_t named = 0;
  for (const auto& [number, word] : words_of(code)) named += __builtin_popcountll(word.first);
  EXPECT_EQ(named, 8u + 28 - 1) << "register 0 is read and written";
}

}  // namespace
}  // namespace heddle::test
