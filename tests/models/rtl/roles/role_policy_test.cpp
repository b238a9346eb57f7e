// Policies behind the signals of their roles decide as the same policies that the machine asks.

#include "models/rtl/roles/role_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/core/base/port_set.h"
#include "models/core/base/random.h"
#include "policies/crossbar_arbiter/i_crossbar_arbiter.h"
#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"
#include "tests/support/policy_names.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::uint64_t one(std::uint32_t place) {
  return std::uint64_t{1} << place;
}

void set(RolePolicy& policy, const char* signal, std::uint32_t element, std::uint64_t value) {
  policy.set(policy.role().find(signal), element, static_cast<std::int64_t>(value));
}
std::int64_t get(const RolePolicy& policy, const char* signal, std::uint32_t element = 0) {
  return policy.get(policy.role().find(signal), element);
}
void take(RolePolicy& policy, std::uint32_t thing) {
  set(policy, "taken", thing / 64, one(thing % 64));
  policy.tick();
}

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const PolicyError& error) {
    return error.what();
  }
  return "nothing was refused";
}

// Random warps that start, end, wait and issue. The role's signals are those that a block in RTL sees.
class Warps {
 public:
  explicit Warps(std::uint64_t seed) : random_(seed) {}

  // Ends and starts some warps, and tells the policy of the machine.
  void change(WarpScheduler& machine) {
    started_ = ended_ = 0;
    for (std::uint32_t half : {0u, 8u}) {
      const auto slot = static_cast<std::uint32_t>(half + random_.below(kSlots / 2));
      if (random_.below(3) == 0) (here(slot) ? ended_ : started_) |= one(slot);
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      if ((ended_ & one(slot)) == 0) continue;
      order_.erase(std::find(order_.begin(), order_.end(), slot));
      machine.ended(slot);
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot)
      if ((started_ & one(slot)) != 0) start(slot, machine);
  }
  IssueView view() {
    IssueView view;
    for (const std::uint32_t slot : order_) {
      view.live |= one(slot);
      if (random_.below(4) == 0)
        view.wait_long |= one(slot);
      else if (random_.below(2) == 0)
        view.candidates |= one(slot);
    }
    return view;
  }
  void show(const IssueView& view, RolePolicy& policy, bool with_events) const {
    set(policy, "candidates", 0, view.candidates);
    set(policy, "live", 0, view.live);
    set(policy, "wait_long", 0, view.wait_long);
    set(policy, "started", 0, with_events ? started_ : 0);
    set(policy, "ended", 0, with_events ? ended_ : 0);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) set(policy, "ages", slot, 0);
    for (std::uint32_t age = 0; age < order_.size(); ++age) {
      set(policy, "ages", order_[age], age);
      set(policy, "kernels", order_[age], warps_[order_[age]].kernel.value);
      set(policy, "contexts", order_[age], warps_[order_[age]].context.value);
    }
  }

  static constexpr std::uint32_t kSlots = 16;

 private:
  void start(std::uint32_t slot, WarpScheduler& machine) {
    warps_[slot].context = ContextId{static_cast<std::uint32_t>(random_.below(2))};
    warps_[slot].kernel = KsrId{warps_[slot].context.value};
    const auto same = std::find_if(order_.begin(), order_.end(), [&](std::uint32_t other) {
      return warps_[other].kernel == warps_[slot].kernel;
    });
    warps_[slot].set_up = same == order_.end() ? set_ups_++ : warps_[*same].set_up;
    order_.push_back(slot);
    machine.started(slot, warps_[slot]);
  }
  bool here(std::uint32_t slot) const {
    return std::find(order_.begin(), order_.end(), slot) != order_.end();
  }

  Random random_;
  std::vector<std::uint32_t> order_;  // slots, the oldest warp first
  std::array<WarpView, kSlots> warps_{};
  std::uint64_t set_ups_ = 0;
  std::uint64_t started_ = 0;  // in this cycle
  std::uint64_t ended_ = 0;
};

class EveryRoleWarpScheduler : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryRoleWarpScheduler, DecidesByAgesAsTheMachineDoesByStartsAndEnds) {
  for (std::uint64_t seed = 0; seed < cases(50); ++seed) {
    Warps warps(seed);
    const auto machine = PolicyRegistry<WarpScheduler>::make({GetParam(), {}});
    machine->reset();
    const auto policy = RolePolicy::make("warp_scheduler", {GetParam(), {}}, Warps::kSlots);
    for (int cycle = 0; cycle < 300; ++cycle) {
      warps.change(*machine);
      const IssueView view = warps.view();
      if (view.candidates == 0) continue;
      warps.show(view, *policy, false);
      const std::uint32_t wanted = machine->pick(view);
      ASSERT_EQ(policy->choose(), wanted) << "seed " << seed << " cycle " << cycle;
      if (wanted != WarpScheduler::kDecline) set(*policy, "taken", 0, one(wanted));
      policy->tick();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryRoleWarpScheduler, ::testing::Values("lrr", "gto", "oldest"),
                         [](const auto& policy) { return std::string(policy.param); });

class EveryRoleWarpSchedulerWithEvents : public ::testing::TestWithParam<PolicyName> {};

TEST_P(EveryRoleWarpSchedulerWithEvents, DecidesAsTheMachineDoes) {
  for (std::uint64_t seed = 0; seed < cases(50); ++seed) {
    Warps warps(seed);
    Random random(seed);
    const PolicyChoice choice = random_choice(GetParam(), random);
    const auto machine = PolicyRegistry<WarpScheduler>::make(choice);
    machine->reset();
    const auto policy = RolePolicy::make("warp_scheduler", choice, Warps::kSlots);
    for (int cycle = 0; cycle < 300; ++cycle) {
      warps.change(*machine);
      const IssueView view = warps.view();
      warps.show(view, *policy, true);
      if (cycle % 7 == 0) {  // a cycle in which nothing is asked
        policy->tick();
        continue;
      }
      const std::uint32_t wanted = view.candidates == 0 ? WarpScheduler::kDecline : machine->pick(view);
      ASSERT_EQ(policy->choose(), wanted) << "seed " << seed << " cycle " << cycle;
      if (wanted != WarpScheduler::kDecline) set(*policy, "taken", 0, one(wanted));
      policy->tick();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryRoleWarpSchedulerWithEvents,
                         ::testing::ValuesIn(policies_of(WarpScheduler::kDecision)), test_name);

// A warp that starts in the slot of one that has ended in the same cycle looks to `ages` as the same warp.
// `ended` and `started` tell them apart.
TEST(RoleWarpScheduler, EndsAndStartsCountBeforeTheChoice) {
  const auto policy = RolePolicy::make("warp_scheduler", {"oldest", {}}, 8);
  set(*policy, "candidates", 0, 0b11);
  set(*policy, "started", 0, 0b11);
  EXPECT_EQ(policy->choose(), 0u);
  take(*policy, 0);
  set(*policy, "ended", 0, 0b01);
  set(*policy, "started", 0, 0b01);
  EXPECT_EQ(policy->choose(), 1u);
  take(*policy, 1);
  EXPECT_EQ(get(*policy, "started"), 0);
  EXPECT_EQ(get(*policy, "pick"), 1);
  EXPECT_EQ(get(*policy, "pick_valid"), 1);
  EXPECT_EQ(get(*policy, "pick_mask"), 0b10);
}

TEST(RoleWarpScheduler, TheOlderKernelGoesFirstUnderPriority) {
  const auto policy = RolePolicy::make("warp_scheduler", {"priority", {}}, 8);
  const auto choose = [&](std::uint64_t candidates) {
    set(*policy, "candidates", 0, candidates);
    const std::uint32_t chosen = policy->choose();
    take(*policy, chosen);
    return chosen;
  };
  set(*policy, "kernels", 0, 1);
  set(*policy, "kernels", 5, 2);
  set(*policy, "started", 0, one(5));
  EXPECT_EQ(choose(one(5)), 5u);
  set(*policy, "started", 0, one(0));
  EXPECT_EQ(choose(one(0) | one(5)), 5u);
  EXPECT_EQ(choose(one(0)), 0u);
}

// A difference counts once where the policy follows the RTL.
TEST(RoleWarpScheduler, FollowsWhatWasTaken) {
  const auto policy = RolePolicy::make("warp_scheduler", {"lrr", {}}, 8);
  set(*policy, "candidates", 0, 0xff);
  EXPECT_EQ(policy->choose(), 0u);
  take(*policy, 4);
  EXPECT_EQ(policy->choose(), 5u);
  take(*policy, 5);
  EXPECT_EQ(policy->choose(), 6u);
}

TEST(RoleCrossbarArbiter, DecidesAsTheMachineDoesWithMoreThan64Inputs) {
  constexpr std::uint32_t kInputs = 130;
  for (const char* name : {"round-robin", "oldest-first", "context-priority", "context-shares"}) {
    Random random(7);
    const auto machine = PolicyRegistry<CrossbarArbiter>::make({name, {}});
    const auto policy = RolePolicy::make("crossbar_arbiter", {name, {}}, kInputs);
    std::vector<Cycle> issued(kInputs);
    std::vector<RequestingPacket> packets(kInputs);
    for (int cycle = 0; cycle < 2000; ++cycle) {
      PortSet requests(kInputs);
      std::array<std::uint64_t, 3> words{};
      for (std::uint32_t i = 0; i < kInputs; ++i) {
        packets[i] = {ContextId{i % 3}, 1 + i % 4, Cycle{}};
        set(*policy, "contexts", i, packets[i].context.value);
        set(*policy, "flits", i, packets[i].flits);
        issued[i] = Cycle{random.below(50)};
        set(*policy, "ages", i, issued[i].value);
        if (random.below(20) != 0) continue;
        requests.set(i);
        words[i / 64] |= one(i % 64);
      }
      for (std::uint32_t w = 0; w < 3; ++w) set(*policy, "requests", w, words[w]);
      const std::uint32_t chosen = policy->choose();
      if (requests.empty()) {
        ASSERT_EQ(chosen, RolePolicy::kNone);
        policy->tick();
        continue;
      }
      ASSERT_EQ(chosen, machine->choose({requests, issued.data(), Cycle{0}, packets.data()}))
          << name << " cycle " << cycle;
      ASSERT_EQ(get(*policy, "grant_mask", chosen / 64), static_cast<std::int64_t>(one(chosen % 64)));
      if (random.below(3) == 0) {  // no room
        policy->tick();
        continue;
      }
      machine->granted(chosen);
      take(*policy, chosen);
    }
  }
}

TEST(RoleDramScheduler, DecidesAsTheMachineDoes) {
  for (const char* name : {"fcfs", "fr-fcfs", "fr-fcfs-cap"}) {
    Random random(3);
    const auto machine = PolicyRegistry<DramScheduler>::make({name, {}});
    const auto policy = RolePolicy::make("dram_scheduler", {name, {}}, 64);
    std::vector<std::uint64_t> arrival(64);
    for (int cycle = 0; cycle < 2000; ++cycle) {
      for (std::uint32_t i = 0; i < 64; ++i) arrival[i] = i;
      random.shuffle(arrival);
      CommandSlotView slot{0, 0, 0, 0, arrival.data(), Cycle{0}};
      for (std::uint32_t i = 0; i < 64; ++i) {
        set(*policy, "ages", i, arrival[i]);
        BankMask* const masks[]{&slot.columns, &slot.activates, &slot.precharges};
        const std::uint64_t kind = random.below(30);
        if (kind < 3) *masks[kind] |= one(i);
        if (kind < 10) slot.waiting |= one(i);
      }
      set(*policy, "columns", 0, slot.columns);
      set(*policy, "activates", 0, slot.activates);
      set(*policy, "precharges", 0, slot.precharges);
      set(*policy, "waiting", 0, slot.waiting);
      const bool is_asked = (slot.columns | slot.activates | slot.precharges) != 0;
      const std::size_t wanted = is_asked ? machine->choose(slot) : DramScheduler::kNone;
      const std::uint32_t chosen = policy->choose();
      ASSERT_EQ(chosen == RolePolicy::kNone ? DramScheduler::kNone : chosen, wanted) << name;
      policy->tick();
    }
  }
}

TEST(RoleDmaArbiter, TransfersKeepTheirPlacesAndPrioritiesTheirSigns) {
  const auto policy = RolePolicy::make("dma_arbiter", {"priority", {}}, 100);
  const std::size_t priorities = policy->role().find("priorities");
  set(*policy, "transfers", 0, one(3) | one(40));
  set(*policy, "transfers", 1, one(1));
  policy->set(priorities, 3, -5);
  policy->set(priorities, 40, -7);
  policy->set(priorities, 65, -6);
  EXPECT_EQ(policy->choose(), 3u);
  policy->tick();
  policy->set(priorities, 65, 1);
  EXPECT_EQ(policy->choose(), 65u);
  EXPECT_EQ(get(*policy, "transfer"), 65);
  EXPECT_EQ(get(*policy, "transfer_mask", 1), 2);
}

TEST(RolePolicy, StartsOverAfterAReset) {
  const auto policy = RolePolicy::make("crossbar_arbiter", {"round-robin", {}}, 8);
  std::vector<std::uint32_t> chosen;
  for (int i = 0; i < 5; ++i) {
    set(*policy, "requests", 0, 0xff);
    chosen.push_back(policy->choose());
    take(*policy, chosen.back());
    if (i == 2) policy->reset();
  }
  EXPECT_THAT(chosen, ElementsAre(0, 1, 2, 0, 1));
  EXPECT_EQ(policy->ticks(), 2u);
}

TEST(RolePolicy, RefusesWhatHasNoMeaning) {
  const auto make = [](const char* decision, const char* name, std::uint32_t things) {
    return refusal([&] { RolePolicy::make(decision, {name, {}}, things); });
  };
  EXPECT_THAT(make("warp_schedulers", "lrr", 8), HasSubstr("did you mean 'warp_scheduler'?"));
  EXPECT_THAT(make("sm_partitioner", "token", 8), HasSubstr("known: crossbar_arbiter, dma_arbiter"));
  EXPECT_THAT(make("warp_scheduler", "lrrr", 8), HasSubstr("did you mean 'lrr'?"));
  EXPECT_THAT(make("warp_scheduler", "rtl.own", 8), HasSubstr("only a machine has those"));
  EXPECT_THAT(make("warp_scheduler", "lrr", 65), HasSubstr("1 to 64 things, not 65"));
  EXPECT_THAT(make("dma_arbiter", "fcfs", 0), HasSubstr("not 0"));

  const auto dram = RolePolicy::make("dram_scheduler", {"fr-fcfs", {}}, 8);
  EXPECT_THAT(refusal([&] { set(*dram, "bank", 0, 1); }), HasSubstr("'bank' is an output"));
  EXPECT_THAT(refusal([&] { set(*dram, "ages", 8, 1); }), HasSubstr("elements 0 to 7, and no element 8"));
  EXPECT_THAT(refusal([&] { set(*dram, "columns", 0, 0x100); }), HasSubstr("0x100 has more"));
  EXPECT_THAT(refusal([&] { set(*dram, "ages", 0, ~std::uint64_t{0}); }), HasSubstr("-1 is no value"));
  set(*dram, "columns", 0, 1);
  EXPECT_THAT(refusal([&] { dram->choose(); }), HasSubstr("no request by signal 'waiting'"));
  set(*dram, "waiting", 0, 1);
  set(*dram, "activates", 0, 1);
  EXPECT_THAT(refusal([&] { dram->choose(); }), HasSubstr("several next commands"));
  set(*dram, "activates", 0, 0);
  EXPECT_EQ(dram->choose(), 0u);
  EXPECT_THAT(refusal([&] { dram->choose(); }), HasSubstr("asked in this tick already"));

  const auto warps = RolePolicy::make("warp_scheduler", {"gto", {}}, 8);
  set(*warps, "candidates", 0, 0b10);
  EXPECT_THAT(refusal([&] { take(*warps, 1); }), HasSubstr("in which nothing was chosen"));
  set(*warps, "taken", 0, 0);
  EXPECT_EQ(warps->choose(), 1u);
  EXPECT_THAT(refusal([&] { warps->tick(); }), HasSubstr("cannot take that back"));
  EXPECT_THAT(refusal([&] { take(*warps, 0); }), HasSubstr("slot 0, which is no candidate"));
  set(*warps, "taken", 0, 0b11);
  EXPECT_THAT(refusal([&] { warps->tick(); }), HasSubstr("several bits"));
  take(*warps, 1);
  set(*warps, "ended", 0, 0b100);
  EXPECT_THAT(refusal([&] { warps->choose(); }), HasSubstr("slot 2, in which no warp has started"));
}

}  // namespace
}  // namespace heddle::test
