#pragma once
// The BlockTimer of a timed SM has the blocks that get on, and when each of them ends. All blocks of a kernel
// get on at the same rate: the one that the SM is told, of what the SM's own port lets through
// (models/core/kernel/bandwidth.h). So the timer keeps the progress that the kernel has made since it had no
// block here, and a heap of its blocks by the progress at which they end. A change of rates costs a step for
// each kernel with a block, whatever the number of blocks.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/time/progress.h"

namespace heddle {

class BlockTimer {
 public:
  struct Block {
    std::uint64_t number =
        0;  // blocks that end in one cycle end in this order, those of one kernel by progress
    KsrId ksr;
    BlockId block;
  };

  BlockTimer(std::uint32_t ksrs, std::uint32_t block_slots);
  void reset();  // No block is left, and all kernels get on at full rate.

  bool empty() const { return active_.empty(); }
  // `left` is the time to the block's end at full rate, above zero. `port_load` is that of all blocks of the
  // kernel: KernelLaunch::port_load.
  void add(const Block& block, Progress left, Cycle now, std::uint16_t port_load = 0);
  // Takes the block away and returns what is left of it, or none if it is not here.
  std::optional<Progress> remove(KsrId ksr, BlockId block, Cycle now);
  // Takes all blocks of the kernel away and adds them to `blocks`.
  void remove_all(KsrId ksr, std::vector<Block>& blocks, Cycle now);
  // `rates` has a rate for each KSR.
  void set_rates(const std::vector<std::uint32_t>& rates, Cycle now);

  Cycle next_end() const { return next_end_; }  // or never
  Block take_ended(Cycle now);                  // next_end() is `now`

 private:
  struct Ending {
    Progress at;
    Block block;
  };
  struct Kernel {
    std::uint32_t told = kFullRate;  // the rate that the SM was told
    std::uint32_t rate = kFullRate;  // of that, what the port lets through
    std::uint16_t port_load = 0;     // of a block
    Progress made;                   // up to cycle `since`
    Cycle since;
    Cycle end = Cycle::never();  // of the block on top
    std::vector<Ending> blocks;  // a heap; the next one to end on top
  };

  static bool later(const Ending& a, const Ending& b);
  static void advance(Kernel& kernel, Cycle now);
  void update_end(Kernel& kernel);
  void update_next_end();
  void set_rate(Kernel& kernel, std::uint32_t rate, Cycle now);
  void divide(Cycle now);
  void leave(KsrId ksr, Cycle now);

  std::vector<Kernel> kernels_;        // by KSR
  std::vector<std::uint32_t> active_;  // the KSRs with a block, in no order
  std::uint32_t limited_ = 0;          // those of `active_` that the port limits
  std::vector<PortUser> users_;        // of the port, in the order of `active_`
  Cycle next_end_ = Cycle::never();
};

}  // namespace heddle
