// Random mixes of contexts with SMs of their own, under random mechanisms that divide L2, crossbar and DRAM
// among the contexts. Each context starts over until all of them have ended once. No mechanism lets a context
// starve, and the bursts that a channel counts for the contexts add up to all of its bursts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "models/machine/machine.h"
#include "models/stats/writers.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "tests/support/in_child.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/machine/statistics.h"
#include "tests/support/policy_names.h"
#include "tests/support/random_code.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kTests = 4;
// A mix takes at most so many times as long with mechanisms as without them.
constexpr std::uint64_t kMostFactor = 40;
constexpr std::uint64_t kMostCycles = 100'000'000;  // core cycles that a mix without mechanisms takes at most

// The short size runs 40 mixes, the full size 10,000.
std::uint64_t mixes_per_test() {
  return full_size() ? 2500 : 10;
}

// Returns a random policy of the decision. Its lists have a number for each context, none of which is more
// than ten times another one, so that no context is meant to have next to nothing.
PolicyChoice random_choice_of(Random& random, const std::string& decision, std::uint64_t contexts) {
  const std::vector<PolicyName> policies = policies_of(decision);
  const PolicyName& policy = policies[random.below(policies.size())];
  PolicyChoice choice = random_choice(policy, random);
  for (const PolicyParameter& parameter :
       PolicyCatalogue::instance().info(decision, policy.name).parameters) {
    if (!parameter.fallback.is_lists()) continue;
    std::vector<std::int64_t> numbers;
    for (std::uint64_t i = 0; i < contexts; ++i)
      numbers.push_back(10 + static_cast<std::int64_t>(random.below(91)));
    choice.parameters[parameter.name] = IntegerLists{numbers};
  }
  return choice;
}

// Returns the settings of random mechanisms, in the form of the option --set. No context is limited to fewer
// than four outstanding requests at a slice: with one it takes twelve times as long by Little's law, and that
// is no starvation.
std::vector<std::string> random_mechanisms(Random& random) {
  std::vector<std::string> settings;
  const auto limit = [&random] { return random.below(3) == 0 ? 0 : 4 + random.below(13); };
  if (random.below(2) == 0) settings.push_back(fmt::format("l2.ways_of=[{}]", 1 + random.below(7)));
  if (random.below(2) == 0)
    settings.push_back(fmt::format("crossbar.outstanding_of=[{}, {}]", limit(), limit()));
  if (random.below(3) == 0) {
    const std::vector<std::string> channels{"[[0], [1, 2, 3, 4, 5]]", "[[0, 1, 2], [3, 4, 5]]",
                                            "[[4, 5], [0, 1], [2, 3]]"};
    settings.push_back("dram.channels_of=" + channels[random.below(channels.size())]);
  }
  return settings;
}

struct Mix {
  MachineSpec plain;    // the machine without mechanisms
  MachineSpec divided;  // the same machine with mechanisms
};

Mix random_mix(std::uint64_t seed) {
  Random random(seed);
  const std::uint64_t contexts = 2 + random.below(3);
  // The queues are short, so that few SMs fill them.
  const std::vector<std::string> machine{fmt::format("sm.count={}", contexts + random.below(3)),
                                         fmt::format("engine.ksrs={}", contexts),
                                         "dram.queue=16",
                                         "dram.write_high=12",
                                         "dram.write_low=4",
                                         fmt::format("l2.mshrs={}", 4 + random.below(13))};
  Mix mix;
  mix.plain.gpu = shared_gtx480("spatial", machine);
  mix.plain.starvation_limit_ps = 1'000'000'000'000;
  for (std::uint64_t i = 0; i < contexts; ++i) {
    const std::string code = RandomCode(10 * seed + i, RandomCode::Memory::kAll).with_barriers(1);
    const std::string rounds = fmt::format("[{{loop: {}, body: {}}}]", 1 + random.below(6), code);
    const auto priority = static_cast<std::int32_t>(random.below(3));
    mix.plain.processes.push_back(
        process_of(synthetic(rounds, {1 + random.below(6), 96, 40, 2048}), priority));
    mix.plain.processes.back().number = static_cast<std::uint32_t>(i);
    mix.plain.processes.back().replay = true;
  }
  mix.divided = mix.plain;
  std::vector<std::string> settings = random_mechanisms(random);
  settings.insert(settings.end(), machine.begin(), machine.end());
  mix.divided.gpu = shared_gtx480("spatial", settings);
  for (const char* decision : {CrossbarArbiter::kDecision, DramScheduler::kDecision})
    mix.divided.gpu.policies[decision] = random_choice_of(random, decision, contexts);
  return mix;
}

struct Outcome {
  std::string failure;
  std::uint64_t cycles = 0;                       // until each context has ended once
  std::map<std::string, std::uint64_t> counters;  // by path
};

Outcome run(const MachineSpec& spec, std::uint64_t most_cycles) {
  const std::string text = in_child([&] {
    Machine machine("machine", spec);
    machine.run_to(Cycle{most_cycles});
    machine.check_conservation();
    std::ostringstream stats;
    write_json(machine.stats(), stats);
    std::string failure = machine.failure();
    if (failure.empty() && !machine.done()) failure = "a context has not ended";
    return nlohmann::json{
        {"failure", failure}, {"cycles", machine.gpu().core().now().value}, {"stats", stats.str()}}
        .dump();
  });
  Outcome outcome;
  if (text.empty()) return {"the process of the run has failed", 0, {}};
  const auto result = nlohmann::json::parse(text);
  outcome.failure = result.at("failure");
  outcome.cycles = result.at("cycles");
  for (const ReadStatistic& statistic : read_stats(result.at("stats")))
    if (!statistic.formula) outcome.counters[statistic.path] = statistic.count;
  return outcome;
}

// Returns the sum over all counters whose path begins and ends like this.
std::uint64_t sum(const Outcome& outcome, const std::string& begin, const std::string& end) {
  std::uint64_t sum = 0;
  for (const auto& [path, value] : outcome.counters)
    if (path.rfind(begin, 0) == 0 && path.size() > end.size() &&
        path.compare(path.size() - end.size(), end.size(), end) == 0)
      sum += value;
  return sum;
}

// If the scheduler knows contexts, the bursts of all contexts add up to those of all channels.
void expect_context_sums(const Outcome& outcome) {
  std::uint64_t by_context = 0;
  bool are_counted = false;
  for (const auto& [path, value] : outcome.counters) {
    if (path.find(".contexts.") == std::string::npos || path.rfind("gpu.dram", 0) != 0) continue;
    are_counted = true;
    if (path.size() > 7 && path.compare(path.size() - 7, 7, ".bursts") == 0) by_context += value;
  }
  if (!are_counted) return;
  EXPECT_EQ(by_context, sum(outcome, "gpu.dram", ".commands.RD") + sum(outcome, "gpu.dram", ".commands.RDA") +
                            sum(outcome, "gpu.dram", ".commands.WR") +
                            sum(outcome, "gpu.dram", ".commands.WRA"));
}

class RandomNeighbours : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomNeighbours, NeitherStarveNorLoseARequest) {
  double most = 0;
  for (std::uint64_t i = 0; i < mixes_per_test(); ++i) {
    const std::uint64_t seed = GetParam() * 1'000'000 + i;
    SCOPED_TRACE(fmt::format("mix {}", seed));
    const Mix mix = random_mix(seed);
    const Outcome plain = run(mix.plain, kMostCycles);
    ASSERT_EQ(plain.failure, "");
    const Outcome divided = run(mix.divided, kMostFactor * plain.cycles);
    ASSERT_EQ(divided.failure, "") << plain.cycles << " cycles without mechanisms";
    expect_context_sums(divided);
    if (HasFailure()) return;
    most = std::max(most, static_cast<double>(divided.cycles) / static_cast<double>(plain.cycles));
  }
  RecordProperty("most", fmt::format("{:.2f}", most));
  fmt::print("{} mixes; the largest factor of time is {:.2f}\n", mixes_per_test(), most);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNeighbours, testing::Range<std::uint64_t>(0, kTests));

}  // namespace
}  // namespace heddle::test
