#pragma once
// The ExecutionEngine is the module around the SM driver. It connects the driver with the dispatcher and the
// SMs.

#include <memory>
#include <vector>

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
    std::size_t context_updates;  // the most that can come before the engine's next cycle
  };
  ExecutionEngine(sc_core::sc_module_name name, const EngineSpec& spec, const SmLimits& limits,
                  std::uint32_t sms, const Deps& deps);

  ReplySocket<KernelLaunch, KernelDone> launches{"launches"};
  ReplySocket<ContextUpdate, NoReply> contexts{"contexts"};
  sc_core::sc_vector<RequestSocket<SmRequest, SmReply>> sms{"sms"};

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
  Group& stats() { return stats_; }
  const Counter& active_cycles() const { return active_cycles_; }
  void update_stats();  // accounts the cycles up to the present

 private:
  void set_up(SmId sm, KsrId ksr, const KernelLaunch& launch) override;
  void issue(SmId sm, KsrId ksr, BlockId block, SavedBlock* saved) override;
  void save(SmId sm, KsrId ksr, BlockId block, SavedBlock& saved) override;
  void sample(SmId sm, Cycle now) override;
  void limit(SmId sm, KsrId ksr, std::uint32_t blocks) override;
  void halt(SmId sm, KsrId ksr) override;
  void halt_contexts(Cycle now);
  void take_context_updates(Cycle now);
  void take_replies(Cycle now);
  void take_launches(Cycle now);
  void report_ended();
  void account(Cycle now);

  const EngineSpec spec_;
  ClockDomain& core_;
  ClockDomain::Sleeper sleeper_;
  SmDriver driver_;
  Inbox<KernelLaunch> launches_;
  Inbox<ContextUpdate> context_updates_;
  std::vector<std::unique_ptr<Inbox<SmReply>>> replies_;  // by SM
  std::vector<ContextUpdate> registers_;                  // by context, the values written last
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
};

}  // namespace heddle
