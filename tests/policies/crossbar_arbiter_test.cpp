#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/core/base/random.h"
#include "tests/support/policy_names.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

// An output with the inputs that request it.
struct Output {
  explicit Output(std::uint32_t inputs) : requests(inputs), issued(inputs), packets(inputs) {}
  void request(std::uint32_t input, std::uint64_t cycle = 0, std::uint32_t context = 0,
               std::uint32_t flits = 1) {
    requests.set(input);
    issued[input] = Cycle{cycle};
    packets[input] = {ContextId{context}, flits, Cycle{cycle}};
  }
  OutputView view(std::uint64_t now = 0) const {
    return {requests, issued.data(), Cycle{now}, packets.data()};
  }

  PortSet requests;
  std::vector<Cycle> issued;
  std::vector<RequestingPacket> packets;
};

std::unique_ptr<CrossbarArbiter> with_numbers(const std::string& name, const std::string& parameter,
                                              const std::vector<std::int64_t>& numbers) {
  return PolicyRegistry<CrossbarArbiter>::make({name, {{parameter, IntegerLists{numbers}}}});
}

TEST(CrossbarRoundRobin, GoesOnAfterTheInputThatWasServedLast) {
  const auto policy = make_policy<CrossbarArbiter>("round-robin");
  Output output(132);
  for (const std::uint32_t input : {3u, 70u, 131u}) output.request(input);
  for (const std::uint32_t input : {3u, 70u, 131u, 3u, 70u}) {
    EXPECT_EQ(policy->choose(output.view()), input);
    policy->granted(input);
  }
}

TEST(CrossbarRoundRobin, StaysWhereThePacketFoundNoRoom) {
  const auto policy = make_policy<CrossbarArbiter>("round-robin");
  Output output(4);
  output.request(2);
  EXPECT_EQ(policy->choose(output.view()), 2u);
  output.request(1);
  EXPECT_EQ(policy->choose(output.view()), 1u) << "input 2 has not been served";
}

TEST(CrossbarOldestFirst, GoesByIssueThenInput) {
  const auto policy = make_policy<CrossbarArbiter>("oldest-first");
  Output output(4);
  output.request(0, 9);
  output.request(1, 5);
  output.request(3, 5);
  EXPECT_EQ(policy->choose(output.view()), 1u);
  output.requests.clear(1);
  EXPECT_EQ(policy->choose(output.view()), 3u);
}

TEST(CrossbarContextPriority, GoesByPriorityThenInTurn) {
  const auto policy = with_numbers("context-priority", "priorities", {1, 7});
  Output output(70);
  for (const std::uint32_t input : {0u, 2u, 66u}) output.request(input, 0, 1);
  for (const std::uint32_t input : {1u, 3u, 69u}) output.request(input, 0, 0);
  output.request(4, 0, 2);  // its context has no entry in the list
  for (const std::uint32_t input : {0u, 2u, 66u, 0u, 2u}) {
    EXPECT_EQ(policy->choose(output.view()), input);
    policy->granted(input);
  }
  for (const std::uint32_t input : {0u, 2u, 66u}) output.requests.clear(input);
  for (const std::uint32_t input : {3u, 69u, 1u}) {
    EXPECT_EQ(policy->choose(output.view()), input);
    policy->granted(input);
  }
}

TEST(CrossbarContextPriority, APacketThatHasWaitedForTheBoundGoesFirst) {
  const auto policy = PolicyRegistry<CrossbarArbiter>::make(
      {"context-priority", {{"priorities", IntegerLists{{0, 1}}}, {"bound", 50}}});
  Output output(4);
  output.request(0, 99, 1);
  output.request(1, 12, 0);
  output.request(2, 11, 0);
  EXPECT_EQ(policy->choose(output.view(60)), 0u);
  EXPECT_EQ(policy->choose(output.view(61)), 2u);
  EXPECT_EQ(policy->choose(output.view(62)), 2u) << "it has waited for longer than input 1";
  output.requests.clear(2);
  EXPECT_EQ(policy->choose(output.view(61)), 0u);
  EXPECT_EQ(policy->choose(output.view(62)), 1u);
}

// Every input of `inputs_of` always has a packet. Returns how many flits of each context have passed after so
// many grants.
std::vector<std::uint64_t> shared_flits(CrossbarArbiter& policy, const std::vector<std::uint32_t>& inputs_of,
                                        const std::vector<std::uint32_t>& flits_of, int grants) {
  Output output(16);
  std::uint32_t input = 0;
  for (std::uint32_t context = 0; context < inputs_of.size(); ++context)
    for (std::uint32_t i = 0; i < inputs_of[context]; ++i)
      output.request(input++, 0, context, flits_of[context]);
  std::vector<std::uint64_t> flits(inputs_of.size());
  for (int i = 0; i < grants; ++i) {
    const std::uint32_t chosen = policy.choose(output.view());
    flits[output.packets[chosen].context.value] += output.packets[chosen].flits;
    policy.granted(chosen);
  }
  return flits;
}

TEST(CrossbarContextShares, FlitsAreInProportionToWeightsWhateverInputsAndPackets) {
  const auto policy = with_numbers("context-shares", "weights", {3, 1});
  const auto flits = shared_flits(*policy, {2, 9}, {1, 5}, 16000);
  EXPECT_EQ(flits[0], 3 * flits[1]) << "a round is 15 packets of one flit and one of five";
  EXPECT_EQ(flits[1], 5000u);
  policy->reset();
  const auto equal =
      shared_flits(*with_numbers("context-shares", "weights", {1, 1, 1}), {1, 5, 10}, {2, 2, 2}, 999);
  EXPECT_EQ(equal, (std::vector<std::uint64_t>{666, 666, 666}));
}

TEST(CrossbarContextShares, InputsOfAContextGoInTurn) {
  const auto policy = with_numbers("context-shares", "weights", {1, 1});
  Output output(8);
  for (const std::uint32_t input : {1u, 4u}) output.request(input, 0, 0);
  output.request(6, 0, 1);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 6; ++i) {
    order.push_back(policy->choose(output.view()));
    policy->granted(order.back());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 6, 4, 6, 1, 6}));
}

TEST(CrossbarContextShares, AContextThatWasAwayHasNoClaimForThatTime) {
  const auto policy = with_numbers("context-shares", "weights", {1, 1});
  Output output(4);
  output.request(0, 0, 0);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(policy->choose(output.view()), 0u);
    policy->granted(0);
  }
  output.request(1, 0, 1);
  std::uint32_t served = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t chosen = policy->choose(output.view());
    served += chosen == 1 ? 1 : 0;
    policy->granted(chosen);
  }
  EXPECT_LE(served, 6u);
  EXPECT_GE(served, 5u);
}

TEST(CrossbarContexts, APolicyRefusesNumbersThatAreNoOneList) {
  GpuDescription gpu;
  gpu.has_dram = true;
  const auto misfit = [&gpu](const char* policy, const char* parameter, const IntegerLists& numbers) {
    return PolicyCatalogue::instance().misfit("crossbar_arbiter", {policy, {{parameter, numbers}}}, gpu);
  };
  EXPECT_EQ(misfit("context-shares", "weights", {{3, 1}}), "");
  EXPECT_EQ(misfit("context-shares", "weights", {{3}, {1}}), "context-shares takes one list of weights");
  EXPECT_EQ(misfit("context-priority", "priorities", {{3}, {1}}),
            "context-priority takes one list of priorities");
}

class EveryCrossbarArbiter : public testing::TestWithParam<PolicyName> {};

// Inputs request at random, and the chosen packet does not always find room. No input waits for longer than
// all others are served as often as packets of theirs can be older.
TEST_P(EveryCrossbarArbiter, ServesEveryInputAndForgetsWhenReset) {
  constexpr std::uint32_t kInputs = 67;
  const auto policy = make_policy<CrossbarArbiter>(GetParam().name);
  for (std::uint64_t run = 0; run < 2; ++run) {
    const auto fresh = make_policy<CrossbarArbiter>(GetParam().name);
    policy->reset();
    Random random(5);
    Output output(kInputs);
    std::vector<std::uint64_t> since(kInputs);
    std::uint64_t served = 0;
    for (std::uint64_t cycle = 1; cycle < cases(20000); ++cycle) {
      for (std::uint32_t i = 0; i < kInputs; ++i)
        if (!output.requests.test(i) && random.below(8) == 0)
          output.request(i, since[i] = cycle, i % 3, 1 + i % 4);
      if (output.requests.empty()) continue;
      const std::uint32_t input = policy->choose(output.view(cycle));
      ASSERT_EQ(fresh->choose(output.view(cycle)), input) << cycle;
      if (input == CrossbarArbiter::kNone || random.below(4) == 0) continue;
      ASSERT_TRUE(output.requests.test(input)) << cycle;
      policy->granted(input);
      fresh->granted(input);
      output.requests.clear(input);
      ASSERT_LT(cycle - since[input], 4 * kInputs) << "input " << input;
      ++served;
    }
    EXPECT_GT(served, cases(20000) / 2);
  }
}

HEDDLE_CONFORMANCE(EveryCrossbarArbiter, CrossbarArbiter);

}  // namespace
}  // namespace heddle
