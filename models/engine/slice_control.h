#pragma once
// SliceControl brings the slices of each SM to what the partition says. A slice waits until the leaving
// slices of its SM are gone, is set up, runs, and leaves when the partition no longer names it or its kernel
// has no more blocks for it. The owner says when something has changed on an SM.

#include <vector>

#include "models/engine/block_caps.h"
#include "models/engine/block_placer.h"
#include "models/engine/dispatch_port.h"
#include "models/engine/engine_observers.h"
#include "models/engine/handovers.h"
#include "models/engine/ksr_file.h"
#include "models/engine/partitioning.h"
#include "models/engine/smsr_file.h"
#include "models/stats/group.h"

namespace heddle {

class SliceControl {
 public:
  // What slices depend on. All of these must live as long.
  struct Deps {
    KsrFile& ksrs;
    SmsrFile& smsrs;
    DispatchPort& port;
    Partitioning& partitioning;
    BlockPlacer& placer;
    BlockCaps& caps;
    Handovers& handovers;
    const EngineObservers& observers;
  };
  // `by_warp` is SmLimits::by_warp.
  SliceControl(const Deps& deps, bool by_warp, Group& stats);

  // The SM is to have these slices from now on, in this order.
  void apply(Cycle now, SmId sm, const std::vector<Slice>& wanted);
  // Drops slices of the SM that are over, then sets up slices that wait. A slice is over when it has no block
  // on the SM and will get none.
  void update(Cycle now, SmId sm);
  bool is_over(const SliceEntry& entry) const;

  void set_up(Cycle now, SmId sm, KsrId ksr);        // the SM has been set up for the slice
  void kernel_ended(Cycle now, SmId sm, KsrId ksr);  // does nothing if the SM has no slice of it

 private:
  void remove(Cycle now, SmId sm, SliceEntry& entry);
  void add_or_keep(Cycle now, SmId sm, const Slice& slice);
  void add(Cycle now, SmId sm, const Slice& slice);
  void sort(SmId sm, const std::vector<Slice>& wanted);
  void start_waiting(Cycle now, SmId sm);
  void report_throttle(Cycle now, SmId sm, KsrId ksr);
  void notify(Cycle now, SliceEvent event, SmId sm, KsrId ksr) const {
    deps_.observers.tell(&EngineObserver::slice_event, now, event, sm, ksr);
  }

  const Deps deps_;
  const bool by_warp_;
  Counter set_ups_;
};

}  // namespace heddle
