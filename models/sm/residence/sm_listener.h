#pragma once
// An SmListener learns what becomes of the blocks of an SM, and in which cycle.

#include <memory>

#include "models/core/base/ids.h"
#include "models/core/kernel/saved_block.h"
#include "models/core/kernel/sm_work.h"

namespace heddle {

class SmListener {
 public:
  virtual ~SmListener() = default;
  virtual void block_done(KsrId ksr, BlockId block, const SmWork& work, Cycle now) = 0;
  // The block has left with this state; see Residence::save().
  virtual void block_saved(KsrId /*ksr*/, BlockId /*block*/, const std::shared_ptr<const SavedBlock>&,
                           Cycle /*now*/) {}
  virtual void block_flushed(KsrId /*ksr*/, BlockId /*block*/, const SmWork& /*work*/, Cycle /*now*/) {}
  virtual void block_restored(KsrId /*ksr*/, BlockId /*block*/) {}  // its warps may issue; Residence::go_on()
  // These functions are called only if the SM has a resource manager. warp_done() reports that a warp has
  // ended and that its block has other warps left. The others are called at the end of a cycle:
  // room_changed() reports how many blocks of the KSR may come since its set-up, resources_changed() what is
  // in use on the SM from this cycle on.
  virtual void warp_done() {}
  virtual void room_changed(KsrId /*ksr*/, std::uint64_t /*blocks*/) {}
  virtual void resources_changed(std::uint32_t /*registers*/, std::uint32_t /*shared_bytes*/, Cycle /*now*/) {
  }
};

}  // namespace heddle
