#pragma once
// The timed SM: a block holds its resources for a given time. It has the context registers of CUsched's
// Section III-B, written at set-up, and refuses a block that does not fit.

#include <vector>

#include "models/core/clock_domain.h"
#include "models/core/message_port.h"
#include "models/core/messages.h"
#include "models/sm/sm_spec.h"

namespace heddle {

class TimedSm : public sc_core::sc_module, public Clocked {
 public:
  // ksrs: how many kernels the engine can name; set_up_cycles: from a set-up's arrival to the answer, 1 or
  // more.
  TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs, std::uint64_t set_up_cycles,
          ClockDomain& core);

  ReplySocket<SmRequest, SmReply> dispatch{"dispatch"};

  void tick(Cycle now) override;
  bool idle() const { return inbox_.empty() && setting_up_.empty() && running_.empty(); }
  Group& stats() { return stats_; }
  const Counter& busy_cycles() const { return busy_cycles_; }
  const Counter& block_cycles() const { return block_cycles_; }
  const Counter& slot_cycles() const { return slot_cycles_; }
  void settle_stats();  // accounts the cycles up to the present; call before reading counters

 private:
  struct Running {  // ordered by (end, number): a heap with the earliest end on top
    Cycle end;
    std::uint64_t number;  // of issue on this SM
    KsrId ksr;
    BlockId block;
  };
  struct ContextRegisters {
    ContextId context;
    std::uint64_t page_table = 0;
    std::uint64_t texture_table = 0;
  };
  struct Program {  // what blocks of a slice are
    KernelLaunch launch;
    BlockResources need;
    std::uint32_t residency = 0;
    ContextRegisters registers;
  };

  static bool later(const Running& a, const Running& b);
  struct SetUp {
    Cycle ready;
    KsrId ksr;
  };
  void set_up(const SmRequest& request, Cycle now);
  void answer_set_ups(Cycle now);
  void start(const SmRequest& request, Cycle now);
  void finish_due(Cycle now);
  void account(Cycle now);

  const SmSpec spec_;
  const std::uint64_t set_up_cycles_;
  ClockDomain& core_;
  ClockDomain::Sleeper sleeper_;
  Inbox<SmRequest> inbox_;
  std::vector<Program> programs_;  // by KSR
  Ring<SetUp> setting_up_;
  std::vector<Running> running_;
  BlockResources used_;
  std::uint64_t issued_ = 0;
  std::uint32_t slots_ = 0;  // residency of the kernel set up last
  Cycle accounted_{0};

  Group stats_;
  Counter blocks_started_;
  Counter blocks_done_;
  Counter busy_cycles_;
  Counter block_cycles_;
  Counter slot_cycles_;
};

}  // namespace heddle
