#pragma once
// SmModule has what every SM model needs: the dispatch socket, the set-up of kernels, and the account of
// resident blocks, registers and shared memory.

#include <vector>

#include "models/core/kernel/dispatch_messages.h"
#include "models/core/link/message_port.h"
#include "models/core/time/clock_domain.h"
#include "models/sm/sm_sampler.h"
#include "models/sm/spec/sm_spec.h"
#include "models/stats/group.h"

namespace heddle {

class SmModule : public sc_core::sc_module, public Clocked {
 public:
  // `ksrs` is the number of KSRs of the engine. `set_up_cycles` is the time from the arrival of a set-up to
  // its answer, 1 or more. `shares` is the most messages kShare in flight, 0 if none is sent.
  SmModule(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs, std::uint64_t set_up_cycles,
           ClockDomain& core, std::uint64_t shares = 0);

  ReplySocket<SmRequest, SmReply> dispatch{"dispatch"};

  // Drops every block and message in flight, and brings the module to the state of a new one. A model resets
  // its own parts and calls this function.
  virtual void reset();
  virtual bool idle() const = 0;
  Group& stats() { return stats_; }
  const Counter& busy_cycles() const { return busy_cycles_; }
  const Counter& block_cycles() const { return block_cycles_; }
  const Counter& slot_cycles() const { return slot_cycles_; }
  const Counter& register_cycles() const { return register_cycles_; }
  const Counter& shared_cycles() const { return shared_cycles_; }
  virtual void update_stats(
      Cycle now);  // accounts the cycles before `now`; called before the counters are read

 protected:
  struct ContextRegisters {
    ContextId context;
    std::uint64_t page_table = 0;
    std::uint64_t texture_table = 0;
  };
  // The kernel of a KSR.
  struct Program {
    KernelLaunch launch;
    BlockResources need;
    std::uint32_t residency = 0;
    ContextRegisters registers;
    std::uint32_t resident = 0;  // blocks on this SM
    std::uint64_t ended = 0;     // blocks that have ended since the start of simulation
  };

  virtual void set_up(const Program&, KsrId) {}
  // Called after the resources of the block have been taken.
  // `cluster` is null for a block that is the only one of its cluster.
  virtual void start(KsrId ksr, BlockId block, const std::shared_ptr<const ClusterPlaces>& cluster,
                     Cycle now) = 0;
  // Saves a block, which block_saved() or block_done() follows, and goes on with one.
  virtual void save(KsrId ksr, BlockId block, std::uint32_t area, Cycle now) = 0;
  virtual void go_on(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved, Cycle now) = 0;
  // Flushes a block, which block_flushed() or block_done() follows.
  virtual void flush(KsrId ksr, BlockId block, Cycle now) = 0;
  // Halts the blocks of the KSR. block_done() follows for each of them, or block_flushed().
  virtual void halt(KsrId ksr, Cycle now) = 0;
  // Pauses all but the oldest `blocks` blocks of the KSR until set_up().
  virtual void limit(KsrId ksr, std::uint32_t blocks, Cycle now) = 0;
  // Takes note of the SM's share of bandwidth, which only timed SMs are told.
  virtual void share(const BandwidthTable& table, Cycle now);

  // These return totals since the start of simulation, up to `now`, not included: the counts of the KSR's
  // kernels, their stalls, and what the cycles were spent on. Samples are made of them. A model overrides
  // what it counts.
  virtual KernelCounts counts_of(KsrId ksr) const;
  virtual bool counts_stalls() const { return false; }
  virtual KernelStalls stalls_of(KsrId) const { return {}; }  // called if counts_stalls()
  virtual CycleTotals cycles_until(Cycle) { return {}; }

  // A model's tick() calls answer_set_ups() and then take_requests(), calls block_done() when a block ends,
  // and calls send_replies() when all of the cycle is done.
  void take_requests(Cycle now);
  void answer_set_ups(Cycle now);
  void block_done(KsrId ksr, BlockId block, const SmWork& work, Cycle now);
  void block_saved(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved, Cycle now);
  void block_flushed(KsrId ksr, BlockId block, const SmWork& work, Cycle now);
  void block_restored(KsrId ksr, BlockId block);
  void state_moved();
  // If SmLimits::by_warp is set: a warp has ended that is not the last one of its block, and the registers
  // and the shared memory in use are these from now on.
  void warp_done();
  void room_changed(KsrId ksr, std::uint64_t room);
  void resources_changed(std::uint32_t registers, std::uint32_t shared_bytes, Cycle now);
  void send_replies();
  bool has_replies() const { return !replies_.empty(); }
  // Returns the next cycle after `now` at which these functions have work if no input comes before.
  Cycle next_request(Cycle now) const;
  bool waiting() const { return !inbox_.empty() || !setting_up_.empty(); }
  const Program& program(KsrId ksr) const { return programs_[ksr.value]; }

  const SmSpec spec_;
  ClockDomain& core_;
  ClockDomain::Sleeper sleeper_;
  Group stats_;

 private:
  void account(Cycle now);  // accounts the cycles up to `now`; called before the resident blocks change
  struct SetUp {
    Cycle ready;
    KsrId ksr;
  };
  void take(const IssueBlock& request, Cycle now);
  void take(const SetUpSlice& request, Cycle now);
  void take(const TakeSample& request, Cycle now);
  void take(const LimitBlocks& request, Cycle now) { limit(request.ksr, request.limit, now); }
  void take(const HaltBlocks& request, Cycle now) { halt(request.ksr, now); }
  void take(const SaveBlock& request, Cycle now) { save(request.ksr, request.block, request.area, now); }
  void take(const FlushBlock& request, Cycle now) { flush(request.ksr, request.block, now); }
  void take(const ShareBandwidth& request, Cycle now) { share(*request.table, now); }
  void give_back(Program& program, Cycle now);  // the resources of a block
  // Returns the stalls of the KSR, valid until the next call, or null if the model does not count them.
  const KernelStalls* stalls(KsrId ksr);

  const std::uint64_t set_up_cycles_;
  Inbox<SmRequest> inbox_;
  std::vector<SmReply> replies_;   // of this cycle
  std::vector<Program> programs_;  // by KSR
  Ring<SetUp> setting_up_;
  SmSampler sampler_;
  KernelStalls stalls_;
  BlockResources used_;
  std::uint32_t slots_ = 0;  // residency of the kernel set up last
  Cycle accounted_{0};

  Counter blocks_started_;
  Counter blocks_done_;
  Counter blocks_saved_;
  Counter blocks_flushed_;
  Counter busy_cycles_;
  Counter idle_cycles_;
  Counter block_cycles_;
  Counter slot_cycles_;
  Counter register_cycles_;
  Counter shared_cycles_;
};

}  // namespace heddle
