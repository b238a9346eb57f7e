#include "models/core/base/memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace heddle {
namespace {

TEST(Memo, MakesTheValueOfAKeyOnce) {
  Memo<std::string, std::string> memo(8);
  int made = 0;
  const auto ask = [&](const std::string& key) {
    return memo.get(key, [&] {
      ++made;
      return key + "!";
    });
  };
  const auto first = ask("a");
  EXPECT_EQ(*first, "a!");
  EXPECT_EQ(*ask("b"), "b!");
  EXPECT_EQ(ask("a"), first);
  EXPECT_EQ(made, 2);
}

TEST(Memo, BeginsAnewWhenItIsFull) {
  Memo<int, int> memo(2);
  int made = 0;
  const auto ask = [&](int key) { return memo.get(key, [&] { return ++made; }); };
  const auto first = ask(1);
  ask(2);
  EXPECT_EQ(ask(1), first);  // a known key makes no room
  ask(3);
  EXPECT_EQ(*ask(3), 3);
  EXPECT_EQ(*ask(1), 4);
  EXPECT_EQ(*first, 1);  // who has a value keeps it
}

TEST(Memo, KeepsNothingOfAFailure) {
  Memo<int, int> memo(2);
  const auto fail = []() -> int { throw std::runtime_error("no"); };
  EXPECT_THROW(memo.get(1, fail), std::runtime_error);
  EXPECT_EQ(*memo.get(1, [] { return 5; }), 5);
  EXPECT_EQ(*memo.get(1, fail), 5);
}

TEST(Memo, MakesItOnceForSeveralThreads) {
  Memo<int, int> memo(8);
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int key = 0; key < 4; ++key)
        EXPECT_EQ(*memo.get(key,
                            [&] {
                              ++made;
                              std::this_thread::yield();
                              return key * key;
                            }),
                  key * key);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 4);
}

}  // namespace
}  // namespace heddle
