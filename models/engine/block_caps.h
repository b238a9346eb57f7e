#pragma once
// BlockCaps asks the block throttle about the slices of the SMs, and keeps what it reads: when it wants the
// totals of a slice's kernel next, and these totals. Without a throttle (BlockThrottle::caps()) it is not
// used.

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/core/kernel/sm_sample.h"
#include "models/engine/ksr_file.h"
#include "models/engine/smsr_file.h"
#include "policies/block_throttle/i_block_throttle.h"

namespace heddle {

class BlockCaps {
 public:
  using Changed = std::function<void(SmId, const SliceEntry&)>;
  // The policy and the KSRs must live as long. `changed` is called when the cap of a slice has changed.
  BlockCaps(BlockThrottle& throttle, const KsrFile& ksrs, const SmLimits& limits, std::uint32_t sms,
            Changed changed);

  bool active() const { return active_; }
  bool pauses() const { return pauses_; }

  // Each of these functions asks the policy and sets the cap of the slice. `smsr` has the slices of the SM.
  // The policy is not asked about a slice whose Slice::capped is false. When the partition sets capped to
  // true, the policy treats the slice as a new one.
  void started(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry);
  void capping_changed(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry);
  void block_done(Cycle now, SmId sm, const Smsr& smsr, SliceEntry& entry, std::uint64_t cycles,
                  const SmWork& work);
  // The answer to the request for a sample that was sent in the cycle `asked`. Every sample of the SM comes
  // here, whoever asked for it, because each holds what was counted since the one before.
  void sampled(Cycle now, SmId sm, Smsr& smsr, const SmSample& sample, Cycle asked);

  // Returns an SM of which a sample is due, and takes it for asked in this cycle; none if no other is due. An
  // SM can come more than once.
  std::optional<SmId> ask(Cycle now);
  Cycle due() const { return wanted_.empty() ? Cycle::never() : wanted_.top().at; }

  // Returns what the throttle has done with the slice so far, or nothing if it has never been
  // asked about it.
  std::optional<ThrottleReport> report(Cycle now, SmId sm, KsrId ksr) const;
  void left(SmId sm, KsrId ksr) { place(sm, ksr) = {}; }  // the slice has left the SM

  void reset();

 private:
  struct Wanted {
    Cycle at;
    SmId sm;
    KsrId ksr;
    bool operator>(const Wanted& other) const {
      if (at != other.at) return at > other.at;
      return sm != other.sm ? other.sm < sm : other.ksr < ksr;
    }
  };
  // The slice of a KSR on an SM.
  struct Place {
    KernelId kernel;  // none: it has no slice
    Cycle started;
    SliceTotals totals;
    Cycle wished = Cycle::never();  // the policy's last answer
    Cycle wanted = Cycle::never();  // the same, but not in the past
    Cycle asked = Cycle::never();   // the request whose answer the policy waits for
    ThrottleReport report;
  };

  const Place& place(SmId sm, KsrId ksr) const { return places_[sm.value * ksrs_.size() + ksr.value]; }
  Place& place(SmId sm, KsrId ksr) { return places_[sm.value * ksrs_.size() + ksr.value]; }
  void start(Cycle now, SmId sm, SliceEntry& entry, const ThrottleView& slice);
  ThrottleView view(Cycle now, SmId sm, const Smsr& smsr, const SliceEntry& entry) const;
  std::uint32_t most_blocks(const Smsr& smsr, const SliceEntry& entry) const;
  void take(Cycle now, SmId sm, SliceEntry& entry, const ThrottleAnswer& answer);
  void set_cap(SmId sm, SliceEntry& entry, std::uint32_t cap);

  BlockThrottle& throttle_;
  const KsrFile& ksrs_;
  const SmLimits limits_;
  const bool active_;
  const bool pauses_;
  const Changed changed_;
  std::vector<Place> places_;  // by SM, then KSR; empty if not active
  std::priority_queue<Wanted, std::vector<Wanted>, std::greater<>> wanted_;
};

}  // namespace heddle
