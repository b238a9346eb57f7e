// When the kernels of a process are watched, and when they are known to never end.

#include "models/machine/kernel_watch.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

struct Watched : KernelProgram {
  BlockStream& start(BlockId) override { throw std::logic_error("no block starts"); }
  void finish(BlockStream&) override {}
  void watch(bool is_watched) override { watches += (is_watching = is_watched) ? 1 : 0; }
  bool is_stuck() const override { return is_watching && repeats; }

  bool repeats = true;  // its warps repeat themselves
  bool is_watching = false;
  int watches = 0;
};

KernelWatch::Progress progress(std::uint64_t events, std::uint64_t blocks, bool memory_may_change = false) {
  return {events, blocks, memory_may_change};
}

TEST(KernelWatch, AKernelThatRepeatsItselfNeverEnds) {
  KernelWatch watch;
  Watched kernel;
  EXPECT_FALSE(watch.check(progress(10, 4), {&kernel}));
  EXPECT_EQ(kernel.watches, 0) << "blocks have been issued since the last check";
  EXPECT_FALSE(watch.check(progress(10, 4), {&kernel}));
  EXPECT_EQ(kernel.watches, 1);
  EXPECT_TRUE(watch.check(progress(10, 4), {&kernel}));
}

TEST(KernelWatch, AllKernelsOfTheProcessAreStuckOrNone) {
  KernelWatch watch;
  Watched stuck;
  Watched runs;
  runs.repeats = false;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(watch.check(progress(10, 4), {&stuck, &runs})) << i;
  EXPECT_EQ(runs.watches, 1) << "the watch goes on";
  runs.repeats = true;
  EXPECT_TRUE(watch.check(progress(10, 4), {&stuck, &runs}));
}

TEST(KernelWatch, MemoryThatMayStillChangeIsWaitedFor) {
  KernelWatch watch;
  Watched kernel;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(watch.check(progress(10, 4, true), {&kernel})) << i;
  EXPECT_TRUE(watch.check(progress(10, 4), {&kernel}));
}

TEST(KernelWatch, AProcessWithoutKernelsIsNotWatched) {
  KernelWatch watch;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(watch.check(progress(10, 4), {})) << i;
}

// A watch costs time: kernels that change memory are watched less and less often, with at most 64 checks in
// between.
TEST(KernelWatch, PausesGrowBehindWatchesThatSawMemoryChange) {
  KernelWatch watch;
  Watched kernel;
  std::uint64_t events = 10;
  watch.check(progress(events, 4), {&kernel});
  std::vector<int> pauses;
  int since = 0;
  for (int i = 0; i < 600; ++i) {
    const bool was_watching = kernel.is_watching;
    if (was_watching) ++events;  // memory changes under each watch
    EXPECT_FALSE(watch.check(progress(events, 4), {&kernel}));
    if (was_watching) since = 0;
    if (kernel.is_watching && !was_watching) pauses.push_back(since);
    ++since;
  }
  ASSERT_GE(pauses.size(), 9u);
  EXPECT_EQ((std::vector<int>(pauses.begin(), pauses.begin() + 9)),
            (std::vector<int>{0, 2, 4, 8, 16, 32, 64, 65, 65}));
}

TEST(KernelWatch, ANewBlockEndsThePauses) {
  KernelWatch watch;
  Watched kernel;
  std::uint64_t events = 10;
  for (int i = 0; i < 300; ++i) {
    if (kernel.is_watching) ++events;
    watch.check(progress(events, 4), {&kernel});
  }
  const int before = kernel.watches;
  watch.check(progress(++events, 5), {&kernel});
  EXPECT_FALSE(kernel.is_watching);
  watch.check(progress(events, 5), {&kernel});
  EXPECT_TRUE(kernel.is_watching);
  EXPECT_EQ(kernel.watches, before + 1);
}

}  // namespace
}  // namespace heddle
