#pragma once
// The ExecutionEngine is the module around the SM driver. It connects the driver with the dispatcher and the
// SMs.

#include <memory>
#include <optional>
#include <vector>

#include "models/core/base/recycler.h"
#include "models/core/base/ring.h"
#include "models/core/kernel/dispatch_messages.h"
#include "models/core/kernel/messages.h"
#include "models/core/link/message_port.h"
#include "models/core/time/clock_domain.h"
#include "models/engine/sm_driver.h"
#include "models/stats/group.h"

namespace heddle {

class ExecutionEngine : public sc_core::sc_module, public Clocked, private DispatchPort {
 public:
  struct Deps {
    ClockDomain& core;
    SmPartitioner& partitioner;
    BlockThrottle& throttle;
    Preemption& preemption;
    std::size_t context_updates;                  // the most that can come before the engine's next cycle
    std::optional<BandwidthSpec> bandwidth = {};  // empty: nobody is told shares of it
    // Of the DMA engines that take part in it: their number, the most demands of one that can come before the
    // engine's next cycle, and the latency of an answer in cycles of their clock. It is at least the latency
    // of the engine's requests to SMs, so that a copy gets what an SM gives up after the SM has given it up.
    std::uint32_t copies = 0;
    std::size_t copy_demands = 1;
    std::uint64_t copy_latency = 1;
  };
  ExecutionEngine(sc_core::sc_module_name name, const EngineSpec& spec, const SmLimits& limits,
                  std::uint32_t sms, const Deps& deps);

  ReplySocket<KernelLaunch, KernelDone> launches{"launches"};
  ReplySocket<ContextUpdate, NoReply> contexts{"contexts"};
  sc_core::sc_vector<RequestSocket<SmRequest, SmReply>> sms{"sms"};
  sc_core::sc_vector<ReplySocket<CopyDemand, CopyShare>> copies{"copies"};

  void observe(EngineObserver& observer) { driver_.observe(observer); }
  // Halts the context in the next cycle. The call is made during a cycle.
  void halt(ContextId context);
  // Halts every context when kernels have been resident for this number of core cycles, 1 or more.
  void halt_after(std::uint64_t active_cycles) { active_limit_ = active_cycles; }
  void reset();  // The observers and the limit of halt_after() stay.
  void tick(Cycle now) override;
  bool idle() const;
  void close(AccountId account) { driver_.close(account); }  // see SmDriver
  const SmDriver& driver() const { return driver_; }
  void set_sm_sets(ContextId context, std::vector<std::vector<bool>> sets) {  // see SmDriver
    driver_.set_sm_sets(context, std::move(sets));
  }
  Group& stats() { return stats_; }
  const Counter& active_cycles() const { return active_cycles_; }
  void update_stats();  // accounts the cycles up to the present

 private:
  void set_up(SmId sm, KsrId ksr, const KernelLaunch& launch) override;
  void issue(SmId sm, KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
             const std::shared_ptr<const ClusterPlaces>& cluster) override;
  void save(SmId sm, KsrId ksr, BlockId block, std::uint32_t area) override;
  void flush(SmId sm, KsrId ksr, BlockId block) override;
  void sample(SmId sm, Cycle now) override;
  void limit(SmId sm, KsrId ksr, std::uint32_t blocks) override;
  void halt(SmId sm, KsrId ksr) override;
  void share(SmId sm, const std::shared_ptr<const BandwidthTable>& table) override;
  void send(SmId sm, const SmRequest& request);
  void halt_contexts(Cycle now);
  void take_demands(Cycle now);
  void tell_copies();
  void take_context_updates(Cycle now);
  void take_replies(Cycle now);
  void take_launches(Cycle now);
  void report_ended(Cycle now);
  void account(Cycle now);

  const EngineSpec spec_;
  ClockDomain& core_;
  ClockDomain::Sleeper sleeper_;
  SmDriver driver_;
  Inbox<KernelLaunch> launches_;
  struct Ended {
    Cycle due;
    KernelDone notice;
  };
  Ring<Ended> ended_;  // kernels whose end the dispatcher does not know
  Inbox<ContextUpdate> context_updates_;
  std::vector<std::unique_ptr<Inbox<SmReply>>> replies_;  // by SM
  std::vector<ContextUpdate> registers_;                  // by context, the values written last
  Recycler<KernelSetUp> set_ups_;                         // those that SMs are told
  std::unique_ptr<BandwidthShares> shares_;               // null: nobody is told any
  struct Copy {
    Copy(const char* owner, ClockDomain& core, ClockDomain::Sleeper sleeper, std::size_t demands)
        : inbox(owner, core, sleeper, demands) {}
    Inbox<CopyDemand> inbox;
    CopyDemand demand;
    CopyShare told;
  };
  std::vector<std::unique_ptr<Copy>> copies_;  // by DMA engine
  const std::uint64_t copy_latency_;
  Cycle accounted_{0};
  struct Halt {
    Cycle asked;
    ContextId context;
  };
  std::vector<Halt> halts_;
  std::uint64_t active_limit_ = 0;  // active cycles after which every context is halted; 0: none are
  bool limit_reached_ = false;

  Group stats_;
  Counter active_cycles_;
  Counter throttled_cycles_;
  Counter lost_clock_;
};

}  // namespace heddle
