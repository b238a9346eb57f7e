#pragma once
// CycleAccounts accounts every cycle to exactly one stall bucket, for the SM and for each of its schedulers.
// This includes the cycles in which the SM sleeps. The categories of papers are formulas over these buckets.

#include <array>

#include "models/sm/residence/issue_masks.h"
#include "models/sm/residence/kernel_accounts.h"
#include "models/sm/residence/resident_table.h"
#include "models/stats/group.h"

namespace heddle {

class CycleAccounts {
 public:
  // `ksrs` is the number of KSRs of the engine. `stats` is the group of the SM.
  CycleAccounts(const CycleSmSpec& spec, std::uint32_t ksrs, Group& stats);

  // Accounts the cycles before `until` that are not accounted yet, to the buckets that were chosen for them.
  void account_until(Cycle until) {
    if (until >= later_from_) advance();
    if (until <= next_) return;
    add(until - next_);
    next_ = until;
  }
  // Chooses the buckets of the cycle `now`. Those of the schedulers whose bit is set in `issued` were active.
  // The cycle of any other scheduler goes to the first reason of the stall order that holds for one of its
  // warps, or to kNoWarp if none holds. If no scheduler was active, the choice holds for the cycles that
  // follow, too, as long as nothing happens in them.
  //
  // Where the cycles of kernels are accounted, too, the function also chooses what the cycle of each kernel
  // counts as. `slots` has the slot of the warp that issued, for each scheduler that was active.
  using Slots = std::array<std::uint8_t, kMostSchedulers>;
  void account(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued, const Slots& slots,
               Cycle now) {
    if (kernels_.on()) return account_kernels(table, next, issued, slots, now);
    if (now < later_from_ && choice_.holds == Holds::kWhileAllIssue && issued == all_issue_ &&
        choice_.schedulable == table.schedulable)
      return;
    account_change(table, next, issued, now);
  }
  // Before the SM goes to sleep, at the end of its tick in the cycle `now`, it calls choose_later() to choose
  // the buckets of the cycles that it will sleep through.
  void choose_later(const ResidentTable& table, const IssueMasks& next, Cycle now);

  // Counts from cycle 0 again. The SM resets the counters.
  void reset();

  const Counter& counter(Bucket bucket) const { return sm_[static_cast<std::size_t>(bucket)]; }
  std::uint64_t slots(Bucket bucket) const;  // its cycles of each scheduler, summed
  CycleTotals totals() const;                // of the cycles that are accounted

  const Counter& schedulable() const { return schedulable_; }  // warps, summed over cycles

  KernelAccounts& kernels() { return kernels_; }
  const KernelAccounts& kernels() const { return kernels_; }

 private:
  void account_kernels(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                       const Slots& slots, Cycle now);
  using Buckets = std::array<Counter, kBuckets>;
  using Reasons = KernelAccounts::Reasons;
  static Reasons reasons(const ResidentTable& table, const IssueMasks& next);
  // The masks that the buckets of a cycle without an issue depend on.
  using Masks = std::array<WarpMask, 6>;
  // A Choice is what a cycle is accounted to.
  enum class Holds : std::uint8_t { kOnce, kForMasks, kWhileAllIssue };
  struct Choice {
    Holds holds = Holds::kOnce;  // for which cycles that follow
    Masks masks{};
    std::array<Bucket, kMostSchedulers + 1> buckets;  // by scheduler, and at the end for the SM
    std::uint32_t memory_slots = 0;
    std::uint32_t schedulable = 0;
  };
  static Masks masks_of(const ResidentTable& table, const IssueMasks& next);
  void choose_buckets(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued,
                      const Reasons& why, Choice& choice) const;
  void choose(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued, WarpMask issued_warps,
              Cycle now);
  void account_change(const ResidentTable& table, const IssueMasks& next, std::uint32_t issued, Cycle now);
  void advance();  // to the later choice
  void add(std::uint64_t cycles);

  // By WaitReasons: the first bucket of the stall order among them, or kNoWarp if there is none.
  std::array<Bucket, std::size_t{1} << kWaitReasons> first_;
  const std::uint32_t scheduler_count_;
  const std::uint32_t all_issue_;   // a bit for each scheduler
  const WarpMask first_scheduler_;  // the warps of scheduler 0
  Cycle next_{0};                   // the first cycle that is not accounted
  Buckets sm_{};
  std::array<Buckets, kMostSchedulers> schedulers_{};
  Choice choice_;  // of the cycles from next_ to later_from_
  Choice later_;   // of those from later_from_ on
  Cycle later_from_ = Cycle::never();
  Counter memory_slots_;
  Counter schedulable_;
  KernelAccounts kernels_;
};

}  // namespace heddle
