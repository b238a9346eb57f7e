#pragma once
// CycleAccounts accounts every cycle to exactly one stall bucket, for the SM and for each of its schedulers.
// This includes the cycles in which the SM sleeps. The categories of papers are formulas over these buckets.

#include <array>

#include "models/sm/kernel_accounts.h"
#include "models/sm/warp_table.h"
#include "models/stats/group.h"

namespace heddle {

class CycleAccounts {
 public:
  // `ksrs` is the number of KSRs of the engine. `stats` is the group of the SM.
  CycleAccounts(const CycleSmSpec& spec, std::uint32_t ksrs, Group& stats);

  // Accounts the cycles from the last accounted one up to `until`, not included, to the buckets that were
  // chosen last. Nothing issued in these cycles.
  void account_until(Cycle until) {
    const std::uint64_t cycles = until - next_;
    if (cycles == 0) return;
    add(cycles);
    next_ = until;
  }
  // Accounts the cycle `now`. The schedulers whose bit is set in `issued` were active. The cycle of any other
  // scheduler goes to the first reason of the stall order that holds for one of its warps, or to kNoWarp if
  // none holds. If no scheduler was active, only the buckets are chosen, and the cycle is accounted later
  // together with those that follow it.
  void account(const WarpTable& table, std::uint32_t issued, Cycle now);
  // Accounts the cycle at once, also that of each kernel. All earlier cycles are accounted. `slots` has the
  // slot of the warp that issued, for each scheduler that was active.
  using Slots = std::array<std::uint8_t, kMostSchedulers>;
  void account_kernels(const WarpTable& table, std::uint32_t issued, const Slots& slots, Cycle now);
  // Chooses the buckets of the cycle `from` and of those that follow, as long as nothing happens in them.
  void choose_buckets(const WarpTable& table, Cycle from);

  // Counts from cycle 0 again. The SM resets the counters.
  void reset();

  const Counter& counter(Bucket bucket) const { return sm_[static_cast<std::size_t>(bucket)]; }
  std::uint64_t slots(Bucket bucket) const;  // its cycles of each scheduler, summed
  CycleTotals totals() const;                // of the cycles that are accounted

  const Counter& schedulable() const { return schedulable_; }  // warps, summed over cycles

  KernelAccounts& kernels() { return kernels_; }
  const KernelAccounts& kernels() const { return kernels_; }

 private:
  using Buckets = std::array<Counter, kBuckets>;
  using Reasons = KernelAccounts::Reasons;
  static Reasons reasons(const WarpTable& table);
  template <bool kAccountsKernels>
  void account_cycle(const WarpTable& table, std::uint32_t issued, WarpMask issued_warps, Cycle now);
  void add(std::uint64_t cycles);

  // By WaitReasons: the first bucket of the stall order among them, or kNoWarp if there is none.
  std::array<Bucket, std::size_t{1} << kWaitReasons> first_;
  // Each element is the bucket of a cycle in which nothing happens: by scheduler, and at the end for the SM.
  std::array<Bucket, kMostSchedulers + 1> standing_;
  const std::uint32_t scheduler_count_;
  const WarpMask first_scheduler_;  // the warps of scheduler 0
  Cycle next_{0};                   // the first cycle that is not accounted
  Buckets sm_{};
  std::array<Buckets, kMostSchedulers> schedulers_{};
  // The masks of the WarpTable that the standing buckets depend on.
  using Masks = std::array<WarpMask, 6>;
  Masks standing_masks_{};
  std::uint32_t standing_memory_slots_ = 0;  // of each cycle in which nothing happens
  Counter memory_slots_;
  std::uint32_t standing_schedulable_ = 0;
  Counter schedulable_;
  KernelAccounts kernels_;
};

}  // namespace heddle
