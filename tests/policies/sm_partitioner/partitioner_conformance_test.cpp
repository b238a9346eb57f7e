// One suite over every registered SM partitioner. An SM driver in a GPU of pure logic calls them, so that
// they see only machine states that can occur.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tests/support/machine/test_machine.h"
#include "tests/support/policy_names.h"
#include "tests/support/schedules.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// Of the core clock. Times of a few microseconds are then times within a schedule, and a microsecond, the
// shortest time slice, is longer than any block: a block that is flushed in every slice would never end.
constexpr double kSlowHz = 200e6;

// A copy of the handover costs of every slice of a machine, so that a recorded view can be used for a later
// call.
class RecordedCosts final : public HandoverCosts {
 public:
  explicit RecordedCosts(const MachineView& machine) {
    for (std::uint32_t sm = 0; sm < machine.sms.size(); ++sm)
      for (const SliceView& slice : machine.sms[sm].slices)
        machine.costs->read(SmId{sm}, slice.slice.kernel, costs_[{sm, slice.slice.kernel.value}]);
  }
  void read(SmId sm, KsrId kernel, std::vector<HandoverCost>& costs) const override {
    const auto found = costs_.find({sm.value, kernel.value});
    costs = found == costs_.end() ? std::vector<HandoverCost>() : found->second;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<HandoverCost>> costs_;
};

// Forwards every call to a policy, checks the decision against the contract of the interface and the
// guarantees of the policy, and records both.
class Examiner final : public SmPartitioner, public EngineObserver {
 public:
  explicit Examiner(SmPartitioner& policy)
      : one_context_(policy.one_context()), shares_sms_(policy.shares_sms()), policy_(policy) {}

  struct Call {
    Call(const MachineView& seen, Partition partition, Partition answer)
        : machine(seen),
          costs(std::make_shared<RecordedCosts>(seen)),
          before(std::move(partition)),
          after(std::move(answer)) {
      machine.costs = costs.get();
    }
    MachineView machine;
    std::shared_ptr<const RecordedCosts> costs;
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
    calls_.emplace_back(machine, before, partition);
    ASSERT_EQ(partition.sms(), machine.sms.size());
    for (std::size_t sm = 0; sm < partition.sms(); ++sm) {
      for (const Slice& slice : partition.slices(sm)) may_have(machine, before, sm, slice, policy_);
      one_slice_a_kernel(partition.slices(sm));
      if (!shares_sms_) {
        ASSERT_LE(partition.slices(sm).size(), 1);
      }
    }
  }

  std::uint64_t sample_period() const override { return policy_.sample_period(); }
  Cycle next_decision() const override { return policy_.next_decision(); }
  bool asked_at_start() const override { return policy_.asked_at_start(); }
  IssueOrder issue_order() const override { return policy_.issue_order(); }

  void scheduled(Cycle now) override {
    SCOPED_TRACE(testing::Message() << "cycle " << now.value);
    const MachineView& machine = gpu_->driver().view();
    Partition again = standing(machine);
    policy_.partition(machine, again);
    ASSERT_TRUE(again == standing(machine)) << "asked again, it decides otherwise";
    calls_.emplace_back(machine, again, again);
    no_sm_is_wasted(machine);
    if (one_context_) one_context_only(machine);
  }

 private:
  static void may_have(const MachineView& machine, const Partition& before, std::size_t sm,
                       const Slice& slice, const SmPartitioner& policy) {
    const auto kernel = std::find_if(machine.kernels.begin(), machine.kernels.end(),
                                     [&](const KernelView& view) { return view.ksr == slice.kernel; });
    ASSERT_NE(kernel, machine.kernels.end()) << "SM " << sm << ": no kernel of the active queue";
    const std::vector<Slice>& had = before.slices(sm);
    const bool held =
        std::any_of(had.begin(), had.end(), [&](const Slice& other) { return other.kernel == slice.kernel; });
    ASSERT_TRUE(held || slice.quota > 0) << "SM " << sm << ": a new slice that may issue no block";
    ASSERT_TRUE(held || kernel->unissued > 0) << "SM " << sm << ": given to a kernel without blocks";
    ASSERT_TRUE(held || policy.may_hold(machine, kernel->context, sm))
        << "SM " << sm << ": given to a context that may not have it";
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

  // No SM is idle while a kernel that may have the SM needs one. With one active context, those are the
  // kernels that have started, or any kernel if none has.
  void no_sm_is_wasted(const MachineView& machine) const {
    const bool idle =
        std::any_of(machine.sms.begin(), machine.sms.end(), [](const SmView& sm) { return sm.idle(); });
    if (!idle) return;
    const auto may_hold_idle_one = [&](ContextId context) {
      for (std::size_t sm = 0; sm < machine.sms.size(); ++sm)
        if (machine.sms[sm].idle() && policy_.may_hold(machine, context, sm)) return true;
      return false;
    };
    const bool none_started =
        std::none_of(machine.kernels.begin(), machine.kernels.end(),
                     [&](const KernelView& kernel) { return started(machine, kernel); });
    for (const KernelView& kernel : machine.kernels) {
      const bool may_have_one = !one_context_ || none_started || started(machine, kernel);
      ASSERT_FALSE(may_have_one && may_hold_idle_one(kernel.context) && wants_more(machine, kernel))
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
  std::unique_ptr<SmPartitioner> make() const { return make_policy<SmPartitioner>(GetParam().name); }
};

void expect_same_answers(SmPartitioner& policy, const std::vector<Examiner::Call>& calls) {
  for (const Examiner::Call& call : calls) {
    Partition partition = call.before;
    policy.partition(call.machine, partition);
    ASSERT_TRUE(partition == call.after);
  }
}

// Returns the number of decisions that change when the order of the contexts' priorities is reversed.
std::size_t changed_by_priorities(SmPartitioner& policy, const std::vector<Examiner::Call>& calls) {
  std::size_t changed = 0;
  for (const Examiner::Call& call : calls) {
    MachineView machine = call.machine;
    for (ContextView& context : machine.contexts) context.priority = -context.priority;
    Partition partition = call.before;
    policy.partition(machine, partition);
    changed += partition == call.after ? 0 : 1;
  }
  return changed;
}

// Returns the GPU of a schedule as the constraints of a policy see it.
GpuDescription gpu_of(const Schedule& schedule) {
  GpuDescription gpu;
  gpu.sms = schedule.sms;
  gpu.contexts = schedule.spec.contexts;
  gpu.ksrs = schedule.spec.ksrs;
  gpu.hardware_queues = 32;
  gpu.block_slots = schedule.limits.block_slots;
  gpu.warp_slots = schedule.limits.warps;
  return gpu;
}

TEST_P(EveryPartitioner, KeepsTheContractOverRandomSchedules) {
  const std::array preemptions{make_policy<Preemption>("drain"), make_policy<Preemption>("switch"),
                               make_policy<Preemption>("flush"), make_policy<Preemption>("chimera")};
  std::size_t calls = 0;
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < cases(1000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = random_schedule(seed);
    Random random(seed);
    const PolicyChoice choice = random_choice(GetParam(), random);
    if (!PolicyCatalogue::instance().misfit(GetParam().decision, choice, gpu_of(schedule)).empty()) continue;
    const auto policy = PolicyRegistry<SmPartitioner>::make(choice);
    Examiner examiner(*policy);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, examiner,
                *preemptions[seed % preemptions.size()]);
    examiner.watch(gpu);
    gpu.driver().set_core_hz(kSlowHz);
    if (policy->shares_sms()) gpu.share_sms();
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    for (std::size_t i = 0; i < schedule.arrivals.size(); ++i)
      ASSERT_NE(gpu.span(KernelId{i}).ended, Cycle::never()) << "kernel " << i;
    const auto another = PolicyRegistry<SmPartitioner>::make(choice);
    expect_same_answers(*another, examiner.calls());  // decisions depend on the views only
    policy->reset();
    expect_same_answers(*policy, examiner.calls());  // decisions do not depend on views before the reset
    policy->reset();
    changed += changed_by_priorities(*policy, examiner.calls());
    calls += examiner.calls().size();
  }
  EXPECT_GT(calls, 2000);
  EXPECT_EQ(changed > 0, make()->uses_priorities()) << changed << " answers depend on priorities";
}

// Launches wait in order for the few KSRs, as behind each other in one hardware queue. So a kernel that is
// held back for a context without a kernel holds back that context's next kernel.
TEST_P(EveryPartitioner, EndsEveryKernelOfOpenContextsThatOutnumberTheSms) {
  const std::array preemptions{make_policy<Preemption>("drain"), make_policy<Preemption>("switch"),
                               make_policy<Preemption>("flush"), make_policy<Preemption>("chimera")};
  std::size_t runs = 0;
  for (std::uint64_t seed = 0; seed < cases(1000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule = random_schedule(seed);
    Random random(seed);
    schedule.sms = static_cast<std::uint32_t>(1 + random.below(3));
    schedule.spec.ksrs = static_cast<std::uint32_t>(1 + random.below(3));
    for (ContextView& context : schedule.contexts) context = {context.priority, 0, true};
    schedule.contexts.front().tokens = 1;
    const PolicyChoice choice = random_choice(GetParam(), random);
    if (!PolicyCatalogue::instance().misfit(GetParam().decision, choice, gpu_of(schedule)).empty()) continue;
    const auto policy = PolicyRegistry<SmPartitioner>::make(choice);
    FakeGpu gpu(schedule.spec, schedule.limits, schedule.sms, *policy,
                *preemptions[seed % preemptions.size()]);
    gpu.driver().set_core_hz(kSlowHz);
    if (policy->shares_sms()) gpu.share_sms();
    schedule.feed(gpu);
    ASSERT_NO_THROW(gpu.run());
    ++runs;
  }
  EXPECT_GT(runs, 20);
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
  TestMachine machine(3, {{0, 3}});
  machine.kernel(0, 9);
  EXPECT_THAT(machine.holders(*make()), ElementsAre(0, 0, 0));
}

// Two kernels with sets of SMs of their own, and one without. A policy that honours sets keeps to them.
TEST_P(EveryPartitioner, KeepsLaunchesOnTheirSms) {
  std::size_t given = 0;
  for (std::uint64_t seed = 0; seed < cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto policy = make();
    if (!policy->honours_sm_sets()) return;
    const std::size_t sms = 2 + random.below(6);
    std::vector<std::vector<bool>> sets(2, std::vector<bool>(sms));
    for (std::size_t sm = 0; sm < sms; ++sm) sets[random.below(2)][sm] = true;
    TestMachine machine(sms, {{0, 1}});
    for (int kernel = 0; kernel < 3; ++kernel) machine.kernel(0, 1 + random.below(2 * sms), 2);
    machine.view().kernels[0].sms = &sets[0];
    machine.view().kernels[1].sms = &sets[1];
    Partition partition(sms);
    policy->partition(machine.view(), partition);
    for (std::size_t sm = 0; sm < sms; ++sm)
      for (const Slice& slice : partition.slices(sm)) {
        ASSERT_TRUE(machine.view().kernel(slice.kernel).may_run_on(sm)) << "SM " << sm;
        ++given;
      }
  }
  EXPECT_GT(given, cases(200));
}

HEDDLE_CONFORMANCE(EveryPartitioner, SmPartitioner);

}  // namespace
}  // namespace heddle
