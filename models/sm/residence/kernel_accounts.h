#pragma once
// KernelAccounts counts, for each kernel with a block on the SM, what its warps waited for in each cycle. The
// result is a KernelStalls. Cycles in which the SM sleeps are counted too. Kernels without a block on the SM
// take no host time, and the SM counts only if CycleSmSpec::kernel_stalls is set.

#include <array>
#include <vector>

#include "models/core/kernel/account_table.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/kernel_stalls.h"
#include "models/sm/residence/warp_mask.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class KernelAccounts {
 public:
  // In the order of the buckets: the warps for which the reason holds. A warp that is not live, or is paused,
  // has none, and any other warp has exactly one.
  using Reasons = std::array<WarpMask, kWaitReasons>;

  // Returns the WaitReasons that hold for one of the warps. It has no loop and no branch, because SMs ask for
  // several sets in every cycle.
  static std::size_t set_of(const Reasons& reasons, WarpMask warps) {
    static_assert(kWaitReasons == 6);
    const auto holds = [&](std::size_t i) { return std::size_t{(reasons[i] & warps) != 0} << i; };
    return holds(0) | holds(1) | holds(2) | holds(3) | holds(4) | holds(5);
  }

  KernelAccounts(const CycleSmSpec& spec, std::uint32_t ksrs);
  void reset();

  bool on() const { return on_; }

  // The functions below are called only if on() is true.

  // Blocks of this KSR belong to this launch from now on. No block of the KSR is on the SM.
  void set_kernel(KsrId ksr, const KernelLaunch& launch);
  // A block starts, and a block has ended. Its warps come and go by join() and leave().
  void start(KsrId ksr);
  void end(KsrId ksr);
  // The warps may issue, or they are paused or have left the SM. A warp that has ended may stay until its
  // last instruction is complete.
  void join(KsrId ksr, WarpMask warps) { find(ksr).warps |= warps; }
  void leave(KsrId ksr, WarpMask warps) { find(ksr).warps &= ~warps; }
  // Of these warps of the KSR, those of `awake` may issue. Does nothing unless on() is true.
  void set_warps(KsrId ksr, WarpMask warps, WarpMask awake) {
    if (!on_) return;
    leave(ksr, warps & ~awake);
    join(ksr, warps & awake);
  }

  // The SM calls choose() in each tick, after its warps have issued. For each kernel with a block on the SM,
  // the function chooses the counter of the present cycle and of those that follow: that of active cycles if
  // one of the kernel's warps is in `issued`, the warps that have issued, and otherwise the counter of the
  // reasons for which its warps wait.
  void choose(const Reasons& reasons, WarpMask issued) { choose(reasons, issued, chosen_); }
  // Before the SM goes to sleep, it calls choose_later() to choose the counters of the cycles that it will
  // sleep through. These counters replace the present ones when the SM calls advance().
  void choose_later(const Reasons& reasons) { choose(reasons, 0, later_); }
  void advance() { chosen_.swap(later_); }
  void add(std::uint64_t cycles) {  // adds cycles to the counters that have been chosen
    for (std::uint64_t* counter : chosen_) *counter += cycles;
  }

  // Returns what has been counted for the KSR since the reset.
  KernelStalls stalls(KsrId ksr) const;
  // Returns what has been counted for the launch.
  KernelStalls stalls(AccountId account) const;
  // Counts of the launch start at zero again. It has no block on the SM.
  void close(AccountId account);

 private:
  struct Ksr {
    KernelStalls counted;
    KernelStalls before;  // the part of `counted` that is not of the present launch
    AccountId account;    // of that launch
  };
  struct Resident {
    WarpMask warps = 0;
    KernelStalls* counted = nullptr;
    std::uint32_t ksr = 0;
    std::uint32_t blocks = 0;
  };

  using Counters = std::vector<std::uint64_t*>;

  void choose(const Reasons& reasons, WarpMask issued, Counters& counters) const;
  Resident& find(KsrId ksr);
  static KernelStalls grown(const Ksr& ksr);

  const bool on_;
  std::vector<Ksr> ksrs_;
  std::vector<Resident> resident_;      // the kernels with a block on the SM
  Counters chosen_;                     // the counters of the present cycle, one for each kernel
  Counters later_;                      // the counters of the cycles after advance()
  AccountTable<KernelStalls> earlier_;  // of launches that another one has replaced in their KSR
};

}  // namespace heddle
