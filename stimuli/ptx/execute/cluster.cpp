#include "stimuli/ptx/execute/cluster.h"

#include <algorithm>

namespace heddle::ptx {
namespace {

std::uint64_t bits(std::size_t warps) {
  return warps >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << warps) - 1;
}

}  // namespace

void Cluster::reset(std::uint64_t number, std::uint32_t blocks) {
  number_ = number;
  size_ = blocks;
  openings_ = 0;
  for (std::uint32_t rank = 0; rank < size_; ++rank) stop(rank, false);
}

void Cluster::start(std::uint32_t rank, const Block& block) {
  Member& member = members_[rank];
  member.state = State::kRunning;
  member.block = block;
  member.arrived.assign(block.warps->size(), 0);
  member.live = member.missing = bits(block.warps->size());
  member.signals = 0;
}

void Cluster::stop(std::uint32_t rank, bool has_ended) {
  Member& member = members_[rank];
  member.state = has_ended ? State::kEnded : State::kNotStarted;
  member.live = 0;
  member.missing = has_ended ? 0 : bits(64);
  member.signals = 0;
}

bool Cluster::is_over() const {
  return std::all_of(members_.begin(), members_.begin() + size_, [this](const Member& member) {
    return member.state != State::kRunning && member.state == members_[0].state;
  });
}

Cluster::State Cluster::state_of(std::uint32_t rank) const {
  const Member& member = members_[rank];
  return member.state == State::kRunning && member.live == 0 ? State::kEnded : member.state;
}

bool Cluster::arrive(std::uint32_t rank, std::uint32_t warp, std::uint32_t lanes) {
  members_[rank].arrived[warp] |= lanes;
  return end_lanes(rank, warp);
}

bool Cluster::end_lanes(std::uint32_t rank, std::uint32_t warp) {
  Member& member = members_[rank];
  const std::uint64_t bit = std::uint64_t{1} << warp;
  const std::uint32_t live = (*member.block.warps)[warp].live();
  if (live == 0) member.live &= ~bit;
  if ((live & ~member.arrived[warp]) == 0) member.missing &= ~bit;
  return member.missing == 0 && open();
}

bool Cluster::open() {
  for (std::uint32_t rank = 0; rank < size_; ++rank)
    if (members_[rank].missing != 0) return false;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    Member& member = members_[rank];
    std::fill(member.arrived.begin(), member.arrived.end(), 0);
    member.missing = member.live;
  }
  ++openings_;
  return true;
}

Cluster& ClusterTable::cluster_of(BlockId block) {
  const std::uint64_t number = block.value / blocks_;
  if (blocks_ > 1)
    if (const auto found = running_.find(number); found != running_.end()) return *found->second;
  if (unused_.empty()) {
    all_.push_back(std::make_unique<Cluster>());
    unused_.push_back(all_.back().get());
  }
  Cluster& cluster = *unused_.back();
  unused_.pop_back();
  cluster.reset(number, blocks_);
  if (blocks_ > 1) running_.emplace(number, &cluster);
  return cluster;
}

void ClusterTable::release(Cluster& cluster) {
  if (!cluster.is_over()) return;
  running_.erase(cluster.number());
  unused_.push_back(&cluster);
}

}  // namespace heddle::ptx
