#pragma once
// What the blocks on one SM hold: sums of threads, warps and block slots, and a contiguous range of registers
// and one of shared memory for each block.

#include <vector>

#include "models/core/base/ids.h"
#include "models/core/kernel/kernel.h"
#include "models/core/base/range_allocator.h"

namespace heddle {

class SmResources {
 public:
  explicit SmResources(const SmLimits& limits);

  // Whether a block finds room: the sums fit, and its ranges lie free. With blocks of one shape the sums
  // alone decide.
  bool has_room(const BlockResources& need) const {
    return fits(used_, need, limits_) && registers_.fits(need.registers) && shared_.fits(need.shared_bytes);
  }
  void take(KsrId ksr, BlockId block, const BlockResources& need);  // it has room
  // What it took; false: it holds nothing here.
  bool give_back(KsrId ksr, BlockId block, const BlockResources& need);

  void reset();  // Nothing is held afterwards.

  const BlockResources& used() const { return used_; }

 private:
  struct Held {
    BlockId block;
    KsrId ksr;
    std::uint32_t registers;  // where its registers start
    std::uint32_t shared;     // where its shared memory starts
  };

  const SmLimits limits_;
  BlockResources used_;
  RangeAllocator registers_;
  RangeAllocator shared_;
  std::vector<Held> held_;  // by the blocks here, in no order
};

}  // namespace heddle
