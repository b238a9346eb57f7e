#include "models/core/time/timing_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "models/core/base/random.h"

namespace heddle {
namespace {

std::vector<std::size_t> expire(TimingWheel& wheel, Cycle cycle) {
  std::vector<std::size_t> woken;
  wheel.expire(cycle, [&](TimingWheel::Sleeper sleeper) { woken.push_back(sleeper); });
  return woken;
}

TimingWheel with_sleepers(std::size_t count) {
  TimingWheel wheel;
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(wheel.add(), i);
  return wheel;
}

using Woken = std::vector<std::size_t>;

TEST(TimingWheel, EmptyIsNeverDue) {
  TimingWheel none;
  EXPECT_EQ(none.next(), Cycle::never());
  TimingWheel wheel = with_sleepers(3);
  EXPECT_EQ(wheel.sleepers(), 3u);
  EXPECT_EQ(wheel.next(), Cycle::never());
}

TEST(TimingWheel, WakesAtTheCycleAskedForAndNotAgain) {
  TimingWheel wheel = with_sleepers(2);
  wheel.wake_at(1, Cycle{7});
  EXPECT_EQ(wheel.next(), Cycle{7});
  EXPECT_EQ(expire(wheel, Cycle{7}), Woken{1});
  EXPECT_EQ(wheel.next(), Cycle::never());
}

TEST(TimingWheel, OneCycleWakesInOrderOfSleeperNumber) {
  TimingWheel wheel = with_sleepers(200);
  for (const std::size_t sleeper : {130u, 64u, 0u, 199u, 63u}) wheel.wake_at(sleeper, Cycle{5});
  EXPECT_EQ(wheel.next(), Cycle{5});
  EXPECT_EQ(expire(wheel, Cycle{5}), (Woken{0, 63, 64, 130, 199}));
}

TEST(TimingWheel, TheEarliestWakeWins) {
  TimingWheel wheel = with_sleepers(1);
  wheel.wake_at(0, Cycle{50});
  wheel.wake_at(0, Cycle{20});
  wheel.wake_at(0, Cycle{30});
  EXPECT_EQ(wheel.next(), Cycle{20});
  EXPECT_EQ(expire(wheel, Cycle{20}), Woken{0});
  EXPECT_EQ(wheel.next(), Cycle::never()) << "the later wakes are gone with the one that was met";
}

TEST(TimingWheel, AMarkLeftByALaterWakeDoesNotWakeEarly) {
  TimingWheel wheel = with_sleepers(2);
  wheel.wake_at(0, Cycle{50});
  wheel.wake_at(0, Cycle{20});
  EXPECT_EQ(expire(wheel, Cycle{20}), Woken{0});
  wheel.wake_at(0, Cycle{60});
  wheel.wake_at(1, Cycle{50});
  EXPECT_EQ(expire(wheel, Cycle{50}), Woken{1});
  EXPECT_EQ(wheel.next(), Cycle{60});
}

TEST(TimingWheel, TheLastCycleOfTheWindowAndTheFirstBeyondIt) {
  TimingWheel wheel = with_sleepers(3);
  wheel.wake_at(0, Cycle{255});
  wheel.wake_at(1, Cycle{256});
  wheel.wake_at(2, Cycle{511});
  EXPECT_EQ(wheel.next(), Cycle{255});
  EXPECT_EQ(expire(wheel, Cycle{255}), Woken{0});
  EXPECT_EQ(wheel.next(), Cycle{256});
  EXPECT_EQ(expire(wheel, Cycle{256}), Woken{1});
  EXPECT_EQ(wheel.next(), Cycle{511});
  EXPECT_EQ(expire(wheel, Cycle{511}), Woken{2});
}

TEST(TimingWheel, SleepsOfAnyLength) {
  TimingWheel wheel = with_sleepers(2);
  wheel.wake_at(0, Cycle{1'000'000'000'000});
  wheel.wake_at(1, Cycle{3});
  EXPECT_EQ(expire(wheel, wheel.next()), Woken{1});
  EXPECT_EQ(wheel.next(), Cycle{1'000'000'000'000});
  wheel.wake_at(1, Cycle{999'999'999'999});
  EXPECT_EQ(wheel.next(), Cycle{999'999'999'999});
  EXPECT_EQ(expire(wheel, Cycle{999'999'999'999}), Woken{1});
  EXPECT_EQ(expire(wheel, wheel.next()), Woken{0});
}

TEST(TimingWheel, ASleeperAsksAnewWhileItIsWoken) {
  TimingWheel wheel = with_sleepers(2);
  wheel.wake_at(0, Cycle{1});
  wheel.wake_at(1, Cycle{1});
  wheel.expire(Cycle{1}, [&](std::size_t sleeper) {
    if (sleeper == 0) wheel.wake_at(0, Cycle{2});
    // The sleeper is still due now, so that this wake is lost, as the contract states.
    if (sleeper == 0) wheel.wake_at(1, Cycle{9});
  });
  EXPECT_EQ(wheel.next(), Cycle{2});
  EXPECT_EQ(expire(wheel, Cycle{2}), Woken{0});
  EXPECT_EQ(wheel.next(), Cycle::never());
}

// Compares the wheel with a map from sleeper to due cycle. The wakes have every distance, and are asked for
// both between and during wakes.
Cycle compare_with_map(std::size_t sleepers) {
  constexpr std::uint64_t kDistances[] = {1, 2, 63, 64, 65, 255, 256, 257, 511, 513, 100'000};
  Random random(1);
  TimingWheel wheel = with_sleepers(sleepers);
  std::map<std::size_t, Cycle> due;
  Cycle now{0};
  const auto ask = [&](std::size_t sleeper) {
    const std::uint64_t most = kDistances[random.below(std::size(kDistances))];
    const Cycle cycle = now + 1 + random.below(most);
    wheel.wake_at(sleeper, cycle);
    const auto asked = due.emplace(sleeper, cycle).first;
    if (cycle < asked->second) asked->second = cycle;
  };
  for (int step = 0; step < 20'000; ++step) {
    for (std::uint64_t i = random.below(4); i > 0; --i) ask(random.below(sleepers));
    Cycle next = Cycle::never();
    for (const auto& [sleeper, cycle] : due) next = std::min(next, cycle);
    EXPECT_EQ(wheel.next(), next) << "step " << step;
    if (testing::Test::HasFailure()) return now;
    if (next == Cycle::never()) continue;
    if (random.below(4) == 0) continue;  // several wakes before time goes on
    now = next;
    Woken expected;
    for (auto it = due.begin(); it != due.end();)
      if (it->second == now) {
        expected.push_back(it->first);
        it = due.erase(it);
      } else {
        ++it;
      }
    Woken woken;
    std::vector<std::size_t> again;
    wheel.expire(now, [&](std::size_t sleeper) {
      woken.push_back(sleeper);
      if (sleeper % 3 == 0) ask(sleeper);
    });
    EXPECT_EQ(woken, expected) << "cycle " << now.value;
  }
  return now;
}

TEST(TimingWheel, AgreesWithANaiveMap) {
  EXPECT_GT(compare_with_map(1).value, 1'000'000u);
  EXPECT_GT(compare_with_map(3).value, 100'000u);
  EXPECT_GT(compare_with_map(130).value, 10'000u);
}

}  // namespace
}  // namespace heddle
