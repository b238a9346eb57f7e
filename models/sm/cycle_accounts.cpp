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
  next_ = now + 1;
  if (issued + 1 == 1u << masks_.size()) {  // all of them
    for (Buckets& scheduler : schedulers_) ++scheduler[static_cast<std::size_t>(Bucket::kActive)];
    ++sm_[static_cast<std::size_t>(Bucket::kActive)];
    return;
  }
  const Reasons why = reasons(table);
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    const bool active = (issued >> i & 1) != 0;
    ++schedulers_[i][static_cast<std::size_t>(active ? Bucket::kActive : bucket_of(table, why, masks_[i]))];
  }
  ++sm_[static_cast<std::size_t>(issued != 0 ? Bucket::kActive : bucket_of(table, why, ~WarpMask{0}))];
}

void CycleAccounts::settle(const WarpTable& table) {
  const Reasons why = reasons(table);
  for (std::size_t i = 0; i < masks_.size(); ++i) standing_[i] = bucket_of(table, why, masks_[i]);
  standing_.back() = bucket_of(table, why, ~WarpMask{0});
}

void CycleAccounts::add(std::uint64_t cycles) {
  for (std::size_t i = 0; i < masks_.size(); ++i)
    schedulers_[i][static_cast<std::size_t>(standing_[i])] += cycles;
  sm_[static_cast<std::size_t>(standing_.back())] += cycles;
}

CycleAccounts::Reasons CycleAccounts::reasons(const WarpTable& table) {
  const WarpMask ready = table.ready() & table.live;
  const WarpMask memory = table.next_on[static_cast<std::size_t>(UnitKind::kMemory)];
  const WarpMask waiting = table.live & table.buffered & ~table.at_barrier;
  Reasons result{};
  result[static_cast<std::size_t>(Bucket::kPipelineMemory)] = ready & memory;
  result[static_cast<std::size_t>(Bucket::kPipelineAlu)] = ready & ~memory;
  result[static_cast<std::size_t>(Bucket::kScoreboardMemory)] = waiting & table.wait_memory;
  result[static_cast<std::size_t>(Bucket::kScoreboardAlu)] = waiting & table.wait_alu;
  result[static_cast<std::size_t>(Bucket::kBufferEmpty)] = table.live & ~table.buffered & ~table.at_barrier;
  result[static_cast<std::size_t>(Bucket::kBarrier)] = table.live & table.at_barrier;
  return result;
}

Bucket CycleAccounts::bucket_of(const WarpTable& table, const Reasons& reasons, WarpMask mask) const {
  if ((table.live & mask) == 0) return Bucket::kNoWarp;
  for (const Bucket bucket : order_)
    if ((reasons[static_cast<std::size_t>(bucket)] & mask) != 0) return bucket;
  return Bucket::kNoWarp;
}

}  // namespace heddle
