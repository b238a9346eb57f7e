#pragma once
// The StateTransfers of a timed SM move the states of blocks that are saved, or that go on, to and from
// device memory. They use the SM's share of the bandwidth one after another, in the order in which they
// began.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/saved_block.h"
#include "models/core/time/progress.h"

namespace heddle {

class StateTransfers {
 public:
  struct Transfer {
    KsrId ksr;
    BlockId block;
    std::uint64_t number = 0;  // of the block on this SM
    std::shared_ptr<const SavedBlock> state;
    bool loads = false;  // the state; otherwise it is stored
  };

  explicit StateTransfers(std::uint32_t block_slots) { transfers_.reserve(block_slots); }
  void reset();

  bool empty() const { return transfers_.empty(); }
  void add(const Transfer& transfer, std::uint64_t bytes, Cycle now);  // at most 2^43 bytes
  // Gives up loading the state of a block, and returns the transfer, or none if the block is not loaded.
  std::optional<Transfer> give_up(KsrId ksr, BlockId block, Cycle now);
  // Takes all transfers of the kernel away and adds them to `transfers`.
  void remove_all(KsrId ksr, std::vector<Transfer>& transfers, Cycle now);
  void set_rate(std::uint64_t bytes_per_cycle, Cycle now);  // with kRateBits binary digits behind the point

  Cycle next_end() const;          // or never
  Transfer take_ended(Cycle now);  // next_end() is `now`

 private:
  struct Moving {
    Transfer transfer;
    std::uint64_t left = 0;  // bytes at cycle `since_`, with kRateBits binary digits behind the point
  };
  void advance(Cycle now);
  void erase(std::size_t index);

  std::vector<Moving> transfers_;  // the first one moves
  std::uint64_t rate_ = 0;
  Cycle since_;
};

}  // namespace heddle
