#pragma once
// The SmDriver is the scheduling half of the execution engine (CUsched, Sections III-A to III-C). It has the
// KSRs, the active queue and the SMSRs. It asks the SM partitioner at scheduling points, sets SMs up and
// issues blocks. Pure logic: its requests to SMs go through a DispatchPort.
//
//   scheduling point   a kernel became active or ended, an SM became idle or a slice ran out of blocks, a
//                      context's share changed, the samples that the partitioner wants have come, or the
//                      cycle or the start of a block that it asked for
//   set-up             a waiting slice is set up once the leaving slices of its SM are gone
//   cap                the block throttle is asked when a slice has started, when a block has ended and when
//                      the totals that it wants have come
//   issue              at most one block per SM and cycle, of a slice whose next block has room; the
//                      partitioner's issue order chooses the slice; blocks that left an SM before their end
//                      go first

// The driver binds its parts, each of which has its own state:
//
//   Partitioning, SliceControl   what the partitioner decides, and the slices of each SM that follow from it
//   BlockPlacer                  which SM and slice issues the next block
//   Handovers                    blocks that leave an SM before their end: preemption and halt
//   BlockCaps, SampleRequests    the block throttle, and the samples that policies read
//   ShareUpdates                 the shares of bandwidth that SMs are told

#include <cstdint>
#include <utility>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/engine/block_caps.h"
#include "models/engine/block_placer.h"
#include "models/engine/context_file.h"
#include "models/engine/dispatch_port.h"
#include "models/engine/engine_observers.h"
#include "models/engine/engine_spec.h"
#include "models/engine/handovers.h"
#include "models/engine/ksr_file.h"
#include "models/engine/partitioning.h"
#include "models/engine/sample_requests.h"
#include "models/engine/share_updates.h"
#include "models/engine/slice_control.h"
#include "models/engine/smsr_file.h"
#include "models/stats/group.h"

namespace heddle {

class SmDriver {
 public:
  SmDriver(const EngineSpec& spec, const SmLimits& limits, std::uint32_t sms, SmPartitioner& partitioner,
           BlockThrottle& throttle, Preemption& preemption, DispatchPort& port);

  // SMs are told their shares of bandwidth from now on. `shares` must live as long.
  void share(BandwidthShares& shares) { shares_.start(shares); }
  void observe(EngineObserver& observer) { observers_.add(observer); }

  // The frequency of the core clock, which policies convert times with. The call is made before the first
  // step; without it, the clock has 1 GHz.
  void set_core_hz(double hz) { partitioning_.set_core_hz(hz); }

  // The sets of SMs of a context, of which launches name one (KernelLaunch::sm_set): by number - 1, and by
  // SM. The call is made before the first step.
  void set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets) {
    contexts_.set_sm_sets(context, std::move(sets));
  }

  // Forgets every kernel, slice and context. The observers stay; the policies are their owner's to reset.
  void reset();

  // These are the inputs of a cycle, in any order. step() then acts on them.
  bool can_load() const { return ksrs_.free().has_value(); }
  void load(Cycle now, const KernelLaunch& launch);  // a block of the launch must fit an empty SM
  void set_context(ContextId context, const ContextView& share);
  void sm_ready(Cycle now, SmId sm, KsrId ksr);
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work = {});
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block,
                   const std::shared_ptr<const SavedBlock>& saved);
  // `work` is what all SMs have done for the block; it is lost.
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work);
  void block_restored(SmId sm, KsrId ksr, BlockId block);
  // The SM calls these two if SmLimits::by_warp is set. A warp has ended that is not the last one of its
  // block.
  void warp_done(SmId sm);
  // The SM has room for so many blocks of the KSR, counted from the set-up of the slice. The slice may have
  // left.
  void room_told(SmId sm, KsrId ksr, std::uint64_t room);
  void state_moved(SmId sm) { shares_.state_moved(sm); }
  void sampled(Cycle now, SmId sm, const SmSample& sample, Cycle asked);  // `asked`: DispatchPort::sample()
  // The context is halted: the driver issues no further block of its kernels, blocks on SMs are cut short,
  // and kernels that it launches later end without a block.
  void halt(Cycle now, ContextId context);

  void step(Cycle now);
  Cycle next_step(Cycle now) const;  // the cycle in which step() has work without further input, or never

  // The kernels that ended, in order of their end, until the caller removes them.
  std::vector<KernelLaunch>& ended() { return ended_; }

  // Nothing of the launch is left in the machine, so that another launch may have its account.
  void close(AccountId account) { ksrs_.close(account); }

  bool idle() const { return ksrs_.empty(); }
  const KsrFile& ksrs() const { return ksrs_; }
  const SmsrFile& smsrs() const { return smsrs_; }
  // What the block throttle has done so far with the slices that are on SMs, by KSR.
  std::vector<std::pair<KsrId, ThrottleReport>> throttled(Cycle now) const;
  const MachineView& view();  // the partitioner's view of the present state
  const HandoverStats& handovers() const { return handovers_.latencies(); }
  const Counter& blocks_saved() const { return handovers_.blocks_saved(); }
  const Counter& blocks_flushed() const { return handovers_.blocks_flushed(); }
  const Counter& lost_cycles() const { return handovers_.lost_cycles(); }
  void update_stats() { handovers_.update_stats(); }  // called before statistics are read
  Group& stats() { return stats_; }

 private:
  void add_counters();
  void activate(Cycle now);
  void schedule(Cycle now);
  // Issues the next blocks of the kernel, one to each of the SMs: a block, or all those of a cluster.
  void issue_blocks(Cycle now, KsrId ksr, const std::vector<SmId>& sms);
  void issue_block(Cycle now, SmId sm, KsrId ksr, const std::shared_ptr<const ClusterPlaces>& cluster);
  void wait_again(Cycle now, SmId sm, KsrId ksr, const SavedBlocks::Waiting& block);
  void ask_samples(Cycle now);
  void cap_changed(SmId sm, const SliceEntry& entry);
  void halt_kernel(Cycle now, KsrId ksr);
  void end_kernel(Cycle now, KsrId ksr);
  std::size_t first_sm() const;  // see MachineView

  const EngineSpec spec_;
  const SmLimits limits_;
  DispatchPort& port_;
  EngineObservers observers_;
  Group stats_{"driver"};

  KsrFile ksrs_;
  SmsrFile smsrs_;
  ContextFile contexts_;
  std::vector<KernelLaunch> ended_;

  ShareUpdates shares_;
  Handovers handovers_;
  BlockPlacer placer_;
  BlockCaps caps_;
  Partitioning partitioning_;
  SliceControl slices_;
  SampleRequests samples_;

  Counter kernels_, blocks_issued_, blocks_done_, scheduling_points_;
};

}  // namespace heddle
