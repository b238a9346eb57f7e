// One suite over every registered policy of every decision; those of sm_partitioner are in
// partitioner_conformance_test.cpp, those of warp_scheduler in warp_scheduler_test.cpp, those of replacement
// in replacement_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "policies/command_arbiter/i_command_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"
#include "policies/preemption/i_preemption.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "tests/support/policy_names.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

TEST(Policies, EveryDecisionHasItsSuiteHere) {
  EXPECT_THAT(PolicyCatalogue::instance().decisions(),
              ElementsAre("command_arbiter", "dma_arbiter", "dram_scheduler", "page_policy", "preemption",
                          "replacement", "sm_partitioner", "warp_scheduler"));
}

TEST(Policies, ThePoliciesOfThePaperAreRegistered) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  EXPECT_THAT(catalogue.names("command_arbiter"), ElementsAre("hyper-q", "single-queue"));
  EXPECT_THAT(catalogue.names("dma_arbiter"), ElementsAre("fcfs", "priority"));
  EXPECT_THAT(catalogue.names("dram_scheduler"), ElementsAre("fcfs", "fr-fcfs", "fr-fcfs-cap"));
  EXPECT_THAT(catalogue.names("page_policy"), ElementsAre("closed", "open"));
  EXPECT_THAT(catalogue.names("preemption"), ElementsAre("drain"));
  EXPECT_THAT(catalogue.names("replacement"), ElementsAre("fifo", "lru", "srrip", "tree-plru"));
  EXPECT_THAT(catalogue.names("sm_partitioner"),
              ElementsAre("even", "fcfs-m", "fcfs-s", "fixed", "left-over", "ppq", "pq", "shared-fcfs",
                          "spatial", "token", "warped-slicer"));
  EXPECT_THAT(catalogue.names("warp_scheduler"), ElementsAre("gto", "lrr", "oldest", "two-level"));
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
    for (const std::vector<std::int64_t>& list : parameter.fallback.lists())
      EXPECT_FALSE(list.empty()) << parameter.name;
  }
  EXPECT_NO_THROW(PolicyCatalogue::instance().resolve(GetParam().decision, {GetParam().name, {}}));
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

INSTANTIATE_TEST_SUITE_P(, EveryCommandArbiter, testing::ValuesIn(policies_of("command_arbiter")), test_name);

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
      const std::size_t choice = policy->choose(waiting);
      ASSERT_LT(choice, waiting.size());
      ASSERT_EQ(another->choose(waiting), choice);
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

INSTANTIATE_TEST_SUITE_P(, EveryDmaArbiter, testing::ValuesIn(policies_of("dma_arbiter")), test_name);

// ---- dram_scheduler

class EveryDramScheduler : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<DramScheduler> make() const { return make_policy<DramScheduler>(GetParam().name); }
};

// Every waiting bank is in at most one mask; some are in none.
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

INSTANTIATE_TEST_SUITE_P(, EveryDramScheduler, testing::ValuesIn(policies_of("dram_scheduler")), test_name);

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

INSTANTIATE_TEST_SUITE_P(, EveryPagePolicy, testing::ValuesIn(policies_of("page_policy")), test_name);

// ---- preemption

class EveryPreemption : public testing::TestWithParam<PolicyName> {};

TEST_P(EveryPreemption, GivesAKnownAnswerAndTheSameOneTwice) {
  const auto policy = make_policy<Preemption>(GetParam().name);
  const auto another = make_policy<Preemption>(GetParam().name);
  for (std::uint32_t running = 0; running < 64; ++running) {
    const HandoverView view{SmId{running % 5}, KsrId{running % 3}, running};
    const Handover answer = policy->decide(view);
    EXPECT_EQ(answer, Handover::kDrain);
    EXPECT_EQ(another->decide(view), answer);
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryPreemption, testing::ValuesIn(policies_of("preemption")), test_name);

}  // namespace
}  // namespace heddle
