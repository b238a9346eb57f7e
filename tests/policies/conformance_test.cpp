// One suite over every registered policy of every decision. SM partitioners are asked by an SM driver with a
// whole (pure-logic) GPU around it, so that they see only machines that can come about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "policies/command_arbiter/i_command_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"
#include "tests/support/schedules.h"
#include "tests/support/test_machine.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

struct PolicyName {
  std::string decision;
  std::string name;
};

std::vector<PolicyName> policies_of(const std::string& decision) {
  std::vector<PolicyName> result;
  for (const std::string& name : PolicyCatalogue::instance().names(decision))
    result.push_back({decision, name});
  return result;
}

std::vector<PolicyName> all_policies() {
  std::vector<PolicyName> result;
  for (const std::string& decision : PolicyCatalogue::instance().decisions())
    for (PolicyName& policy : policies_of(decision)) result.push_back(std::move(policy));
  return result;
}

std::string test_name(const testing::TestParamInfo<PolicyName>& info) {
  std::string name = info.param.decision + "_" + info.param.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

TEST(Policies, EveryDecisionHasItsSuiteHere) {
  EXPECT_THAT(PolicyCatalogue::instance().decisions(),
              ElementsAre("command_arbiter", "dma_arbiter", "dram_scheduler", "page_policy", "preemption",
                          "sm_partitioner", "warp_scheduler"));
}

TEST(Policies, ThePoliciesOfThePaperAreRegistered) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  EXPECT_THAT(catalogue.names("command_arbiter"), ElementsAre("hyper-q", "single-queue"));
  EXPECT_THAT(catalogue.names("dma_arbiter"), ElementsAre("fcfs", "priority"));
  EXPECT_THAT(catalogue.names("dram_scheduler"), ElementsAre("fcfs", "fr-fcfs", "fr-fcfs-cap"));
  EXPECT_THAT(catalogue.names("page_policy"), ElementsAre("closed", "open"));
  EXPECT_THAT(catalogue.names("preemption"), ElementsAre("drain"));
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

// ---- sm_partitioner

// With these, kernels of at most one context are on the SMs. A new such policy is entered here.
const std::set<std::string> kOneContext{"fcfs-s", "pq"};

// Passes every question on to a policy, checks the answer against the interface's contract, and keeps both.
class Examiner final : public SmPartitioner, public EngineObserver {
 public:
  Examiner(std::string name, SmPartitioner& policy)
      : one_context_(kOneContext.count(name) != 0), shares_sms_(shares_sms(name)), policy_(policy) {}

  struct Call {
    MachineView machine;
    Partition before;
    Partition after;
  };
  const std::vector<Call>& calls() const { return calls_; }
  void watch(FakeGpu& gpu) {
    gpu_ = &gpu;
    gpu.driver().observe(*this);
  }

  void partition(const MachineView& machine, Partition& partition) override {
    const Partition before = partition;
    policy_.partition(machine, partition);
    calls_.push_back({machine, before, partition});
    ASSERT_EQ(partition.sms(), machine.sms.size());
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      for (const Slice& slice : partition.slices(sm)) may_have(machine, before, sm, slice);
      one_slice_a_kernel(partition.slices(sm));
      if (!shares_sms_) {
        ASSERT_LE(partition.slices(sm).size(), 1);
      }
    }
  }

  std::uint64_t sample_period() const override { return policy_.sample_period(); }
  IssueOrder issue_order() const override { return policy_.issue_order(); }

  void scheduled(Cycle now) override {
    SCOPED_TRACE(testing::Message() << "cycle " << now.value);
    const MachineView& machine = gpu_->driver().view();
    Partition again = standing(machine);
    policy_.partition(machine, again);
    ASSERT_TRUE(again == standing(machine)) << "asked again, it decides otherwise";
    calls_.push_back({machine, again, again});
    no_sm_is_wasted(machine);
    if (one_context_) one_context_only(machine);
  }

 private:
  static void may_have(const MachineView& machine, const Partition& before, std::size_t sm,
                       const Slice& slice) {
    ASSERT_GT(slice.quota, 0);
    const auto kernel = std::find_if(machine.kernels.begin(), machine.kernels.end(),
                                     [&](const KernelView& view) { return view.ksr == slice.kernel; });
    ASSERT_NE(kernel, machine.kernels.end()) << "SM " << sm << ": no kernel of the active queue";
    const std::vector<Slice>& had = before.slices(sm);
    const bool held =
        std::any_of(had.begin(), had.end(), [&](const Slice& other) { return other.kernel == slice.kernel; });
    ASSERT_TRUE(held || kernel->unissued > 0) << "SM " << sm << ": given to a kernel without blocks";
  }

  static void one_slice_a_kernel(const std::vector<Slice>& slices) {
    std::set<KsrId> kernels;
    for (const Slice& slice : slices) ASSERT_TRUE(kernels.insert(slice.kernel).second) << "two slices";
  }

  static bool started(const MachineView& machine, const KernelView& kernel) {
    if (kernel.running > 0) return true;
    return std::any_of(machine.sms.begin(), machine.sms.end(),
                       [&](const SmView& sm) { return sm.holder() == kernel.ksr; });
  }

  // No SM is idle while a kernel that may have it wants one. With one active context those are the kernels
  // that have started, and any when none has.
  void no_sm_is_wasted(const MachineView& machine) const {
    const bool idle =
        std::any_of(machine.sms.begin(), machine.sms.end(), [](const SmView& sm) { return sm.idle(); });
    if (!idle) return;
    const bool none_started =
        std::none_of(machine.kernels.begin(), machine.kernels.end(),
                     [&](const KernelView& kernel) { return started(machine, kernel); });
    for (const KernelView& kernel : machine.kernels) {
      const bool may_have_one = !one_context_ || none_started || started(machine, kernel);
      ASSERT_FALSE(may_have_one && wants_more(machine, kernel))
          << "an idle SM is kept from KSR " << kernel.ksr.value;
    }
  }

  static void one_context_only(const MachineView& machine) {
    std::set<std::uint32_t> contexts;
    for (const KernelView& kernel : machine.kernels)
      if (started(machine, kernel)) contexts.insert(kernel.context.value);
    ASSERT_LE(contexts.size(), 1);
  }

  const bool one_context_;
  const bool shares_sms_;
  SmPartitioner& policy_;
  FakeGpu* gpu_ = nullptr;
  std::vector<Call> calls_;
};

class EveryPartitioner : public testing::TestWithParam<PolicyName> {
 protected:
  std::unique_ptr<SmPartitioner> make() const {
    std::map<std::string, PolicyValue> parameters;
    if (GetParam().name == "warped-slicer")  // the schedules here are short
      parameters = {{"sample", 10.0}, {"warm_up", 30.0}, {"profile", 20.0}, {"delay", 5.0}};
    return PolicyRegistry<SmPartitioner>::make({GetParam().name, parameters});
  }
};

void expect_same_answers(SmPartitioner& policy, const std::vector<Examiner::Call>& calls) {
  for (const Examiner::Call& call : calls) {
    Partition partition = call.before;
    policy.partition(call.machine, partition);
    ASSERT_TRUE(partition == call.after);
  }
}

TEST_P(EveryPartitioner, KeepsTheContractOverRandomSchedules) {
  const auto policy = make();
  const auto drain = make_policy<Preemption>("drain");
  std::size_t calls = 0;
  for (std::uint64_t seed = 0; seed < cases(1000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Examiner examiner(GetParam().name, *policy);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, examiner, *drain);
    examiner.watch(gpu);
    if (shares_sms(GetParam().name)) gpu.share_sms();
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    for (std::size_t i = 0; i < schedule.arrivals.size(); ++i)
      ASSERT_NE(gpu.span(KernelId{i}).ended, Cycle::never()) << "kernel " << i;
    const auto another = make();
    expect_same_answers(*another, examiner.calls());  // a function of what it was shown
    policy->reset();
    expect_same_answers(*policy, examiner.calls());  // and of nothing from before the reset
    policy->reset();
    calls += examiner.calls().size();
  }
  EXPECT_GT(calls, 2000);
}

TEST_P(EveryPartitioner, LeavesAnEmptyMachineAlone) {
  MachineView machine;
  machine.sms.resize(3);
  machine.contexts.resize(2);
  Partition partition(3);
  make()->partition(machine, partition);
  EXPECT_TRUE(partition == Partition(3));
}

TEST_P(EveryPartitioner, GivesAKernelAloneTheWholeMachine) {
  TestMachine machine(3, {{0, 1}});
  machine.kernel(0, 9);
  EXPECT_THAT(machine.holders(*make()), ElementsAre(0, 0, 0));
}

INSTANTIATE_TEST_SUITE_P(, EveryPartitioner, testing::ValuesIn(policies_of("sm_partitioner")), test_name);

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
