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

#include <cstdint>
#include <vector>

#include "models/core/kernel/observer.h"
#include "models/engine/bandwidth_shares.h"
#include "models/engine/block_caps.h"
#include "models/engine/block_costs.h"
#include "models/engine/engine_spec.h"
#include "models/engine/handover_stats.h"
#include "models/engine/ksr_file.h"
#include "models/engine/sampling_clock.h"
#include "models/engine/smsr_file.h"
#include "models/stats/group.h"
#include "policies/preemption/i_preemption.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

class DispatchPort {
 public:
  virtual ~DispatchPort() = default;
  virtual void set_up(SmId sm, KsrId ksr, const KernelLaunch& launch) = 0;
  // `saved` is null, or the block goes on with it.
  virtual void issue(SmId sm, KsrId ksr, BlockId block, SavedBlock* saved) = 0;
  virtual void save(SmId sm, KsrId ksr, BlockId block, SavedBlock& saved) = 0;
  virtual void flush(SmId sm, KsrId ksr, BlockId block) = 0;
  virtual void sample(SmId sm, Cycle now) = 0;  // at most once in a cycle
  virtual void limit(SmId sm, KsrId ksr, std::uint32_t blocks) = 0;
  virtual void halt(SmId sm, KsrId ksr) = 0;
  // At most once in a cycle. The table is one of BandwidthShares.
  virtual void share(SmId, const BandwidthTable&) {}
};

class SmDriver {
 public:
  SmDriver(const EngineSpec& spec, const SmLimits& limits, std::uint32_t sms, SmPartitioner& partitioner,
           BlockThrottle& throttle, Preemption& preemption, DispatchPort& port);

  // SMs are told their shares of bandwidth from now on. `shares` must live as long.
  void share(BandwidthShares& shares);
  void observe(EngineObserver& observer) { observers_.push_back(&observer); }

  // The frequency of the core clock, which policies convert times with. The call is made before the first
  // step; without it, the clock has 1 GHz.
  void set_core_hz(double hz) { view_.core_hz = hz; }

  // The sets of SMs of a context, of which launches name one (KernelLaunch::sm_set): by number - 1, and by
  // SM. The call is made before the first step.
  void set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets);

  // Forgets every kernel, slice and context. The observers stay; the policies are their owner's to reset.
  void reset();

  // These are the inputs of a cycle, in any order. step() then acts on them.
  bool can_load() const { return ksrs_.free().has_value(); }
  void load(Cycle now, const KernelLaunch& launch);  // a block of the launch must fit an empty SM
  void set_context(ContextId context, const ContextView& share);
  void sm_ready(Cycle now, SmId sm, KsrId ksr);
  void block_done(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work = {});
  void block_saved(Cycle now, SmId sm, KsrId ksr, BlockId block);
  // `work` is what all SMs have done for the block; it is lost.
  void block_flushed(Cycle now, SmId sm, KsrId ksr, BlockId block, const SmWork& work);
  void block_restored(SmId sm, KsrId ksr, BlockId block);  // SmReply::Kind::kRestored
  // The SM calls these two if SmLimits::by_warp is set. A warp has ended that is not the last one of its
  // block.
  void warp_done(SmId sm);
  // The SM has room for so many blocks of the KSR, counted from the set-up of the slice. The slice may have
  // left.
  void room_told(SmId sm, KsrId ksr, std::uint64_t room);
  void state_moved(SmId sm) { shares_->end_transfer(sm); }                // SmReply::Kind::kMoved
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
  const HandoverStats& handovers() const { return handovers_; }
  const Counter& blocks_saved() const { return blocks_saved_; }
  const Counter& blocks_flushed() const { return blocks_flushed_; }
  const Counter& lost_cycles() const { return lost_cycles_; }
  void update_stats() { handovers_.update(); }  // called before statistics are read
  Group& stats() { return stats_; }

 private:
  void add_flush_counters();
  void activate(Cycle now);
  void schedule(Cycle now);
  void apply(Cycle now, SmId sm, const std::vector<Slice>& wanted);
  void keep_or_wait(Cycle now, SmId sm, const Slice& slice);
  void preempt(Cycle now, SmId sm, SliceEntry& entry);
  HandoverWay let_go(SmId sm, const Ksr& kernel);
  void save_block(SmId sm, SmResources::Held& held);
  SmResources::Held take_back(Cycle now, SmId sm, KsrId ksr, BlockId block);
  void wait_again(Cycle now, SmId sm, KsrId ksr, const SavedBlocks::Waiting& block);
  void drop_block(Cycle now, KsrId ksr, const SavedBlocks::Waiting& saved);
  void update_slices(Cycle now, SmId sm);  // drops slices that are over, then sets up slices that wait
  bool is_over(const SliceEntry& entry) const;
  void ask_samples(Cycle now);
  void ask_sample(Cycle now, SmId sm);
  void report_handover(Cycle now, SmId sm, const SliceEntry& entry);
  void report_throttle(Cycle now, SmId sm, KsrId ksr);
  void cap_changed(SmId sm, const SliceEntry& entry);
  void allow_issue(SmId sm);
  void issue(Cycle now);
  void issue_in_turn(Cycle now, std::uint32_t& turn, ContextId context);
  SliceEntry* issuable(SmId sm);
  bool may_issue(const Smsr& smsr, const SliceEntry& entry) const;
  void issue_block(Cycle now, SmId sm, SliceEntry& entry);
  void tell_shares();
  void halt_kernel(Cycle now, KsrId ksr);
  void end_kernel(Cycle now, KsrId ksr);
  void notify(Cycle now, SliceEvent event, SmId sm, KsrId ksr);
  const std::vector<bool>* sm_set_of(const KernelLaunch& launch) const;  // null: every SM

  const EngineSpec spec_;
  const SmLimits limits_;
  SmPartitioner& partitioner_;
  const IssueOrder order_;
  Preemption& preemption_;
  DispatchPort& port_;
  BandwidthShares* shares_ = nullptr;       // null: SMs are told none
  std::vector<std::uint64_t> shares_told_;  // by SM: the version, 0 at first
  std::uint64_t shares_version_ = 0;        // that all SMs with a block have been told
  bool shares_stale_ = false;               // an SM has a block and may have been told none, or an old one
  std::vector<EngineObserver*> observers_;

  KsrFile ksrs_;
  SmsrFile smsrs_;
  BlockCosts costs_;
  BlockCaps caps_;
  std::vector<ContextView> contexts_;
  std::vector<bool> halted_;                             // by context
  std::vector<std::vector<std::vector<bool>>> sm_sets_;  // by context and number - 1
  std::vector<KernelLaunch> ended_;
  std::vector<SmResources::Held*> leaving_;  // of preempt()
  std::vector<Handover> handover_;           // of preempt(): how each of `leaving_` leaves
  MachineView view_;
  Partition partition_;
  SamplingClock sampling_;
  struct Asked {
    Cycle last = Cycle::never();  // the last request for a sample
    std::uint32_t open = 0;       // requests without an answer
  };
  std::vector<Asked> asked_;  // by SM
  std::vector<SmSample>
      windows_;  // by SM: what the partitioner has not seen of samples that others asked for
  bool scheduling_point_ = false;
  Cycle decision_due_ = Cycle::never();  // the cycle in which the partitioner wants to be asked
  bool asked_at_start_ = false;          // the partitioner wants to be asked when a block begins
  std::vector<std::uint8_t> may_issue_;  // by SM: whether anything changed since no block could be issued
  std::uint32_t may_issue_count_ = 0;
  std::uint32_t turn_ = 0;            // the SM at which the next round robin turn starts
  std::vector<std::uint32_t> turns_;  // by context, where each has a turn of its own; else empty
  std::vector<Cycle> sm_issued_at_;   // by SM: the cycle of its last block, where contexts have turns
  std::vector<Cycle> issued_at_;      // by KSR: the cycle of its last block, for packed placement

  Group stats_{"driver"};
  Counter kernels_;
  Counter blocks_issued_;
  Counter blocks_done_;
  Counter scheduling_points_;
  Counter set_ups_;
  Counter drains_;
  Counter switches_;
  Counter blocks_saved_;
  Counter blocks_dropped_;
  HandoverStats handovers_;
  // The policy may flush.
  Counter flushes_;
  Counter mixed_;
  Counter blocks_flushed_;
  Counter blocks_not_restartable_;
  Counter lost_cycles_;
};

}  // namespace heddle
