#include <algorithm>
#include <stdexcept>

#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

HEDDLE_DECISION_TABLE(SmPartitioner)

const std::vector<PartitionDecision>& SmPartitioner::decisions() const {
  static const std::vector<PartitionDecision> none;
  return none;
}

const SliceView* SmView::staying() const {
  for (const SliceView& slice : slices)
    if (slice.state != SliceState::kLeaving) return &slice;
  return nullptr;
}

KsrId SmView::holder() const {
  const SliceView* slice = staying();
  return slice == nullptr ? KsrId::none() : slice->slice.kernel;
}

bool SmView::reserved() const {
  return std::any_of(slices.begin(), slices.end(),
                     [](const SliceView& slice) { return slice.state == SliceState::kLeaving; });
}

std::uint32_t SmView::running() const {
  std::uint32_t blocks = 0;
  for (const SliceView& slice : slices) blocks += slice.running;
  return blocks;
}

const KernelView& MachineView::kernel(KsrId ksr) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [ksr](const KernelView& kernel) { return kernel.ksr == ksr; });
  if (found == kernels.end())
    throw std::logic_error("a slice names a kernel that is not in the active queue");
  return *found;
}

}  // namespace heddle
