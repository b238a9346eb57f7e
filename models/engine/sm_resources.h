#pragma once
// SmResources has the resources that the blocks on one SM hold: sums of threads, warps and block slots, and
// for each block a contiguous range of registers and one of shared memory.

#include <optional>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/range_allocator.h"
#include "models/core/kernel/kernel.h"

namespace heddle {

class SmResources {
 public:
  explicit SmResources(const SmLimits& limits);

  // Returns whether a block has room: the sums fit, and contiguous ranges are free. With blocks of one shape
  // the sums alone decide.
  bool has_room(const BlockResources& need) const {
    return fits(used_, need, limits_) && registers_.fits(need.registers) && shared_.fits(need.shared_bytes);
  }
  struct Held {
    BlockId block;
    KsrId ksr;
    std::uint32_t registers = 0;  // the start of its registers
    std::uint32_t shared = 0;     // the start of its shared memory
    Cycle since;                  // core cycle of its issue, later by the time that it was in swap space
    std::optional<std::uint32_t> area;  // of swap space; empty: it was never saved
    bool leaves = false;                // it is being saved or flushed
    bool restoring = false;             // it was saved before and does not have its state back
  };

  // The block has room. It has an `area` if it was saved before; then it is restoring.
  void take(KsrId ksr, BlockId block, const BlockResources& need, Cycle since,
            std::optional<std::uint32_t> area = std::nullopt);
  // Frees a warp slot of a block that keeps others.
  void give_back_warp() { --used_.warps; }
  // Frees the resources of a block, and returns what it held, or none if it holds none here.
  std::optional<Held> give_back(KsrId ksr, BlockId block, const BlockResources& need);

  void reset();  // Nothing is held afterwards.

  const BlockResources& used() const { return used_; }

  const std::vector<Held>& held() const { return held_; }  // by the blocks here, in no order
  std::vector<Held>& held() { return held_; }

 private:
  const SmLimits limits_;
  BlockResources used_;
  RangeAllocator registers_;
  RangeAllocator shared_;
  std::vector<Held> held_;
};

}  // namespace heddle
