#pragma once
// On a TimedSm a block holds its resources for a given time. The SM has the context registers of CUsched,
// Section III-B, which the set-up writes. A block that does not fit stops the run. So do a limit and a block
// that is to be saved, because blocks of a given time cannot be paused and have no state.

#include <vector>

#include "models/sm/sm_module.h"

namespace heddle {

class TimedSm : public SmModule {
 public:
  TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs, std::uint64_t set_up_cycles,
          ClockDomain& core);

  void reset() override;
  void tick(Cycle now) override;
  bool idle() const override { return !waiting() && running_.empty(); }

 private:
  // The blocks form a heap by (end, number) with the earliest end on top.
  struct Running {
    Cycle end;
    std::uint64_t number;  // counts the blocks issued on this SM
    KsrId ksr;
    BlockId block;
  };

  static bool later(const Running& a, const Running& b);
  void start(KsrId ksr, BlockId block, Cycle now) override;
  void save(KsrId ksr, BlockId block, SavedBlock& saved, Cycle now) override;
  void go_on(KsrId ksr, BlockId block, const SavedBlock& saved, Cycle now) override;
  void halt(KsrId ksr) override;
  void limit(KsrId ksr, std::uint32_t blocks, Cycle now) override;
  void finish_due(Cycle now);

  std::vector<Running> running_;
  std::uint64_t issued_ = 0;
};

}  // namespace heddle
