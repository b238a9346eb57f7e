#include "stimuli/recorded/folded_calls.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "tests/support/test_size.h"

namespace heddle::imported {
namespace {

// "3(ab)c": calls are letters.
std::string text_of(const std::vector<FoldedItem>& items) {
  std::string text;
  for (const FoldedItem& item : items) {
    if (item.loop == nullptr)
      text += static_cast<char>('a' + item.call);
    else
      text += std::to_string(item.loop->rounds) + "(" + text_of(item.loop->body) + ")";
  }
  return text;
}

std::string folded(const std::string& calls) {
  FoldedCalls list;
  for (const char call : calls) list.add(static_cast<std::uint32_t>(call - 'a'), 1);
  return text_of(list.items());
}

void unfold(const std::vector<FoldedItem>& items, std::vector<std::uint32_t>& calls) {
  for (const FoldedItem& item : items) {
    if (item.loop == nullptr) calls.push_back(item.call);
    for (std::uint64_t round = 0; item.loop != nullptr && round < item.loop->rounds; ++round)
      unfold(item.loop->body, calls);
  }
}

std::uint64_t gaps_of(const std::vector<FoldedItem>& items) {
  std::uint64_t sum = 0;
  for (const FoldedItem& item : items) sum += item.loop == nullptr ? item.gap_ps : gaps_of(item.loop->body);
  return sum;
}

TEST(FoldedCalls, ARunOfEqualCallsIsALoop) {
  EXPECT_EQ(folded("a"), "a");
  EXPECT_EQ(folded("aa"), "2(a)");
  EXPECT_EQ(folded("aaaaa"), "5(a)");
  EXPECT_EQ(folded("abcabcabc"), "3(abc)");
  EXPECT_EQ(folded("xababab"), "x3(ab)");
  EXPECT_EQ(folded("abababx"), "3(ab)x");
}

TEST(FoldedCalls, LoopsStandInLoops) {
  EXPECT_EQ(folded("abbbabbb"), "2(a3(b))");
  EXPECT_EQ(folded("aabaabaabc"), "3(2(a)b)c");
  EXPECT_EQ(folded("abbcabbcdabbcabbcd"), "2(2(a2(b)c)d)");
}

TEST(FoldedCalls, WhatDiffersIsNotFolded) {
  EXPECT_EQ(folded("abcd"), "abcd");
  EXPECT_EQ(folded("abacad"), "abacad");
  EXPECT_EQ(folded("abbabbb"), "2(a2(b))b");
}

TEST(FoldedCalls, GapsOfEqualCallsAddUpAtTheirPlace) {
  FoldedCalls list;
  for (std::uint64_t round = 0; round < 4; ++round) {
    list.add(0, 100 + round);
    list.add(1, 10 * round);
  }
  ASSERT_EQ(text_of(list.items()), "4(ab)");
  EXPECT_EQ(list.items()[0].loop->body[0].gap_ps, 406u);
  EXPECT_EQ(list.items()[0].loop->body[1].gap_ps, 60u);
}

// Random loops in loops with random noise between them.
std::vector<std::uint32_t> random_calls(std::mt19937& random, int depth) {
  std::vector<std::uint32_t> calls;
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const std::uint32_t parts = 1 + below(4);
  for (std::uint32_t part = 0; part < parts; ++part) {
    std::vector<std::uint32_t> body{below(3)};
    if (depth > 0 && below(3) > 0) body = random_calls(random, depth - 1);
    const std::uint32_t rounds = 1 + below(4);
    for (std::uint32_t round = 0; round < rounds; ++round)
      calls.insert(calls.end(), body.begin(), body.end());
  }
  return calls;
}

TEST(FoldedCalls, WrittenOutAreTheCallsThatWereAdded) {
  std::mt19937 random(7);
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    const std::vector<std::uint32_t> calls = random_calls(random, 3);
    FoldedCalls list;
    std::uint64_t gaps = 0;
    for (const std::uint32_t call : calls) {
      const std::uint64_t gap = random() % 1000;
      gaps += gap;
      list.add(call, gap);
    }
    std::vector<std::uint32_t> again;
    unfold(list.items(), again);
    ASSERT_EQ(again, calls) << i;
    ASSERT_EQ(gaps_of(list.items()), gaps) << i;
  }
}

TEST(FoldedCalls, AMillionCallsOfALongRoundTakeTheRoomOfOneRound) {
  constexpr std::uint32_t kPeriod = 5000;  // calls of a round, of which many are equal
  FoldedCalls list;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    const std::uint32_t place = i % kPeriod;
    list.add(place % 7 == 0 ? place : place % 11, i % 13);
  }
  ASSERT_LE(size_of(list.items()), 2 * kPeriod + 2);
  std::vector<std::uint32_t> again;
  unfold(list.items(), again);
  ASSERT_EQ(again.size(), 1000000u);
  EXPECT_EQ(again[999999], (4999 % 7 == 0 ? 4999u : 4999u % 11));
}

TEST(FoldedCalls, CallsWithoutAnyOrderStayAList) {
  std::mt19937 random(1);
  FoldedCalls list;
  std::vector<std::uint32_t> calls;
  for (int i = 0; i < 100000; ++i) calls.push_back(static_cast<std::uint32_t>(random() % 1000));
  for (const std::uint32_t call : calls) list.add(call, 0);
  std::vector<std::uint32_t> again;
  unfold(list.items(), again);
  EXPECT_EQ(again, calls);
}

}  // namespace
}  // namespace heddle::imported
