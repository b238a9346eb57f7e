#pragma once
// Handovers take the blocks of slices off their SMs: the preemption policy decides for each block whether it
// drains, is saved to swap space and goes on later, or is flushed and starts over later. The blocks of halted
// contexts end on their SM, or where they wait. Handovers keep the costs that the policy reads, and count.

#include <vector>

#include "models/engine/block_costs.h"
#include "models/engine/dispatch_port.h"
#include "models/engine/engine_observers.h"
#include "models/engine/engine_spec.h"
#include "models/engine/handover_stats.h"
#include "models/engine/ksr_file.h"
#include "models/engine/share_updates.h"
#include "models/engine/smsr_file.h"
#include "models/stats/group.h"
#include "policies/preemption/i_preemption.h"

namespace heddle {

class Handovers {
 public:
  // What a hand-over acts on. All of these must live as long.
  struct Deps {
    KsrFile& ksrs;
    SmsrFile& smsrs;
    DispatchPort& port;
    ShareUpdates& shares;
    const EngineObservers& observers;
  };
  Handovers(const EngineSpec& spec, const SmLimits& limits, Preemption& preemption, const Deps& deps,
            Group& stats);

  void reset();  // the policy and the counters are their owners' to reset

  const HandoverCosts& costs() const { return costs_; }
  void set_time(Cycle now) { costs_.set_time(now); }  // the cycle for which costs are read

  // The slice, which has been set up or is being set up, is to leave its SM. The partition may give it its SM
  // back while blocks are being saved or flushed. They leave all the same, and come back before blocks of
  // their kernel that have not started, on that SM or on another one.
  void begin(Cycle now, SmId sm, SliceEntry& entry);
  // The last block of such a slice has left.
  void end(Cycle now, SmId sm, const SliceEntry& entry);

  // The SM has answered. Each returns the block, which waits for an SM again.
  SavedBlocks::Waiting saved(Cycle now, SmId sm, KsrId ksr, BlockId block,
                             const std::shared_ptr<const SavedBlock>& contents);
  SavedBlocks::Waiting flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work);
  // A block that had been saved has its state back. Returns whether the SM still has it.
  bool restored(SmId sm, KsrId ksr, BlockId block);

  // The kernel issues no further block; its blocks on SMs are cut short, and those on no SM are dropped.
  void halt(Cycle now, KsrId ksr);
  // The block ends on no SM, because its context is halted. What a flushed block did is already lost.
  void drop(Cycle now, KsrId ksr, const SavedBlocks::Waiting& block);

  const HandoverStats& latencies() const { return latencies_; }
  const Counter& blocks_saved() const { return blocks_saved_; }
  const Counter& blocks_flushed() const { return blocks_flushed_; }
  const Counter& lost_cycles() const { return lost_cycles_; }
  void update_stats() { latencies_.update(); }

 private:
  void add_counters(Group& stats, bool may_flush, bool saves_live_registers);
  void decide(Cycle now, SmId sm, KsrId ksr);
  HandoverWay let_go(SmId sm, const Ksr& kernel);
  void save(SmId sm, SmResources::Held& held);
  SmResources::Held take_back(Cycle now, SmId sm, KsrId ksr, BlockId block);

  const double save_bytes_per_cycle_;
  Preemption& preemption_;
  const Deps deps_;
  BlockCosts costs_;
  std::vector<SmResources::Held*> leaving_;  // the blocks of one slice, by number
  std::vector<Handover> answers_;            // how each of `leaving_` leaves

  HandoverStats latencies_;
  Counter drains_, switches_, blocks_saved_, blocks_dropped_;
  Counter saved_bytes_, dead_bytes_, whole_warps_;  // of switches that save live registers alone
  // The policy may flush.
  Counter flushes_, mixed_, blocks_flushed_, blocks_not_restartable_, lost_cycles_;
};

}  // namespace heddle
