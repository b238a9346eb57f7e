// An SmCore saves blocks to swap space and goes on with them. The resources of a block that leaves are free
// when memory has answered its stores. So no SM can load what is not yet stored, and a hand-over takes the
// time of the stores.

#include <algorithm>

#include "models/core/base/check.h"
#include "models/core/kernel/address_spaces.h"
#include "models/sm/sm_core.h"

namespace heddle {

namespace {

constexpr std::uint32_t kRegisterOfWarp = kLanes * 4;  // bytes
constexpr std::uint32_t kMostLines = LoadStoreUnit::kMostTransferLines;

std::uint32_t lines_of(std::uint32_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes;
}

// Returns the mask with `to(b)` for each bit b of `mask`. Bits without a place there are left out.
template <class F>
WarpMask mapped(WarpMask mask, F to) {
  WarpMask result = 0;
  for_each_slot(mask, [&](std::uint32_t at) { result |= bit(to(at)); });
  return result;
}

}  // namespace

void SmCore::save(KsrId ksr, BlockId id, SavedBlock& saved) {
  for (ResidentBlock& block : table_.blocks) {
    if (block.stream == nullptr || block.ksr != ksr || block.block != id) continue;
    block.saved = &saved;
    set_stage(block, SwapStage::kStops);
    apply_limit(ksr);
    advance_swap(block);
  }
}

void SmCore::set_stage(ResidentBlock& block, SwapStage stage) {
  uses_swap_ = true;
  swapping_ += (stage != SwapStage::kNone ? 1 : 0);
  swapping_ -= (block.swap_stage != SwapStage::kNone ? 1 : 0);
  block.swap_stage = stage;
}

bool SmCore::is_quiet(const ResidentBlock& block) const {
  std::uint32_t left = block.warps_left;  // a warp that has ended stays until it has nothing in flight
  for_each_slot(block.running, [&](std::uint32_t slot) {
    const Warp& warp = table_.warps[slot];
    if (warp.in_flight == 0 && warp.stores == 0) --left;
  });
  return left == 0;
}

void SmCore::advance_swap(ResidentBlock& block) {
  if (block.swap_stage == SwapStage::kNone || !is_quiet(block)) return;
  if (block.swap_stage == SwapStage::kLoads) {
    set_stage(block, SwapStage::kNone);
    listener_.block_restored(block.ksr, block.block);
    return apply_limit(block.ksr);
  }
  if (block.swap_stage == SwapStage::kStops) {
    set_stage(block, SwapStage::kStores);
    store_state(block);
    if (!is_quiet(block)) return;  // it has state to store
  }
  leave(block);
}

// Without a resource manager a warp holds the registers of its launch, and a block its shared memory.
HeldBytes SmCore::held_by_warp(const ResidentBlock& block, std::uint32_t slot) const {
  if (manager_) return manager_->held_by_warp(slot);
  const std::uint32_t registers = kernels_[block.ksr.value].launch.shape.registers_per_thread;
  return {registers * kRegisterOfWarp + kStateBytes, 0};
}

HeldBytes SmCore::held_by_block(const ResidentBlock& block) const {
  if (manager_) return manager_->held_by_block(table_.warps[lowest(block.running)].block);
  return {kernels_[block.ksr.value].launch.shape.shared_bytes, 0};
}

// Queues transfers of lines of the block. The warp waits for them.
void SmCore::move_lines(const ResidentBlock& block, std::uint32_t slot, bool is_load, Address address,
                        std::uint32_t lines) {
  for (; lines > 0; lines -= std::min(lines, kMostLines), address += kMostLines * kLineBytes) {
    const std::uint32_t bytes = std::min(lines, kMostLines) * kLineBytes;
    const Warp& warp = table_.warps[slot];
    to_swap_.push_back({{is_load, static_cast<std::uint8_t>(slot), warp.block, bytes, address},
                        {slot, block.context, block.account},
                        true});
    ++table_.warps[slot].in_flight;
  }
}

// The registers and the state of each warp lie one after another, then the shared memory. What is in swap
// space already has its place there, and is not stored again.
void SmCore::store_state(ResidentBlock& block) {
  SavedBlock& saved = *block.saved;
  Address address = kSavedAddresses + saved.area * kSavedBytes;
  for_each_slot(block.running, [&](std::uint32_t slot) {
    const Warp& warp = table_.warps[slot];
    const HeldBytes held = held_by_warp(block, slot);
    saved.warps[warp.number] = {warp.phase,
                                static_cast<std::uint16_t>(lines_of(held.on_chip + held.in_swap))};
    move_lines(block, slot, false, address, lines_of(held.on_chip));
    address += Address{saved.warps[warp.number].lines} * kLineBytes;
  });
  const HeldBytes shared = held_by_block(block);
  saved.shared_lines = lines_of(shared.on_chip + shared.in_swap);
  move_lines(block, lowest(block.running), false, address, lines_of(shared.on_chip));
  address += Address{saved.shared_lines} * kLineBytes;
  HEDDLE_CHECK(address <= kSavedAddresses + (saved.area + 1) * kSavedBytes, name_, Cycle{},
               "block {} holds more than the {} bytes of swap space that a saved block has",
               block.block.value, kSavedBytes);
}

// The warps have no instruction in flight, so that no scoreboard has an entry. Instructions that they have
// fetched are fetched again.
void SmCore::leave(ResidentBlock& block) {
  SavedBlock& saved = *block.saved;
  const WarpMask running = block.running;
  const auto number_of = [this](std::uint32_t slot) { return std::uint32_t{table_.warps[slot].number}; };
  saved.stream = block.stream;
  saved.running = mapped(running, number_of);
  saved.at_barrier = mapped(table_.at_barrier & running, number_of);
  saved.barriers = block.barriers;
  for (Barrier& barrier : saved.barriers) {
    barrier.arrived = mapped(barrier.arrived & running, number_of);
    barrier.waiting = mapped(barrier.waiting & running, number_of);
  }
  saved.work = work_of(block);
  saved.work += block.earlier;

  for_each_slot(running, [this](std::uint32_t slot) {
    front_end_.drop(slot);
    table_.warps[slot].buffered = 0;
    look_at_next(slot);
    schedulers_[slot % spec_.schedulers]->ended(slot);
  });
  for (WarpMask* mask : {&table_.live, &table_.at_barrier, &table_.at_fence, &table_.paused, &table_.pending})
    *mask &= ~running;
  table_.update_derived();
  used_slots_ &= ~running;
  if (accounts_.kernels().on()) accounts_.kernels().leave(block.ksr, running);
  const std::uint32_t place = table_.warps[lowest(running)].block;
  free_resources(block);
  if (manager_) {
    const std::uint32_t others = block.warps_left - 1;
    used_.warps -= others;
    for (std::uint32_t i = 0; i < others; ++i) listener_.warp_done();
    manager_->remove_block(place);
    update_pending();
  }
  listener_.block_saved(block.ksr, block.block);
}

// A warp that has ended does not come back.
void SmCore::go_on(KsrId ksr, BlockId id, const SavedBlock& saved, Cycle now) {
  ResidentBlock& block = place(ksr, id, now);
  block.stream = saved.stream;
  block.earlier = saved.work;
  std::array<std::uint8_t, kMostWarps> slot_of{};
  for_each_slot(saved.running, [&](std::uint32_t number) {
    slot_of[number] = static_cast<std::uint8_t>(lowest(~used_slots_));
    place_warp(block, number);
    table_.warps[slot_of[number]].phase = saved.warps[number].phase;
  });
  const auto slot = [&](std::uint32_t number) { return std::uint32_t{slot_of[number]}; };
  block.barriers = saved.barriers;
  for (Barrier& barrier : block.barriers) {
    barrier.arrived = mapped(barrier.arrived, slot);
    barrier.waiting = mapped(barrier.waiting, slot);
  }
  table_.at_barrier |= mapped(saved.at_barrier, slot);
  table_.update_derived();
  if (accounts_.kernels().on()) accounts_.kernels().join(ksr, block.running);
  if (manager_) {
    const std::uint32_t ended = block.need.warps - block.warps_left;
    used_.warps -= ended;
    for (std::uint32_t i = 0; i < ended; ++i) listener_.warp_done();
    resume_managed(block);
  }
  set_stage(block, SwapStage::kLoads);
  load_state(block, saved);
  apply_limit(ksr);
  advance_swap(block);
}

void SmCore::load_state(ResidentBlock& block, const SavedBlock& saved) {
  Address address = kSavedAddresses + saved.area * kSavedBytes;
  for_each_slot(block.running, [&](std::uint32_t slot) {
    const std::uint32_t lines = saved.warps[table_.warps[slot].number].lines;
    move_lines(block, slot, true, address, lines);
    address += Address{lines} * kLineBytes;
  });
  move_lines(block, lowest(block.running), true, address, saved.shared_lines);
}

void SmCore::resume_managed(const ResidentBlock& block) {
  std::array<PhaseNeeds, kMostWarps> needs;
  for_each_slot(block.running, [&](std::uint32_t slot) {
    needs[slot] = kernels_[block.ksr.value].phases[table_.warps[slot].phase];
  });
  manager_->resume_block(block.ksr.value, table_.warps[lowest(block.running)].block, block.running, needs,
                         table_.at_barrier & block.running);
  update_pending();
}

}  // namespace heddle
