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
  explicit Output(std::uint32_t inputs) : requests(inputs), issued(inputs) {}
  void request(std::uint32_t input, std::uint64_t cycle = 0) {
    requests.set(input);
    issued[input] = Cycle{cycle};
  }
  OutputView view() const { return {requests, issued.data(), Cycle{}}; }

  PortSet requests;
  std::vector<Cycle> issued;
};

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
        if (!output.requests.test(i) && random.below(8) == 0) output.request(i, since[i] = cycle);
      if (output.requests.empty()) continue;
      const std::uint32_t input = policy->choose(output.view());
      ASSERT_EQ(fresh->choose(output.view()), input) << cycle;
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
