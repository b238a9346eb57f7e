// What every DRAM scheduler owes to every context: all requests are served, and within a bound.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/dram/context_channel.h"
#include "tests/support/dram/gddr5_oracle.h"
#include "tests/support/policy_names.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

class EveryDramSchedulerOfContexts : public testing::TestWithParam<PolicyName> {
 protected:
  // The policy with its defaults, or with all of its times divided.
  PolicyChoice choice(double divisor = 1) const {
    PolicyChoice result{GetParam().name, {}};
    for (const PolicyParameter& parameter :
         PolicyCatalogue::instance().info(GetParam().decision, GetParam().name).parameters)
      if (parameter.unit == "CK" && divisor != 1)
        result.parameters[parameter.name] =
            std::max(parameter.least, std::floor(parameter.fallback.number() / divisor));
    return result;
  }
};

std::vector<ContextSource> random_sources(Random& random) {
  std::vector<ContextSource> sources(2 + random.below(7));
  for (ContextSource& source : sources)
    source = {1 + random.below(64 / sources.size()), 1 + random.below(random.below(2) == 0 ? 2 : 64),
              random.below(3) == 0 ? random.below(101) : 0};
  return sources;
}

TEST_P(EveryDramSchedulerOfContexts, ServesEveryRequestOfEveryContextWithinABound) {
  Random random(21);
  const DramSpec spec = gddr5_spec(kRowBankGroupColumn, true);
  for (std::uint64_t i = 0; i < cases(6); ++i) {
    const auto channel = make_controller(spec, choice(i % 2 == 0 ? 1 : 200));
    Gddr5Oracle oracle(spec.timing, channel->map().groups(), channel->map().banks_per_group());
    channel->observe(oracle);
    const std::vector<ContextSource> sources = random_sources(random);
    const std::vector<ContextService> services = run_sources(*channel, sources, 15'000, i);
    ASSERT_TRUE(oracle.violations.empty()) << "case " << i << ": " << oracle.violations.begin()->first;
    for (std::size_t context = 0; context < services.size(); ++context) {
      EXPECT_GT(services[context].bursts, 0u) << "case " << i << ", context " << context;
      EXPECT_LT(services[context].longest, 10'000u) << "case " << i << ", context " << context;
    }
  }
}

// Requests come in bursts with long pauses, in which quanta and intervals end.
TEST_P(EveryDramSchedulerOfContexts, DecidesTheSameHoweverOftenTheControllerIsTicked) {
  std::array<std::vector<std::uint64_t>, 2> served;
  for (const bool every : {false, true}) {
    const auto channel = make_controller(gddr5_spec(kRowBankGroupColumn, true), choice(200));
    Random random(5);
    Cycle now{0};
    for (std::uint64_t token = 0; token < 1500 || !channel->idle();) {
      if (token < 1500 && !channel->full(0) && random.below(3) != 0) {
        DramRequest request{random.below(1 << 13) * 64, random.below(4) == 0, token++};
        request.context = ContextId{static_cast<std::uint32_t>(random.below(3))};
        channel->accept(request, now);
      }
      const Cycle end = now + (random.below(100) == 0 ? random.below(20'000) : random.below(9));
      for (; now <= end; now = now + 1)
        if (every || channel->next_wake() <= now)
          if (const auto done = channel->tick(now)) {
            served[every].push_back(done->token);
            served[every].push_back(done->last_beat.value);
          }
    }
    EXPECT_EQ(served[every].size(), 3000u);
  }
  EXPECT_EQ(served[0], served[1]);
}

TEST_P(EveryDramSchedulerOfContexts, DecidesAfterAResetAsANewOne) {
  const std::vector<ContextSource> sources{{8, 16, 20}, {16, 1, 0}, {4, 4, 0}};
  const auto channel = make_controller(gddr5_spec(), choice(200));
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 2; ++i) {
    std::vector<std::uint64_t> bursts;
    for (const ContextService& service : run_sources(*channel, sources, 10'000, 3))
      bursts.push_back(service.bursts + 1'000'000 * service.longest);
    if (i == 0) first = bursts;
    EXPECT_EQ(bursts, first);
    channel->reset();
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryDramSchedulerOfContexts,
                         testing::ValuesIn(policies_of(DramScheduler::kDecision)), test_name);

TEST(DramSchedulersOfContexts, CountWhatEachContextWasGivenAndWhatWasWithheld) {
  ContextChannel channel({"bliss", {}});
  for (int i = 0; i < 6; ++i) channel.add(0, 0, 0);
  channel.add(1, 0, 1);
  channel.finish();
  EXPECT_EQ(channel.counter("contexts.context0.bursts")->value(), 6u);
  EXPECT_EQ(channel.counter("contexts.context1.bursts")->value(), 1u);
  EXPECT_EQ(channel.counter("contexts.context1.preferred")->value(), 1u)
      << "before the last two of context 0";
  EXPECT_EQ(channel.counter("contexts.context0.deferred")->value(), 1u);
  EXPECT_EQ(channel.counter("contexts.context0.preferred")->value(), 0u);
  EXPECT_EQ(ContextChannel({"fr-fcfs", {}}).counter("contexts.context0.bursts"), nullptr);
}

}  // namespace
}  // namespace heddle::test
