#include "models/core/base/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "models/core/base/check.h"

namespace heddle::test {
namespace {

TEST(WorkerPool, RunsEachPartOnceOnAThreadOfItsOwn) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    WorkerPool pool(threads, std::chrono::hours(1));
    ASSERT_EQ(pool.threads(), threads);
    std::vector<std::thread::id> first(threads);
    std::vector<std::thread::id> again(threads);
    std::vector<int> calls(threads);
    auto note_first = [&](unsigned part) {
      first[part] = std::this_thread::get_id();
      ++calls[part];
    };
    auto note_again = [&](unsigned part) { again[part] = std::this_thread::get_id(); };
    pool.run(note_first);
    pool.run(note_again);
    EXPECT_EQ(first, again);
    EXPECT_EQ(calls, std::vector<int>(threads, 1));
    EXPECT_EQ(first[0], std::this_thread::get_id());
    for (unsigned part = 1; part < threads; ++part)
      for (unsigned other = 0; other < part; ++other) EXPECT_NE(first[part], first[other]);
  }
}

TEST(WorkerPool, ReturnsWhenAllPartsHaveEnded) {
  WorkerPool pool(3);
  std::vector<std::uint64_t> sums(3);  // each is of one thread
  for (std::uint64_t round = 1; round <= 20'000; ++round) {
    auto add = [&](unsigned part) { sums[part] += round; };
    pool.run(add);
    ASSERT_EQ(sums, std::vector<std::uint64_t>(3, round * (round + 1) / 2));
  }
}

TEST(WorkerPool, WakesThreadsThatSleep) {
  WorkerPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    int calls = 0;
    auto count = [&](unsigned part) { calls += part == 1 ? 1 : 0; };
    pool.run(count);
    EXPECT_EQ(calls, 1);
  }
}

// Returns the number of rounds until a part is done by another thread than the calling one.
unsigned rounds_alone(WorkerPool& pool) {
  for (unsigned rounds = 0;; ++rounds) {
    std::thread::id thread;
    auto note = [&](unsigned part) {
      if (part == 1) thread = std::this_thread::get_id();
    };
    pool.run(note);
    if (thread != std::this_thread::get_id()) return rounds;
  }
}

TEST(WorkerPool, TheCallingThreadWorksAloneAfterAThreadWasLate) {
  WorkerPool pool(2, std::chrono::milliseconds(10));
  auto slow = [](unsigned part) {
    if (part == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  pool.run(slow);
  EXPECT_EQ(rounds_alone(pool), WorkerPool::kLeastAlone);
  pool.run(slow);
  EXPECT_GE(rounds_alone(pool), 2 * WorkerPool::kLeastAlone);
}

TEST(WorkerPool, RefusesNoThreadsAndTooMany) {
  EXPECT_THROW(WorkerPool(0), InvariantError);
  EXPECT_THROW(WorkerPool(WorkerPool::kMostThreads + 1), InvariantError);
}

}  // namespace
}  // namespace heddle::test
