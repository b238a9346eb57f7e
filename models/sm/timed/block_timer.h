#pragma once
// The BlockTimer of a timed SM has the blocks that get on, and when each of them ends. All blocks of a kernel
// get on at the same rate. So the timer keeps the progress that the kernel has made since it had no block
// here, and a heap of its blocks by the progress at which they end. A change of rates costs a step for each
// kernel with a block, whatever the number of blocks.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"
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
  // `left` is the time to the block's end at full rate, above zero.
  void add(const Block& block, Progress left, Cycle now);
  // Takes the block away and returns what is left of it, or none if it is not here.
  std::optional<Progress> remove(KsrId ksr, BlockId block, Cycle now);
  // Takes all blocks of the kernel away and adds them to `blocks`.
  void remove_all(KsrId ksr, std::vector<Block>& blocks);
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
    std::uint32_t rate = kFullRate;
    Progress made;  // up to cycle `since`
    Cycle since;
    Cycle end = Cycle::never();  // of the block on top
    std::vector<Ending> blocks;  // a heap; the next one to end on top
  };

  static bool later(const Ending& a, const Ending& b);
  static void advance(Kernel& kernel, Cycle now);
  void update_end(Kernel& kernel);
  void update_next_end();
  void leave(KsrId ksr);

  std::vector<Kernel> kernels_;        // by KSR
  std::vector<std::uint32_t> active_;  // the KSRs with a block, in no order
  Cycle next_end_ = Cycle::never();
};

}  // namespace heddle
