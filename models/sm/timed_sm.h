#pragma once
// On a TimedSm a block holds its resources for a given time. The SM has the context registers of CUsched,
// Section III-B, which the set-up writes. A block that does not fit stops the run, and so does a limit,
// because there is no SM model here that could pause some blocks of a kernel.
//
// Where the engine tells shares of bandwidth, a block that is saved stops at once, its state leaves at the
// SM's share, and its resources are free when the state has been stored. On the SM on which the block goes
// on, its state comes back in the same way, and the block then stays for the time that it had left. Blocks of
// a kernel that gets less bandwidth than it asks for get on more slowly, and so do blocks that together ask
// for more than their SM can draw.

#include <memory>
#include <vector>

#include "models/core/base/recycler.h"
#include "models/sm/sm_module.h"
#include "models/sm/timed/block_timer.h"
#include "models/sm/timed/state_transfers.h"

namespace heddle {

class TimedSm : public SmModule {
 public:
  TimedSm(sc_core::sc_module_name name, const SmSpec& spec, std::uint32_t ksrs, std::uint64_t set_up_cycles,
          ClockDomain& core, std::uint64_t shares = 0);

  void reset() override;
  void tick(Cycle now) override;
  bool idle() const override { return !waiting() && timer_.empty() && transfers_.empty(); }

 private:
  void start(KsrId ksr, BlockId block, const std::shared_ptr<const ClusterPlaces>& cluster,
             Cycle now) override;
  void save(KsrId ksr, BlockId block, std::uint32_t area, Cycle now) override;
  void go_on(KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved, Cycle now) override;
  void flush(KsrId ksr, BlockId block, Cycle now) override;
  void halt(KsrId ksr, Cycle now) override;
  void limit(KsrId ksr, std::uint32_t blocks, Cycle now) override;
  void share(const BandwidthTable& table, Cycle now) override;
  void end_blocks(Cycle now);
  void end_transfers(Cycle now);
  std::uint64_t state_bytes(KsrId ksr) const;

  const bool shares_;
  BlockTimer timer_;
  StateTransfers transfers_;
  Recycler<SavedBlock> states_;
  std::vector<BlockTimer::Block> halted_;            // of one halt
  std::vector<StateTransfers::Transfer> cut_short_;  // of one halt
  std::uint64_t issued_ = 0;
  Counter saved_bytes_;
  Counter restored_bytes_;
};

}  // namespace heddle
