#pragma once
// Every cycle of an SM lands in one bucket, for the SM and for each of its schedulers; also those it slept
// through. The papers' own categories are formulas over these.

#include <array>

#include "models/sm/warp_table.h"
#include "models/stats/group.h"

namespace heddle {

class CycleAccounts {
 public:
  // stats: the group of the SM.
  CycleAccounts(const CycleSmSpec& spec, Group& stats);

  // Cycles from the last accounted one up to `until`, not included, all alike: nothing happened in them.
  void slept(Cycle until) {
    const std::uint64_t cycles = until - next_;
    if (cycles == 0) return;
    add(cycles);
    next_ = until;
  }
  // The present cycle: schedulers whose bit is set in `issued` were active, the others fall into the bucket
  // that their warps say now.
  void account(const WarpTable& table, std::uint32_t issued, Cycle now);
  // What the cycles to come will be if nothing happens in them.
  void settle(const WarpTable& table);

  // Counts from cycle 0 again. The counters are the SM's to reset.
  void reset();

  const Counter& counter(Bucket bucket) const { return sm_[static_cast<std::size_t>(bucket)]; }
  BucketCycles sm() const;

 private:
  using Buckets = std::array<Counter, kBuckets>;
  static constexpr std::size_t kReasons = kBuckets - 2;  // all but kActive and kNoWarp
  using Reasons = std::array<WarpMask, kReasons>;        // in order: the warps for which it holds
  Reasons reasons(const WarpTable& table) const;
  Bucket bucket_of(const Reasons& reasons, WarpMask mask) const;
  void add(std::uint64_t cycles);

  std::array<Bucket, kReasons + 1> order_;      // then kNoWarp
  std::array<std::uint8_t, kBuckets> place_{};  // in the order, by bucket
  // By scheduler, then the SM: what a cycle without an event is.
  std::array<Bucket, kMostSchedulers + 1> standing_;
  const std::uint32_t scheduler_count_;
  const WarpMask first_scheduler_;  // its warps
  Cycle next_{0};                   // first cycle not accounted
  Buckets sm_{};
  std::array<Buckets, kMostSchedulers> schedulers_{};
};

}  // namespace heddle
