// The limits of the outstanding requests that a context may have at an L2 slice.

#include <gtest/gtest.h>

#include <map>

#include "models/core/base/random.h"
#include "models/noc/switch.h"
#include "tests/support/machine/crossbar_arbiters.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

constexpr ContextId kLimited{0};
constexpr ContextId kFree{1};

Switch::Message packet(std::uintptr_t number, std::uint32_t output, ContextId context) {
  Switch::Message message{reinterpret_cast<void*>(number), Cycle{}, Cycle{}, output, {}, 1};
  message.context = context;
  return message;
}

std::uint64_t counter(const Group& stats, const std::string& path) {
  const Counter* found = stats.find("switch.outstanding." + path);
  return found == nullptr ? ~std::uint64_t{0} : found->value();
}

// The slice answers each request kLatency cycles after the crossbar has granted it. A context that always has
// a request, and may have `most` of them outstanding, gets `most` answers in kLatency cycles (Little's law).
TEST(OutstandingLimits, AContextIsServedAtItsLimitOverTheLatency) {
  constexpr std::uint64_t kLatency = 40;
  constexpr std::uint64_t kCycles = 4000;
  for (const std::uint32_t most : {1u, 4u, 10u, 40u}) {
    Switch way(small_crossbar(), 2, crossbar_arbiters(1), {most});
    std::multimap<std::uint64_t, ContextId> answers;  // by cycle
    std::map<std::uint32_t, std::uint64_t> answered;  // by context
    for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
      const Cycle now{cycle};
      for (; !answers.empty() && answers.begin()->first <= cycle; answers.erase(answers.begin())) {
        way.answered(0, answers.begin()->second, now);
        ++answered[answers.begin()->second.value];
      }
      while (way.loaded().test(0) && way.due(0) <= now) {
        const auto context =
            static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(way.front(0).load) - 1);
        answers.emplace(cycle + kLatency - small_crossbar().latency, ContextId{context});
        way.pop(0, now);
      }
      while (way.fits(0, 1, now)) way.push(0, packet(1, 0, kLimited), now);
      way.arbitrate(now);
    }
    EXPECT_NEAR(static_cast<double>(answered[0]), static_cast<double>(most * kCycles) / kLatency,
                static_cast<double>(most) + 1)
        << most;
  }
}

// The packet of the other context passes while that of the limited one waits, and the counters say how long.
TEST(OutstandingLimits, APacketWithoutAPlaceWaitsAndOthersPassIt) {
  Switch way(small_crossbar(), 3, crossbar_arbiters(1), {1});
  Group stats("switch");
  way.add_stats(stats);
  way.push(0, packet(1, 0, kLimited), Cycle{10});
  way.push(1, packet(2, 0, kLimited), Cycle{10});
  way.push(2, packet(3, 0, kFree), Cycle{10});
  for (std::uint64_t cycle = 10; cycle < 30; ++cycle) way.arbitrate(Cycle{cycle});
  EXPECT_EQ(way.passed(0), 2u);
  EXPECT_EQ(way.waiting(1), 1u);
  way.answered(0, kFree, Cycle{30});  // gives no place to the limited context
  way.arbitrate(Cycle{30});
  EXPECT_EQ(way.passed(0), 2u);
  way.answered(0, kLimited, Cycle{31});
  way.arbitrate(Cycle{31});
  EXPECT_EQ(way.passed(0), 3u);
  EXPECT_EQ(counter(stats, "context0.given"), 2u);
  EXPECT_EQ(counter(stats, "context0.withheld"), 1u);
  EXPECT_EQ(counter(stats, "context0.withheld_cycles"), 21u);
}

// A context has places of its own at each output.
TEST(OutstandingLimits, ASliceThatIsFullForAContextDoesNotHoldItsRequestsToOthers) {
  Switch way(small_crossbar(), 3, crossbar_arbiters(2), {1});
  way.push(0, packet(1, 0, kLimited), Cycle{10});
  way.push(1, packet(2, 0, kLimited), Cycle{10});
  way.push(2, packet(3, 1, kLimited), Cycle{10});
  for (std::uint64_t cycle = 10; cycle < 30; ++cycle) way.arbitrate(Cycle{cycle});
  EXPECT_EQ(way.passed(0), 1u);
  EXPECT_EQ(way.passed(1), 1u);
}

// Under random traffic no context has more outstanding packets at an output than it may, and every packet
// passes in the end.
TEST(OutstandingLimits, RandomTrafficKeepsToTheLimitsAndLosesNothing) {
  for (std::uint64_t seed = 0; seed < cases(100); ++seed) {
    Random random(seed);
    constexpr std::uint32_t kOutputs = 3;
    constexpr std::uint32_t kContexts = 4;
    std::vector<std::uint32_t> most;
    for (std::uint32_t i = 0; i < 3; ++i) most.push_back(static_cast<std::uint32_t>(random.below(4)));
    Switch way(small_crossbar(), 6, crossbar_arbiters(kOutputs), most);
    std::multimap<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>>
        answers;  // output, context by cycle
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> there;
    std::uint64_t pushed = 0;
    std::uint64_t answered = 0;
    for (std::uint64_t cycle = 0; cycle < 2000 || answered < pushed; ++cycle) {
      ASSERT_LT(cycle, 200'000u) << seed;
      const Cycle now{cycle};
      for (; !answers.empty() && answers.begin()->first <= cycle; answers.erase(answers.begin())) {
        const auto& [output, context] = answers.begin()->second;
        --there[answers.begin()->second];
        way.answered(output, ContextId{context}, now);
        ++answered;
      }
      for (std::uint32_t output = 0; output < kOutputs; ++output)
        while (way.loaded().test(output) && way.due(output) <= now) {
          const auto context =
              static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(way.front(output).load) - 1);
          ++there[{output, context}];
          answers.emplace(cycle + 1 + random.below(60), std::pair{output, context});
          way.pop(output, now);
          if (context < most.size() && most[context] != 0) {
            ASSERT_LE((there[{output, context}]), most[context]);
          }
        }
      for (std::uint32_t input = 0; input < 6 && cycle < 2000; ++input) {
        if (random.below(3) != 0 || !way.fits(input, 1, now)) continue;
        const auto context = static_cast<std::uint32_t>(random.below(kContexts));
        way.push(input,
                 packet(context + 1, static_cast<std::uint32_t>(random.below(kOutputs)), ContextId{context}),
                 now);
        ++pushed;
      }
      way.arbitrate(now);
    }
    EXPECT_EQ(way.held(), 0u);
  }
}

}  // namespace
}  // namespace heddle
