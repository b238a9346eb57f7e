#pragma once
// The DispatchPort takes the requests of the SM driver to the SMs.

#include <cstdint>
#include <memory>

#include "models/core/base/ids.h"
#include "models/core/kernel/bandwidth.h"
#include "models/core/kernel/cluster_messages.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/saved_block.h"

namespace heddle {

class DispatchPort {
 public:
  virtual ~DispatchPort() = default;
  virtual void set_up(SmId sm, KsrId ksr, const KernelLaunch& launch) = 0;
  // `saved` is null, or the block goes on with it. `cluster` is null, or says where the blocks of its cluster
  // are.
  virtual void issue(SmId sm, KsrId ksr, BlockId block, const std::shared_ptr<const SavedBlock>& saved,
                     const std::shared_ptr<const ClusterPlaces>& cluster) = 0;
  virtual void save(SmId sm, KsrId ksr, BlockId block, std::uint32_t area) = 0;  // SavedBlock::area
  virtual void flush(SmId sm, KsrId ksr, BlockId block) = 0;
  virtual void sample(SmId sm, Cycle now) = 0;  // at most once in a cycle
  virtual void limit(SmId sm, KsrId ksr, std::uint32_t blocks) = 0;
  virtual void halt(SmId sm, KsrId ksr) = 0;
  virtual void share(SmId, const std::shared_ptr<const BandwidthTable>&) {}  // at most once in a cycle
};

}  // namespace heddle
