#pragma once
// LaunchAccounts adds up what the blocks of a GPU have counted for each launch, and closes the account of a
// launch when nothing of it is left in the machine: its last block is done, every request that its
// instructions made is answered, and every request to DRAM that these caused is served.

#include <functional>
#include <vector>

#include "models/core/kernel/launch_counts.h"
#include "models/core/kernel/observer.h"
#include "models/engine/execution_engine.h"
#include "models/gpu/memory_path.h"
#include "models/sm/sm_core.h"

namespace heddle {

class LaunchAccounts : public EngineObserver {
 public:
  using Take = std::function<void(const KernelLaunch&, const LaunchCounts&)>;

  // `core` is the clock of the engine, `sms` are the cores of the cycle SMs, and `memory` may be null.
  LaunchAccounts(const ClockDomain& core, ExecutionEngine& engine, const std::vector<SmCore*>& sms,
                 MemoryPath* memory);

  // From now on `take` is called with each launch whose account is closed.
  void on_close(Take take) { take_ = std::move(take); }
  // Calls `take` with each launch whose account is open, in order of launch. The call comes between two
  // cycles, after update_stats() of every SM.
  void visit(const Take& take) const;
  // Closes the accounts of launches of which nothing is left. The call comes between two cycles.
  void close_ended();
  // Notified in the cycle in which a launch ends.
  const sc_core::sc_event& launch_ended() const { return launch_ended_; }

 private:
  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;
  void engine_reset() override;
  LaunchCounts counts(AccountId account) const;
  bool is_left(AccountId account) const;  // whether something of an ended launch is in the machine
  void close(AccountId account);

  struct Open {
    KernelLaunch launch;
    bool has_ended = false;
  };

  const ClockDomain& core_;
  ExecutionEngine& engine_;
  const std::vector<SmCore*> sms_;
  MemoryPath* const memory_;
  Take take_;
  std::vector<Open> open_;  // in order of launch
  sc_core::sc_event launch_ended_;
};

}  // namespace heddle
