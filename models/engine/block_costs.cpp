#include "models/engine/block_costs.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr std::uint64_t kRegisterBytes = 4;

HandoverCost cost_of(const Ksr& kernel, BlockId block, std::uint64_t elapsed) {
  HandoverCost cost;
  cost.block = block;
  cost.elapsed = elapsed;
  cost.switch_bytes = kRegisterBytes * kernel.need.registers + kernel.need.shared_bytes;
  if (kernel.done == 0) return cost;
  const auto ended = static_cast<double>(kernel.done);
  const double duration = static_cast<double>(kernel.ended_cycles) / ended;
  const double instructions = static_cast<double>(kernel.ended_instructions) / ended;
  const double done = std::min(1.0, static_cast<double>(elapsed) / std::max(1.0, duration));
  cost.drain_cycles = static_cast<std::uint64_t>(std::max(0.0, duration - static_cast<double>(elapsed)));
  cost.flush_instructions = static_cast<std::uint64_t>(instructions * done);
  return cost;
}

}  // namespace

void BlockCosts::read(SmId sm, KsrId kernel, std::vector<HandoverCost>& costs) const {
  costs.clear();
  for (const SmResources::Held& held : smsrs_[sm.value].resources.held())
    if (held.ksr == kernel && !held.leaves)
      costs.push_back(cost_of(ksrs_[kernel], held.block, now_ - held.since));
  std::sort(costs.begin(), costs.end(),
            [](const HandoverCost& a, const HandoverCost& b) { return a.block < b.block; });
}

}  // namespace heddle
