#include "models/engine/sm_resources.h"

#include <algorithm>

namespace heddle {

SmResources::SmResources(const SmLimits& limits)
    : limits_(limits),
      registers_(limits.registers, limits.block_slots),
      shared_(limits.shared_bytes, limits.block_slots) {
  held_.reserve(limits.block_slots);
}

void SmResources::reset() {
  used_ = {};
  registers_.reset();
  shared_.reset();
  held_.clear();
}

void SmResources::take(KsrId ksr, BlockId block, const BlockResources& need, Cycle since,
                       std::optional<std::uint32_t> area) {
  held_.push_back({block, ksr, registers_.take(need.registers), shared_.take(need.shared_bytes), since, area,
                   false, area.has_value()});
  used_ += need;
}

std::optional<SmResources::Held> SmResources::give_back(KsrId ksr, BlockId block,
                                                        const BlockResources& need) {
  const auto found = std::find_if(held_.begin(), held_.end(),
                                  [=](const Held& held) { return held.block == block && held.ksr == ksr; });
  if (found == held_.end()) return std::nullopt;
  registers_.give_back(found->registers, need.registers);
  shared_.give_back(found->shared, need.shared_bytes);
  used_ -= held_at_end(need, limits_);
  const Held held_here = *found;
  *found = held_.back();
  held_.pop_back();
  return held_here;
}

}  // namespace heddle
