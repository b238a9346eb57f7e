#include "models/sm/cycle_accounts.h"

namespace heddle {

std::vector<WarpMask> scheduler_masks(std::uint32_t schedulers) {
  std::vector<WarpMask> masks(schedulers);
  for (std::uint32_t slot = 0; slot < kMostWarps; ++slot) masks[slot % schedulers] |= bit(slot);
  return masks;
}

CycleAccounts::CycleAccounts(const CycleSmSpec& spec)
    : order_(spec.stall_order),
      masks_(scheduler_masks(spec.schedulers)),
      standing_(spec.schedulers + 1, Bucket::kNoWarp),
      schedulers_(spec.schedulers) {}

void CycleAccounts::account(const WarpTable& table, std::uint32_t issued, Cycle now) {
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    const bool active = (issued >> i & 1) != 0;
    ++schedulers_[i][static_cast<std::size_t>(active ? Bucket::kActive : bucket_of(table, masks_[i]))];
  }
  ++sm_[static_cast<std::size_t>(issued != 0 ? Bucket::kActive : bucket_of(table, ~WarpMask{0}))];
  next_ = now + 1;
}

void CycleAccounts::settle(const WarpTable& table) {
  for (std::size_t i = 0; i < masks_.size(); ++i) standing_[i] = bucket_of(table, masks_[i]);
  standing_.back() = bucket_of(table, ~WarpMask{0});
}

void CycleAccounts::add(std::uint64_t cycles) {
  for (std::size_t i = 0; i < masks_.size(); ++i)
    schedulers_[i][static_cast<std::size_t>(standing_[i])] += cycles;
  sm_[static_cast<std::size_t>(standing_.back())] += cycles;
}

Bucket CycleAccounts::bucket_of(const WarpTable& table, WarpMask mask) const {
  const WarpMask live = table.live & mask;
  if (live == 0) return Bucket::kNoWarp;
  const WarpMask ready = table.ready() & live;
  const WarpMask memory = table.next_on[static_cast<std::size_t>(UnitKind::kMemory)];
  const WarpMask waiting = live & table.buffered & ~table.at_barrier;
  for (const Bucket bucket : order_) {
    WarpMask holds = 0;
    if (bucket == Bucket::kPipelineMemory) holds = ready & memory;
    if (bucket == Bucket::kPipelineAlu) holds = ready & ~memory;
    if (bucket == Bucket::kScoreboardMemory) holds = waiting & table.wait_memory;
    if (bucket == Bucket::kScoreboardAlu) holds = waiting & table.wait_alu;
    if (bucket == Bucket::kBufferEmpty) holds = live & ~table.buffered & ~table.at_barrier;
    if (bucket == Bucket::kBarrier) holds = live & table.at_barrier;
    if (holds != 0) return bucket;
  }
  return Bucket::kNoWarp;
}

}  // namespace heddle
