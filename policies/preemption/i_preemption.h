#pragma once
// Decision `preemption`: how the blocks of a slice that the partition no longer names leave the SM. The SM
// driver asks once for each such slice, when the partition no longer names it for the first time. Which
// slices leave which SMs is the SM partitioner's decision.

#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "policies/handover_cost.h"
#include "policies/registry.h"

namespace heddle {

// The slice to be handed over.
struct HandoverView {
  SmId sm;
  KsrId kernel;
  std::uint32_t running = 0;             // resident blocks of the slice that are not leaving already
  const HandoverCosts* costs = nullptr;  // of these blocks; null only in tests, valid during the call
  bool restartable = false;              // the blocks may start over
  // Bytes that the SM stores in a core cycle to save blocks, while all SMs do so; 0: it cannot save blocks.
  double save_bytes_per_cycle = 0;
};

enum class Handover : std::uint8_t {
  kDrain,   // the block runs to its end
  kSwitch,  // the block stops and is stored to swap space; it goes on before new blocks are issued
  kFlush,   // the block stops and its work is lost; it starts over before new blocks are issued
};

class Preemption : public Policy {
 public:
  static constexpr const char* kDecision = "preemption";
  // Returns whether decide() may answer so. If it may answer kSwitch, timed SMs are told shares of bandwidth.
  virtual bool answers(Handover way) const = 0;
  // Decides for each block. `blocks` has an entry for each of `view.running` blocks, in order of block number
  // as HandoverCosts::read() has them, and each is kDrain at first. A block of a kernel that is not
  // restartable is drained in place of flushed.
  virtual void decide(const HandoverView& view, std::vector<Handover>& blocks) = 0;

  // Returns whether a block that is switched saves only the registers that its warps may still read.
  // Otherwise it saves all that it holds. The answer is always the same. It counts for cycle SMs alone.
  virtual bool saves_live_registers() const { return false; }

  // Forgets every decision: the policy decides as a new one would.
  virtual void reset() {}
};

HEDDLE_DECISION(Preemption);

}  // namespace heddle
