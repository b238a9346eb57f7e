#include "models/noc/switch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "models/core/base/random.h"
#include "tests/support/machine/crossbar_arbiters.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

// The load of a packet is its number.
Switch::Message packet(std::uintptr_t number, std::uint32_t output, std::uint32_t flits,
                       std::uint64_t issued = 0) {
  return {reinterpret_cast<void*>(number), Cycle{}, Cycle{issued}, output, {}, flits};
}

struct Left {
  std::uintptr_t number;
  std::uint64_t cycle;
  bool operator==(const Left& other) const { return number == other.number && cycle == other.cycle; }
};
std::ostream& operator<<(std::ostream& out, const Left& left) {
  return out << left.number << "@" << left.cycle;
}

// Takes every packet in the cycle in which its tail arrives, between `from` and `to`, and returns them.
std::vector<Left> drain(Switch& way, std::uint32_t outputs, std::uint64_t from, std::uint64_t to) {
  std::vector<Left> left;
  for (std::uint64_t cycle = from; cycle <= to; ++cycle) {
    const Cycle now{cycle};
    for (std::uint32_t o = 0; o < outputs; ++o)
      while (way.loaded().test(o) && way.due(o) <= now) {
        left.push_back({reinterpret_cast<std::uintptr_t>(way.front(o).load), cycle});
        way.pop(o, now);
      }
    way.arbitrate(now);
  }
  return left;
}

TEST(NocSpec, FlitsOfPackets) {
  EXPECT_EQ(small_crossbar().flits(0), 1u);
  EXPECT_EQ(small_crossbar().flits(32), 1u);
  EXPECT_EQ(small_crossbar().flits(64), 2u);
  EXPECT_EQ(small_crossbar().flits(96), 3u);
  EXPECT_EQ(small_crossbar().flits(128), 4u);
}

TEST(Switch, ATailIsThereAfterItsFlitsAndTheLatency) {
  Switch way(small_crossbar(), 2, crossbar_arbiters(2));
  way.push(0, packet(1, 0, 1), Cycle{10});
  way.push(1, packet(2, 1, 4), Cycle{10});
  EXPECT_EQ(drain(way, 2, 10, 40), (std::vector<Left>{{1, 14}, {2, 17}}));
}

TEST(Switch, AnOutputPassesAFlitACycle) {
  Switch way(small_crossbar(), 4, crossbar_arbiters(1));
  for (std::uint32_t i = 0; i < 4; ++i) way.push(i, packet(i, 0, 2), Cycle{10});
  EXPECT_EQ(drain(way, 1, 10, 40), (std::vector<Left>{{0, 15}, {1, 17}, {2, 19}, {3, 21}}));
}

// Two packets of four flits pass to two outputs, and one behind the first of them.
TEST(Switch, APacketThatIsPassingCountsWithTheFlitsThatHavePassed) {
  Switch way(small_crossbar(), 3, crossbar_arbiters(2));
  Group stats("switch");
  way.add_stats(stats);
  way.push(0, packet(1, 0, 4), Cycle{10});
  way.push(1, packet(2, 1, 3), Cycle{10});
  way.push(2, packet(3, 0, 2), Cycle{10});
  const Counter& flits = *stats.find("switch.flits");
  std::vector<std::uint64_t> counted;
  for (std::uint64_t cycle = 10; cycle < 20; ++cycle) {
    drain(way, 2, cycle, cycle);
    way.update_stats(Cycle{cycle});
    counted.push_back(flits.value());
    EXPECT_EQ(way.flits(AccountId{}, Cycle{cycle}), flits.value()) << "all are of one launch";
  }
  EXPECT_EQ(counted, (std::vector<std::uint64_t>{0, 2, 4, 6, 7, 8, 9, 9, 9, 9}));
}

TEST(Switch, AnInputPassesAFlitACycle) {
  Switch way(small_crossbar(), 1, crossbar_arbiters(4));
  for (std::uint32_t o = 0; o < 4; ++o) way.push(0, packet(o, o, 2), Cycle{10});
  EXPECT_EQ(drain(way, 4, 10, 40), (std::vector<Left>{{0, 15}, {1, 17}, {2, 19}, {3, 21}}));
}

TEST(Switch, APacketKeepsItsOutputToItsTail) {
  Switch way(small_crossbar(), 2, crossbar_arbiters(1));
  way.push(0, packet(1, 0, 4), Cycle{10});
  way.arbitrate(Cycle{10});
  way.push(1, packet(2, 0, 1), Cycle{11});
  EXPECT_EQ(drain(way, 1, 11, 40), (std::vector<Left>{{1, 17}, {2, 18}}));
}

TEST(Switch, RoundRobinGoesOnAfterTheLastServed) {
  Switch way(small_crossbar(), 3, crossbar_arbiters(1));
  for (std::uintptr_t n = 0; n < 9; ++n)
    way.push(static_cast<std::uint32_t>(n % 3), packet(n, 0, 1), Cycle{10});
  const std::vector<Left> left = drain(way, 1, 10, 40);
  ASSERT_EQ(left.size(), 9u);
  for (std::uintptr_t n = 0; n < 9; ++n) EXPECT_EQ(left[n], (Left{n, 14 + n}));
}

TEST(Switch, OldestFirstGoesByIssueThenPort) {
  Switch way(small_crossbar(), 4, crossbar_arbiters(1, "oldest-first"));
  way.push(0, packet(0, 0, 1, 9), Cycle{10});
  way.push(1, packet(1, 0, 1, 5), Cycle{10});
  way.push(2, packet(2, 0, 1, 7), Cycle{10});
  way.push(3, packet(3, 0, 1, 5), Cycle{10});
  EXPECT_EQ(drain(way, 1, 10, 40), (std::vector<Left>{{1, 14}, {3, 15}, {2, 16}, {0, 17}}));
}

TEST(Switch, AHeadBlocksThoseBehindIt) {
  Switch way(small_crossbar(), 2, crossbar_arbiters(2));
  way.push(0, packet(1, 0, 4), Cycle{10});
  way.arbitrate(Cycle{10});
  way.push(1, packet(2, 0, 1), Cycle{11});
  way.push(1, packet(3, 1, 1), Cycle{11});  // its output is free, and the output of the head is not
  EXPECT_EQ(drain(way, 2, 11, 40), (std::vector<Left>{{1, 17}, {2, 18}, {3, 19}}));
}

TEST(Switch, AFullOutputBufferHoldsPacketsBack) {
  Switch way(small_crossbar(), 1, crossbar_arbiters(1));
  way.push(0, packet(1, 0, 4), Cycle{10});
  way.push(0, packet(2, 0, 4), Cycle{10});
  EXPECT_FALSE(way.fits(0, 1, Cycle{10}));
  EXPECT_EQ(way.arbitrate(Cycle{10}), Cycle{14});
  EXPECT_EQ(way.room_at(0, Cycle{10}), Cycle{14});
  EXPECT_FALSE(way.fits(0, 1, Cycle{13}));
  EXPECT_TRUE(way.fits(0, 4, Cycle{14}));
  EXPECT_EQ(way.arbitrate(Cycle{14}), Cycle::never());
  way.push(0, packet(3, 0, 1), Cycle{18});
  EXPECT_EQ(way.arbitrate(Cycle{18}), Cycle::never()) << "the output holds 8 flits";
  EXPECT_EQ(way.due(0), Cycle{17});
  way.pop(0, Cycle{20});
  EXPECT_EQ(way.arbitrate(Cycle{20}), Cycle::never());
  EXPECT_EQ(way.passed(0), 2u);
  EXPECT_EQ(way.held(), 2u);
}

TEST(Switch, CountsWhereTimeGoes) {
  Group stats("way");
  Switch way(small_crossbar(), 2, crossbar_arbiters(1));
  way.add_stats(stats);
  way.push(0, packet(1, 0, 4), Cycle{0});
  way.push(1, packet(2, 0, 1), Cycle{0});
  way.arbitrate(Cycle{0});  // the first until 4
  way.arbitrate(Cycle{4});
  way.pop(0, Cycle{7});
  way.pop(0, Cycle{18});  // the tail came at 8
  way.update_stats(Cycle{18});
  const auto value = [&](const char* name) { return stats.find(std::string("way.") + name)->value(); };
  EXPECT_EQ(value("packets"), 2u);
  EXPECT_EQ(value("flits"), 5u);
  EXPECT_EQ(value("arbitration_cycles"), 4u);
  EXPECT_EQ(value("blocked_cycles"), 10u);
  EXPECT_EQ(value("latency_cycles"), 7u + 18u);
}

std::vector<std::unique_ptr<CrossbarArbiter>> one_arbiter(const PolicyChoice& choice) {
  std::vector<std::unique_ptr<CrossbarArbiter>> arbiters;
  arbiters.push_back(PolicyRegistry<CrossbarArbiter>::make(choice));
  return arbiters;
}

// The input with number i belongs to context i. It always has packets of so many flits for the only output.
// Returns the counters of the switch after `cycles`.
std::map<std::string, std::uint64_t> saturate(const PolicyChoice& arbiter,
                                              const std::vector<std::uint32_t>& flits, std::uint64_t cycles) {
  const auto inputs = static_cast<std::uint32_t>(flits.size());
  Switch way(small_crossbar(), inputs, one_arbiter(arbiter));
  Group stats("way");
  way.add_stats(stats);
  for (Cycle now{0}; now < Cycle{cycles}; now = now + 1) {
    while (way.loaded().test(0) && way.due(0) <= now) way.pop(0, now);
    for (std::uint32_t i = 0; i < inputs; ++i) {
      Switch::Message message = packet(1, 0, flits[i]);
      message.context = ContextId{i};
      while (way.fits(i, flits[i], now)) way.push(i, message, now);
    }
    way.arbitrate(now);
  }
  std::map<std::string, std::uint64_t> values;
  for (std::uint32_t i = 0; i < inputs; ++i)
    for (const char* name : {"packets", "flits", "wait", "preferred", "deferred"}) {
      const std::string path = "context" + std::to_string(i) + "." + name;
      values[path] = stats.find("way.contexts." + path)->value();
    }
  return values;
}

// The output passes a flit in each cycle.
TEST(Switch, ContextsHaveFlitsInTheRatioOfTheirWeights) {
  const auto values = saturate({"context-shares", {{"weights", IntegerLists{{3, 1}}}}}, {1, 4}, 16000);
  EXPECT_NEAR(static_cast<double>(values.at("context0.flits")), 12000, 8);
  EXPECT_NEAR(static_cast<double>(values.at("context1.flits")), 4000, 8);
  EXPECT_EQ(values.at("context1.flits"), 4 * values.at("context1.packets"));
}

// A packet of four flits holds the output for four cycles, and then the other context has waited for 98.
TEST(Switch, AContextOfLowPriorityHasThePacketsThatTheBoundGivesIt) {
  const auto values =
      saturate({"context-priority", {{"priorities", IntegerLists{{1, 0}}}, {"bound", 96}}}, {4, 4}, 10000);
  EXPECT_NEAR(static_cast<double>(values.at("context1.packets")), 100, 1);
  EXPECT_NEAR(static_cast<double>(values.at("context0.packets")), 2400, 1);
  EXPECT_NEAR(static_cast<double>(values.at("context1.wait")), 96 * 100, 96);
  EXPECT_NEAR(static_cast<double>(values.at("context1.deferred")), 2300, 25);
  EXPECT_EQ(values.at("context0.preferred"), values.at("context1.deferred"));
}

TEST(Switch, CountsNothingByContextUnderAnArbiterThatDoesNotUseContexts) {
  Group stats("way");
  Switch way(small_crossbar(), 2, crossbar_arbiters(1));
  way.add_stats(stats);
  EXPECT_EQ(stats.find("way.contexts.context0.flits"), nullptr);
}

// The reference is a model that checks every port in every cycle. The same packets leave in the same cycles,
// although arbitrate() is only called in the cycles that it returned and after a push or a pop.
TEST(Switch, RandomTrafficLeavesAsInAModelThatPollsEveryCycle) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    Random random(seed);
    const std::uint32_t inputs = 1 + static_cast<std::uint32_t>(random.below(5));
    const std::uint32_t outputs = 1 + static_cast<std::uint32_t>(random.below(5));
    const char* arbiter = random.below(2) == 1 ? "oldest-first" : "round-robin";
    Switch lazy(small_crossbar(), inputs, crossbar_arbiters(outputs, arbiter));
    Switch eager(small_crossbar(), inputs, crossbar_arbiters(outputs, arbiter));
    std::vector<Left> from_lazy, from_eager;
    std::uintptr_t number = 0;
    std::map<std::uintptr_t, std::pair<std::uint32_t, std::uint32_t>> way_of;
    Cycle next = Cycle::never();
    const std::uint64_t slow = random.below(4);
    for (std::uint64_t cycle = 1; cycle < 2000; ++cycle) {
      const Cycle now{cycle};
      bool touched = next <= now;
      for (std::uint32_t o = 0; o < outputs; ++o) {
        if (!eager.loaded().test(o) || eager.due(o) > now || random.below(4) < slow) continue;
        ASSERT_TRUE(lazy.loaded().test(o) && lazy.due(o) <= now) << seed << " at " << cycle;
        from_eager.push_back({reinterpret_cast<std::uintptr_t>(eager.front(o).load), cycle});
        from_lazy.push_back({reinterpret_cast<std::uintptr_t>(lazy.front(o).load), cycle});
        eager.pop(o, now);
        lazy.pop(o, now);
        touched = true;
      }
      for (std::uint32_t i = 0; cycle < 1800 && i < inputs; ++i) {
        if (random.below(3) != 0) continue;
        const auto flits = 1 + static_cast<std::uint32_t>(random.below(4));
        ASSERT_EQ(lazy.fits(i, flits, now), eager.fits(i, flits, now));
        if (!eager.fits(i, flits, now)) continue;
        const auto output = static_cast<std::uint32_t>(random.below(outputs));
        const auto sent = packet(number, output, flits, random.below(cycle));
        way_of[number++] = {i, output};
        lazy.push(i, sent, now);
        eager.push(i, sent, now);
        touched = true;
      }
      if (touched) next = lazy.arbitrate(now);
      eager.arbitrate(now);
    }
    EXPECT_EQ(from_lazy, from_eager) << seed;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uintptr_t> last;
    for (const Left& left : from_lazy) {
      const auto before = last.find(way_of[left.number]);
      EXPECT_TRUE(before == last.end() || before->second < left.number) << seed << ": order of one way";
      last[way_of[left.number]] = left.number;
    }
  }
}

}  // namespace
}  // namespace heddle
