#pragma once
// The SM status registers (CUsched, Section III-C) have the slices of each SM. The paper's states follow from
// them: an Idle SM has no slice, a Reserved one has a leaving and a waiting slice (of the next kernel), any
// other SM is Running.

#include <algorithm>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/engine/sm_resources.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

struct SliceEntry {
  Slice slice;
  SliceState state = SliceState::kWaiting;
  std::uint32_t running = 0;              // blocks on the SM
  std::uint32_t restoring = 0;            // those of them that do not have their state back
  bool set_up_pending = false;            // a set-up has been sent to the SM and not been answered
  std::uint32_t cap = Slice::kUnlimited;  // of the block throttle
  std::uint64_t issued = 0;               // blocks since the set-up
  std::uint64_t room = kNoLimit;          // the most that `issued` may be, as the SM says
  Cycle left_at = Cycle::never();         // kLeaving: when it was decided; never: it was not preempted
  HandoverWay way = HandoverWay::kDrain;  // how its blocks leave
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  std::uint32_t limit() const { return slice.limit(cap); }  // most resident blocks
};

struct Smsr {
  explicit Smsr(const SmLimits& limits) : resources(limits) {}

  std::vector<SliceEntry> slices;  // leaving slices, then the others in the order of the partition
  SmResources resources;           // the resources that all its blocks hold
  KsrId issued_last = KsrId::none();

  void reset() {
    slices.clear();
    resources.reset();
    issued_last = KsrId::none();
  }
  SliceEntry* find(KsrId ksr) {
    for (SliceEntry& entry : slices)
      if (entry.slice.kernel == ksr) return &entry;
    return nullptr;
  }
  // Returns the slice after the one that issued last, in a circle; the first slice if that one has left.
  std::size_t next_in_turn() const {
    for (std::size_t i = 0; i + 1 < slices.size(); ++i)
      if (slices[i].slice.kernel == issued_last) return i + 1;
    return 0;
  }
  bool leaving() const {
    for (const SliceEntry& entry : slices)
      if (entry.state == SliceState::kLeaving) return true;
    return false;
  }
};

using SmsrFile = std::vector<Smsr>;

}  // namespace heddle
