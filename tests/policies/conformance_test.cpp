// One conformance suite for each decision, run over every registered policy. The suites of block_throttle,
// crossbar_arbiter, sm_partitioner, warp_scheduler, replacement, refresh_policy and write_drain are in
// block_throttle_conformance_test.cpp, crossbar_arbiter_test.cpp, partitioner_conformance_test.cpp,
// warp_scheduler_test.cpp, replacement_test.cpp and dram_timing_policies_test.cpp.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "policies/command_arbiter/i_command_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"
#include "policies/preemption/i_preemption.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/paths.h"
#include "tests/support/policy_names.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

TEST(Policies, EveryDecisionHasAConformanceSuite) {
  const std::vector<std::string> decisions = PolicyCatalogue::instance().decisions();
  EXPECT_EQ(decisions_with_suite(), std::set<std::string>(decisions.begin(), decisions.end()));
}

// Returns the names in HEDDLE_POLICY(Interface, Class, "name", in the sources of a folder.
std::set<std::string> names_in_sources(const std::filesystem::path& folder) {
  static const std::regex registration(R"re(HEDDLE_POLICY\(\s*\w+,\s*\w+,\s*"([^"]+)")re");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), registration), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

// A policy whose source is not linked into the library would be missing without an error.
TEST(Policies, EveryPolicyOfTheSourcesIsRegistered) {
  for (const std::string& decision : PolicyCatalogue::instance().decisions()) {
    std::set<std::string> known;
    for (const PolicyName& policy : policies_of(decision)) known.insert(policy.name);
    EXPECT_EQ(known,
              names_in_sources(std::filesystem::path(test::source_directory()) / "policies" / decision))
        << decision;
  }
}

// ---- every policy

class EveryPolicy : public testing::TestWithParam<PolicyName> {
 protected:
  const PolicyInfo& info() const {
    return PolicyCatalogue::instance().info(GetParam().decision, GetParam().name);
  }
};

TEST_P(EveryPolicy, SaysWhatItDoesInOneLineAndWhereItComesFrom) {
  EXPECT_FALSE(info().doc.empty());
  EXPECT_EQ(info().doc.find('\n'), std::string::npos);
  EXPECT_FALSE(info().source.empty());
}

TEST_P(EveryPolicy, IsNamedInLowerCaseWithHyphens) {
  EXPECT_EQ(info().name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
}

TEST_P(EveryPolicy, StatesUnitMeaningAndAUsableDefaultOfEveryParameter) {
  std::set<std::string> names;
  for (const PolicyParameter& parameter : info().parameters) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name << " twice";
    EXPECT_FALSE(parameter.unit.empty()) << parameter.name;
    EXPECT_FALSE(parameter.doc.empty()) << parameter.name;
    EXPECT_LE(parameter.least, parameter.most) << parameter.name;
    EXPECT_EQ(parameter.fallback.is_name(), !parameter.names.empty()) << parameter.name;
    for (const std::vector<std::int64_t>& list : parameter.fallback.lists())
      EXPECT_FALSE(list.empty()) << parameter.name;
  }
  EXPECT_NO_THROW(PolicyCatalogue::instance().resolve(GetParam().decision, {GetParam().name, {}}));
}

GpuDescription random_gpu(Random& random) {
  const auto up_to = [&random](std::uint64_t most) {
    return static_cast<std::uint32_t>(1 + random.below(most));
  };
  GpuDescription gpu;
  gpu.sms = up_to(128);
  gpu.contexts = up_to(64);
  gpu.ksrs = up_to(64);
  gpu.hardware_queues = random.below(2) == 0 ? 1 : up_to(32);
  gpu.block_slots = up_to(32);
  gpu.warp_slots = up_to(64);
  gpu.has_cycle_sms = random.below(2) == 0;
  gpu.warp_schedulers = gpu.has_cycle_sms ? up_to(4) : 0;
  gpu.has_dram = gpu.has_cycle_sms || random.below(2) == 0;
  gpu.applications = random.below(5);
  if (random.below(2) == 0) gpu.instances = {8, 7, {{"small", up_to(16), 1, 1}, {"large", up_to(64), 4, 3}}};
  return gpu;
}

TEST_P(EveryPolicy, SuitsSomeGpuAndNamesItselfWhereItDoesNot) {
  Random random(3);
  std::size_t suited = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string why = PolicyCatalogue::instance().misfit(
        GetParam().decision, random_choice(GetParam(), random), random_gpu(random));
    suited += why.empty() ? 1 : 0;
    EXPECT_TRUE(why.empty() || why.find(GetParam().name) != std::string::npos) << why;
  }
  EXPECT_GT(suited, 0);
}

INSTANTIATE_TEST_SUITE_P(, EveryPolicy, testing::ValuesIn(all_policies()), test_name);

// ---- command_arbiter

class EveryCommandArbiter : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<CommandArbiter> make() const { return make_policy<CommandArbiter>(GetParam().name); }
};

FrontEndView random_front_end(Random& random) {
  FrontEndView view;
  std::vector<std::uint64_t> arrivals;
  for (std::uint64_t i = 0; i < 6; ++i) arrivals.push_back(i);
  random.shuffle(arrivals);
  const std::uint64_t queues = 1 + random.below(6);
  for (std::uint32_t queue = 0; queue < queues; ++queue)
    view.heads.push_back({QueueId{queue}, ContextId{static_cast<std::uint32_t>(random.below(3))},
                          arrivals[queue], random.below(2) == 0});
  view.outstanding = random.below(3);
  if (random.below(4) != 0) view.last_context = ContextId{static_cast<std::uint32_t>(random.below(3))};
  return view;
}

TEST_P(EveryCommandArbiter, ChoosesAReadyHeadOrNone) {
  Random random(7);
  const auto policy = make();
  const auto another = make();
  std::size_t chosen = 0;
  for (std::uint64_t i = 0; i < cases(5000); ++i) {
    const FrontEndView view = random_front_end(random);
    const std::size_t choice = policy->choose(view);
    ASSERT_LE(choice, view.heads.size());
    ASSERT_TRUE(choice == view.heads.size() || view.heads[choice].ready);
    ASSERT_EQ(another->choose(view), choice);
    if (choice < view.heads.size()) ++chosen;
  }
  EXPECT_GT(chosen, 500);
}

TEST_P(EveryCommandArbiter, WithEveryHeadReadyAndNothingOutstandingTheOldestGoes) {
  Random random(8);
  const auto policy = make();
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    FrontEndView view = random_front_end(random);
    view.outstanding = 0;
    for (QueueHeadView& head : view.heads) head.ready = true;
    const std::size_t choice = policy->choose(view);
    ASSERT_LT(choice, view.heads.size());
    for (const QueueHeadView& head : view.heads) ASSERT_LE(view.heads[choice].arrival, head.arrival);
  }
}

HEDDLE_CONFORMANCE(EveryCommandArbiter, CommandArbiter);

// ---- dma_arbiter

class EveryDmaArbiter : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<DmaArbiter> make() const { return make_policy<DmaArbiter>(GetParam().name); }
};

TEST_P(EveryDmaArbiter, BringsEveryTransferToItsEndAndEqualsInOrderOfArrival) {
  Random random(9);
  for (std::uint64_t i = 0; i < cases(300); ++i) {
    const auto policy = make();
    const auto another = make();
    std::vector<TransferView> waiting;
    std::uint64_t sent = 0;
    std::uint64_t total = 0;
    std::map<std::int32_t, std::uint64_t> last_ended;  // by priority
    for (std::uint64_t arrived = 0; arrived < 8 || !waiting.empty();) {
      if (arrived < 8 && (waiting.empty() || random.below(3) == 0)) {
        const auto priority = static_cast<std::int32_t>(random.below(3));
        waiting.push_back(
            {arrived++, ContextId{static_cast<std::uint32_t>(priority)}, priority, 1 + random.below(9)});
        total += waiting.back().bytes_left;
      }
      const std::size_t choice = policy->choose({waiting});
      ASSERT_LT(choice, waiting.size());
      ASSERT_EQ(another->choose({waiting}), choice);
      ++sent;
      TransferView& transfer = waiting[choice];
      if (--transfer.bytes_left > 0) continue;
      ASSERT_GE(transfer.number, last_ended[transfer.priority]);
      last_ended[transfer.priority] = transfer.number;
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(choice));
    }
    ASSERT_EQ(sent, total);
  }
}

HEDDLE_CONFORMANCE(EveryDmaArbiter, DmaArbiter);

// ---- dram_scheduler

class EveryDramScheduler : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<DramScheduler> make() const { return make_policy<DramScheduler>(GetParam().name); }
};

// A random command slot of a DRAM channel. Every waiting bank is in at most one mask, and some are in none.
struct RandomSlot {
  explicit RandomSlot(Random& random) {
    for (std::uint64_t i = 0; i < arrival.size(); ++i) arrival[i] = i;
    random.shuffle(arrival);
    for (std::size_t bank = 0; bank < arrival.size(); ++bank) {
      const BankMask bit = BankMask{1} << bank;
      const std::uint64_t kind = random.below(6);
      if (kind == 0) view.columns |= bit;
      if (kind == 1) view.activates |= bit;
      if (kind == 2) view.precharges |= bit;
      if (kind <= 3) view.waiting |= bit;
    }
    view.arrival = arrival.data();
  }
  BankMask ready() const { return view.columns | view.activates | view.precharges; }

  std::vector<std::uint64_t> arrival = std::vector<std::uint64_t>(16);
  CommandSlotView view;
};

TEST_P(EveryDramScheduler, ChoosesABankWithALegalCommandOrNone) {
  Random random(11);
  const auto policy = make();
  const auto another = make();
  std::size_t chosen = 0;
  for (std::uint64_t i = 0; i < cases(5000); ++i) {
    const RandomSlot slot(random);
    if (slot.ready() == 0) continue;
    const std::size_t choice = policy->choose(slot.view);
    ASSERT_EQ(another->choose(slot.view), choice);
    if (choice == DramScheduler::kNone) continue;
    ++chosen;
    ASSERT_LT(choice, 64);
    ASSERT_TRUE((slot.ready() >> choice & 1) != 0);
    const OpenRowView row{static_cast<std::uint32_t>(choice), static_cast<std::uint32_t>(random.below(40))};
    ASSERT_EQ(another->keep_row(row), policy->keep_row(row));
  }
  EXPECT_GT(chosen, 500);
}

TEST_P(EveryDramScheduler, ServesTheOldestWhereItsColumnCommandIsLegal) {
  Random random(12);
  const auto policy = make();
  for (std::uint64_t i = 0; i < cases(1000); ++i) {
    RandomSlot slot(random);
    if (slot.view.waiting == 0) continue;
    const std::size_t oldest = oldest_bank(slot.view.waiting, slot.view.arrival);
    const BankMask bit = BankMask{1} << oldest;
    slot.view.columns |= bit;
    slot.view.activates &= ~bit;
    slot.view.precharges &= ~bit;
    ASSERT_EQ(policy->choose(slot.view), oldest);
  }
}

HEDDLE_CONFORMANCE(EveryDramScheduler, DramScheduler);

// ---- page_policy

class EveryPagePolicy : public testing::TestWithParam<PolicyName> {};

TEST_P(EveryPagePolicy, GivesTheSameAnswerTwiceAndKeepsARowThatRequestsWaitFor) {
  const auto policy = make_policy<PagePolicy>(GetParam().name);
  const auto another = make_policy<PagePolicy>(GetParam().name);
  for (std::uint32_t bank = 0; bank < 16; ++bank) {
    EXPECT_FALSE(policy->close({bank, true}));
    EXPECT_EQ(policy->close({bank, false}), another->close({bank, false}));
  }
}

HEDDLE_CONFORMANCE(EveryPagePolicy, PagePolicy);

// ---- preemption

class EveryPreemption : public testing::TestWithParam<PolicyName> {};

// Random handover costs of any blocks, some of them of a launch of which no block has ended.
class RandomCosts final : public HandoverCosts {
 public:
  explicit RandomCosts(std::uint64_t seed) : seed_(seed) {}
  void read(SmId sm, KsrId, std::vector<HandoverCost>& costs) const override {
    Random random(seed_ + sm.value);
    costs.resize(seed_ % 64);
    const bool known = random.below(4) != 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      costs[i] = {BlockId{i}, random.below(1000), {}, random.below(1 << 20), {}};
      if (!known) continue;
      costs[i].drain_cycles = random.below(1000);
      costs[i].flush_instructions = random.below(100000);
    }
  }

 private:
  std::uint64_t seed_;
};

TEST_P(EveryPreemption, GivesAnAnswerForEachBlockThatItStatesAndTheSameOneTwice) {
  const auto policy = make_policy<Preemption>(GetParam().name);
  const auto another = make_policy<Preemption>(GetParam().name);
  for (std::uint32_t running = 0; running < 64; ++running) {
    const RandomCosts costs(running);
    const HandoverView view{SmId{running % 5}, KsrId{running % 3},          running, &costs,
                            running % 2 == 0,  running % 4 == 3 ? 0.0 : 8.0};
    std::vector<Handover> blocks(running, Handover::kDrain);
    std::vector<Handover> again = blocks;
    policy->decide(view, blocks);
    EXPECT_EQ(blocks.size(), running);
    for (const Handover answer : blocks) EXPECT_TRUE(policy->answers(answer));
    another->decide(view, again);
    EXPECT_EQ(again, blocks);
  }
}

HEDDLE_CONFORMANCE(EveryPreemption, Preemption);

}  // namespace
}  // namespace heddle
