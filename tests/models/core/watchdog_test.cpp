#include "models/core/time/watchdog.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

struct Fake {
  std::uint64_t progress = 0;
  bool idle = false;

  void watch(Watchdog& watchdog, const std::string& name) {
    watchdog.watch({name, [this] { return progress; }, [this] { return idle; },
                    [name] { return name + "'s neighbour"; }});
  }
};

TEST(Watchdog, ComplainsAfterTheLimitWithoutProgress) {
  Watchdog watchdog(100);
  Fake a, b;
  a.watch(watchdog, "a");
  b.watch(watchdog, "b");
  ++a.progress;
  EXPECT_EQ(watchdog.check(Cycle{10}), "");
  EXPECT_EQ(watchdog.check(Cycle{109}), "");
  EXPECT_EQ(watchdog.check(Cycle{110}),
            "deadlock: no progress for 100 cycles\n  a: a's neighbour\n  b: b's neighbour");
  b.idle = true;
  EXPECT_EQ(watchdog.check(Cycle{111}), "deadlock: no progress for 101 cycles\n  a: a's neighbour");
}

TEST(Watchdog, AnyProgressWindsItUp) {
  Watchdog watchdog(100);
  Fake a, b;
  a.watch(watchdog, "a");
  b.watch(watchdog, "b");
  for (std::uint64_t cycle = 60; cycle < 6000; cycle += 60) {
    ++(cycle % 120 == 0 ? a : b).progress;
    EXPECT_EQ(watchdog.check(Cycle{cycle}), "");
  }
}

TEST(Watchdog, IdleIsNoDeadlock) {
  Watchdog watchdog(100);
  Fake a;
  a.watch(watchdog, "a");
  a.idle = true;
  EXPECT_EQ(watchdog.check(Cycle{1'000'000}), "");
  a.idle = false;
  EXPECT_EQ(watchdog.check(Cycle{1'000'099}), "");
  EXPECT_NE(watchdog.check(Cycle{1'000'100}), "");
}

}  // namespace
}  // namespace heddle
