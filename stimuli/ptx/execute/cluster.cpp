#include "stimuli/ptx/execute/cluster.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::ptx {

void ClusterBarrier::start() {
  arrivals_.assign(warps_.size(), {});
  phase_ = 0;
}

void ClusterBarrier::arrive(std::uint32_t warp, std::uint32_t lanes) {
  arrivals_[warp].lanes |= lanes;
  arrivals_[warp].phase = phase_ + 1;
  complete_phase();
}

bool ClusterBarrier::waits(std::uint32_t warp) {
  complete_phase();
  return phase_ < arrivals_[warp].phase;
}

void ClusterBarrier::complete_phase() {
  for (std::size_t i = 0; i < warps_.size(); ++i)
    if ((warps_[i].live() & ~arrivals_[i].lanes) != 0) return;
  for (Arrival& arrival : arrivals_) arrival.lanes = 0;
  ++phase_;
}

void find_in_cluster(const WarpStep& at, const FaultReporter& faults) {
  const bool maps = at.step.statement->opcode == Opcode::kMapa;
  const Row& to = at.step.destination[0];
  for_each_lane(at.active, [&](std::uint32_t lane) {
    const std::uint64_t block = maps ? lane_value(at, at.step.source[1], lane) : 0;
    if (block != 0)
      faults.raise(at, lane, fmt::format("block {} of a cluster that has block 0 alone", block));
    const std::uint64_t value = maps ? lane_value(at, at.step.source[0], lane) : 0;
    const std::size_t bytes = to.wide ? 8 : 4;
    std::memcpy(at.warp.at(to) + lane * bytes, &value, bytes);
  });
}

}  // namespace heddle::ptx
