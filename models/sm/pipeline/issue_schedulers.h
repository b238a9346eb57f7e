#pragma once
// The IssueSchedulers are the warp schedulers of an SM. Warp slot s belongs to scheduler s mod the number of
// schedulers, each of which asks a policy of its own. In a cycle each scheduler has one turn, one after
// another; on some SMs another scheduler has the first turn after each cycle with an issue.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/warp_inspector.h"
#include "models/sm/residence/resident_table.h"
#include "models/sm/residence/warp_mask.h"
#include "models/sm/spec/cycle_spec.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class IssueSchedulers {
 public:
  using Policies = std::vector<std::unique_ptr<WarpScheduler>>;  // one for each scheduler of the spec

  // Both tables must outlive the object.
  IssueSchedulers(const CycleSmSpec& spec, const IssueTable& table, const ResidentTable& resident,
                  Policies policies)
      : count_(spec.schedulers),
        rotate_(spec.schedulers_rotate),
        warps_of_first_(warps_of_first(spec.schedulers)),
        table_(table),
        resident_(resident),
        inspector_(table, resident),
        policies_(std::move(policies)),
        take_only_candidate_(std::all_of(policies_.begin(), policies_.end(),
                                         [](const auto& policy) { return policy->takes_only_candidate(); })) {
  }

  void reset() {
    for (const auto& policy : policies_) policy->reset();
    first_ = 0;
  }

  // A warp has come to the slot, or the warp of the slot issues nothing more.
  void start(std::uint32_t slot) { policy_of(slot).started(slot, inspector_.warp(slot)); }
  void end(std::uint32_t slot) { policy_of(slot).ended(slot); }

  // Returns the scheduler with the first turn, and the one with the turn after this one. The turns are over
  // when that is first() again.
  std::size_t first() const { return first_; }
  std::size_t after(std::size_t scheduler) const { return scheduler + 1 == count_ ? 0 : scheduler + 1; }
  // The turns of a cycle are over, in which an instruction has issued.
  void end_turns() {
    if (rotate_) first_ = after(first_);
  }

  WarpMask warps_of(std::size_t scheduler) const { return warps_of_first_ << scheduler; }
  // Returns which of these warps of the scheduler issues, or WarpScheduler::kDecline. There is a candidate.
  [[gnu::always_inline]] std::uint32_t pick(std::size_t scheduler, WarpMask candidates, Cycle now) const {
    if (!take_only_candidate_ || (candidates & (candidates - 1)) != 0) return ask(scheduler, candidates, now);
    const std::uint32_t slot = lowest(candidates);
    policies_[scheduler]->follow(slot);
    return slot;
  }

 private:
  [[gnu::noinline]] std::uint32_t ask(std::size_t scheduler, WarpMask candidates, Cycle now) const {
    const WarpMask mine = warps_of(scheduler);
    return policies_[scheduler]->pick({candidates, resident_.live & ~resident_.pending & mine,
                                       (table_.next.wait_memory | resident_.held) & mine, &inspector_, now});
  }
  WarpScheduler& policy_of(std::uint32_t slot) { return *policies_[slot % count_]; }

  const std::uint32_t count_;
  const bool rotate_;
  const WarpMask warps_of_first_;
  const IssueTable& table_;
  const ResidentTable& resident_;
  const WarpInspector inspector_;
  const Policies policies_;
  const bool take_only_candidate_;  // all of `policies_`; see WarpScheduler
  std::size_t first_ = 0;
};

}  // namespace heddle
