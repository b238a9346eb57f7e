#pragma once
// SmCore is the cycle SM as pure logic: a Residence with an SmPipeline behind it, and what both count.
// models/sm/cycle_sm puts it behind sockets.

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "models/core/kernel/instruction_meter.h"
#include "models/core/link/memory_request.h"
#include "models/sm/core_stats.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/residence/cycle_accounts.h"
#include "models/sm/residence/residence.h"
#include "models/sm/residence/resource_stats.h"
#include "models/sm/residence/sm_pipeline.h"
#include "policies/resource_manager/i_resource_manager.h"
#include "policies/warp_scheduler/i_warp_scheduler.h"

namespace heddle {

class SmCore {
 public:
  struct Deps {
    MemoryRequestPort& memory;
    SmListener& listener;
    InstructionMeter& meter;
    std::vector<std::unique_ptr<WarpScheduler>> schedulers;  // one for each scheduler of the spec
    std::unique_ptr<ResourceManager> manager = nullptr;      // null: blocks hold what they need to their end
  };
  // `name` appears in error messages. `name` and `spec` must outlive the core. `sm` is the number of this SM
  // and `sms` is the number of SMs; both determine the layout of local memory. `stats` is the group of the
  // SM.
  SmCore(const char* name, const CycleSmSpec& spec, const SmLimits& limits, std::uint32_t sm,
         std::uint32_t sms, std::uint32_t ksrs, Deps deps, Group& stats);

  // Drops every block and request, empties the caches and counts from cycle 0 again.
  void reset();
  // From now on the SM, the one of this number of so many, tells the observer of the warps that it follows.
  // The call is made before the first tick.
  void trace(TraceObserver& observer, std::uint32_t sm, std::uint32_t sms);

  Residence& residence() { return residence_; }  // which takes the requests of the engine
  const Residence& residence() const { return residence_; }
  const SmPipeline& pipeline() const { return *pipeline_; }

  // Takes the answer to the request of that number. The call comes before the tick of its cycle.
  void answer(std::uint64_t number, Cycle now) { pipeline_->answer(number, now); }
  ClusterOutbox& outbox() { return outbox_; }
  const ClusterOutbox& outbox() const { return outbox_; }
  // Takes a signal to a resident block from another block of its cluster. The call comes before the tick of
  // its cycle.
  void receive(const ResidentBlock& block, const ClusterMessage& signal) {
    pipeline_->receive(block, signal);
  }
  // The answer is to a request that is followed.
  void trace_answer(std::uint32_t request, Cycle now) { tracer_->pass(TraceStage::kAnswer, request, now); }
  // Counts the answer to a request of the launch, and whether its line missed L2.
  void count_answer(AccountId account, bool missed_l2) {
    KernelCounts& counts = residence_.work().counts()[account];
    ++counts.answers;
    counts.l2_misses += missed_l2 ? 1 : 0;
  }

  // A cycle is work(), and if that returns kFinishes, finish() and next_tick(). Cores of several SMs may call
  // work() at the same time. They call finish() one after another, in the order of the SMs. finish() tells
  // the programs which blocks have ended, and the meter how many instructions were issued. If a warp may
  // issue an instruction that takes turns, finish() also does all stages from issue on, which work() has left
  // out.
  //
  // All return the cycle of the next tick if no input comes before, or never. A request that waits is not
  // included: while wants_to_send() is true, the owner ticks the core when the request can be sent.
  static constexpr Cycle kFinishes{0};
  Cycle work(Cycle now);
  void finish(Cycle now);
  Cycle next_tick(Cycle now);
  Cycle tick(Cycle now);  // the whole cycle of an SM by itself
  bool wants_to_send() const { return pipeline_->wants_to_send(); }
  bool idle() const { return residence_.table().resident == 0 && pipeline_->idle(); }

  // Accounts the cycles before `now`. It is called before the accounts and counts below are read.
  void account_until(Cycle now) { accounts_.account_until(now); }
  const CycleAccounts& accounts() const { return accounts_; }
  // Returns the stalls of each kernel, which are counted if the spec asks for it.
  const KernelAccounts& kernel_accounts() const { return accounts_.kernels(); }
  // Returns null unless the resource manager maps.
  const ResourceStats* resource_stats() const;
  // Returns the counts of registers and words of shared memory that are accessed in each epoch, or null if
  // the platform does not state `sm.use_epoch`.
  const ResourceUse* resource_use() const { return use_ ? &*use_ : nullptr; }
  // Returns whether an instruction or a request of the launch has begun and is not complete. Its blocks have
  // ended.
  bool holds(AccountId account) const;
  // The counts of the launch start at zero again. The totals of the SM keep them.
  void close(AccountId account);
  void update_stats(Cycle now);  // brings every statistic up to `now`
  const CoreStats& stats() const { return stats_; }

 private:
  const std::unique_ptr<ResourceManager> manager_;  // may be null
  InstructionMeter& meter_;
  InstructionTally& tally_;
  CycleAccounts accounts_;
  CoreStats stats_;
  std::optional<ResourceUse> use_;
  Residence residence_;
  const std::unique_ptr<SmPipeline> pipeline_;
  ClusterOutbox& outbox_;            // of `pipeline_`
  ManagedResources* const managed_;  // of `residence_`; may be null
  ManagedResources* const mapped_;   // the same if the resource manager maps, otherwise null
  // What the pipeline has returned. With kWaitsForTurn everything from issue on is left to finish().
  Cycle next_wake_ = Cycle::never();
  std::unique_ptr<WarpTracer> tracer_;  // null: there is no trace
};

// These are called in each cycle of each SM, and are short.

inline Cycle SmCore::work(Cycle now) {
  if (accounts_.kernels().on()) accounts_.account_until(now);
  if (residence_.next_start() <= now) residence_.let_start(now);
  if (mapped_ != nullptr) mapped_->advance(now);
  next_wake_ = pipeline_->advance(now);
  const bool waits = next_wake_ == SmPipeline::kWaitsForTurn;
  if (managed_ != nullptr && !waits) managed_->tell_changes(now);
  const bool finishes = waits || residence_.has_ended_blocks() || tally_.is_due();
  return finishes ? kFinishes : next_tick(now);
}

inline void SmCore::finish(Cycle now) {
  if (next_wake_ == SmPipeline::kWaitsForTurn) {
    next_wake_ = pipeline_->issue(now);
    if (managed_ != nullptr) managed_->tell_changes(now);
  }
  if (tally_.is_due()) meter_.take(tally_);
  residence_.give_back_ended_blocks();
}

inline Cycle SmCore::next_tick(Cycle now) {
  Cycle next = next_wake_;
  if (next <= now + 1) return next;
  next = std::min(next, residence_.next_start());
  if (mapped_ != nullptr) next = std::min(next, mapped_->next_epoch());
  if (next > now + 1) accounts_.choose_later(residence_.table(), pipeline_->masks(), now);
  return next;
}

}  // namespace heddle
