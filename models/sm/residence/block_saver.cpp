#include "models/sm/residence/block_saver.h"

#include <algorithm>
#include <utility>

#include "models/core/base/check.h"
#include "models/core/kernel/address_spaces.h"
#include "models/core/link/memory_request.h"
#include "models/sm/residence/residence.h"

namespace heddle {

namespace {

constexpr std::uint32_t kRegisterOfWarp = kLanes * 4;  // bytes

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

void BlockSaver::save(ResidentBlock& block, std::uint32_t area, Cycle now) {
  block.saved = states_.take();
  *block.saved = SavedBlock{};
  block.saved->area = area;
  set_stage(block, SwapStage::kStops);
  residence_.apply_limit(block.ksr);
  advance(block, now);
}

void BlockSaver::set_stage(ResidentBlock& block, SwapStage stage) {
  moving_ += (stage != SwapStage::kNone ? 1 : 0);
  moving_ -= (block.swap_stage != SwapStage::kNone ? 1 : 0);
  block.swap_stage = stage;
}

bool BlockSaver::is_quiet(const ResidentBlock& block) const {
  std::uint32_t left = block.warps_left;  // a warp that has ended stays until it has nothing in flight
  for_each_slot(block.running, [&](std::uint32_t slot) {
    if (residence_.pipeline().is_quiet(slot)) --left;
  });
  return left == 0;
}

void BlockSaver::advance(ResidentBlock& block, Cycle now) {
  if (block.swap_stage == SwapStage::kNone || !is_quiet(block)) return;
  if (block.swap_stage == SwapStage::kLoads) {
    set_stage(block, SwapStage::kNone);
    residence_.listener().block_restored(block.ksr, block.block);
    return residence_.apply_limit(block.ksr);
  }
  if (block.swap_stage == SwapStage::kStops) {
    set_stage(block, SwapStage::kStores);
    store_state(block, now);
    if (!is_quiet(block)) return;  // it has state to store
  }
  leave(block, now);
}

// Without a resource manager a warp holds the registers of its launch, and a block its shared memory.
HeldBytes BlockSaver::held_by_warp(const ResidentBlock& block, std::uint32_t slot) const {
  if (residence_.managed() != nullptr) return residence_.managed()->held_by_warp(slot);
  return {held_registers(block) + kStateBytes, 0};
}

std::uint32_t BlockSaver::held_registers(const ResidentBlock& block) const {
  return residence_.launch(block.ksr).shape.registers_per_thread * kRegisterOfWarp;
}

// Under a resource manager a warp has sets of registers, and all sets that it uses are saved.
HeldBytes BlockSaver::saved_of_warp(ResidentBlock& block, std::uint32_t slot) const {
  if (!residence_.saves_live_registers() || residence_.managed() != nullptr) return held_by_warp(block, slot);
  const std::uint32_t held = held_registers(block);
  const std::optional<std::uint32_t> live =
      block.stream->live_register_bytes(residence_.table().warps[slot].number);
  const std::uint32_t bytes = std::min(live.value_or(held), held);
  block.saved->dead_bytes += held - bytes;
  block.saved->whole_warps += live ? 0 : 1;
  return {bytes + kStateBytes, 0};
}

HeldBytes BlockSaver::held_by_block(const ResidentBlock& block) const {
  if (residence_.managed() != nullptr)
    return residence_.managed()->held_by_block(residence_.table().slot_of(block));
  return {residence_.launch(block.ksr).shape.shared_bytes, 0};
}

void BlockSaver::move_lines(const ResidentBlock& block, std::uint32_t slot, bool is_load, Address address,
                            std::uint32_t lines) {
  constexpr std::uint32_t kMost = SmPipeline::kMostTransferLines;
  const auto place = static_cast<std::uint8_t>(residence_.table().slot_of(block));
  for (; lines > 0; lines -= std::min(lines, kMost), address += kMost * kLineBytes) {
    const std::uint32_t bytes = std::min(lines, kMost) * kLineBytes;
    residence_.pipeline().move({{is_load, static_cast<std::uint8_t>(slot), place, bytes, address},
                                {slot, block.context, block.account},
                                true});
  }
}

// The registers and the state of each warp lie one after another, then the shared memory. What is in swap
// space already has its place there, and is not stored again.
void BlockSaver::store_state(ResidentBlock& block, Cycle now) {
  SavedBlock& saved = *block.saved;
  Address address = kSavedAddresses + saved.area * kSavedBytes;
  for_each_slot(block.running, [&](std::uint32_t slot) {
    const ResidentWarp& warp = residence_.table().warps[slot];
    const HeldBytes held = saved_of_warp(block, slot);
    saved.saved_bytes += held.on_chip + held.in_swap;
    saved.warps[warp.number] = {warp.phase,
                                static_cast<std::uint16_t>(lines_of(held.on_chip + held.in_swap))};
    move_lines(block, slot, false, address, lines_of(held.on_chip));
    address += Address{saved.warps[warp.number].lines} * kLineBytes;
  });
  const HeldBytes shared = held_by_block(block);
  saved.saved_bytes += shared.on_chip + shared.in_swap;
  saved.shared_lines = lines_of(shared.on_chip + shared.in_swap);
  move_lines(block, lowest(block.running), false, address, lines_of(shared.on_chip));
  address += Address{saved.shared_lines} * kLineBytes;
  HEDDLE_CHECK(address <= kSavedAddresses + (saved.area + 1) * kSavedBytes, residence_.name(), now,
               "block {} holds more than the {} bytes of swap space that a saved block has",
               block.block.value, kSavedBytes);
}

void BlockSaver::load_state(const ResidentBlock& block, const SavedBlock& saved) {
  Address address = kSavedAddresses + saved.area * kSavedBytes;
  for_each_slot(block.running, [&](std::uint32_t slot) {
    const std::uint32_t lines = saved.warps[residence_.table().warps[slot].number].lines;
    move_lines(block, slot, true, address, lines);
    address += Address{lines} * kLineBytes;
  });
  move_lines(block, lowest(block.running), true, address, saved.shared_lines);
}

void BlockSaver::note_warps(const ResidentBlock& block, SavedBlock& saved) const {
  const ResidentTable& table = residence_.table();
  const auto number_of = [&table](std::uint32_t slot) { return std::uint32_t{table.warps[slot].number}; };
  saved.stream = block.stream;
  saved.running = mapped(block.running, number_of);
  saved.at_barrier = mapped(table.at_barrier & block.running, number_of);
  saved.barriers = block.barriers;
  for (Barrier& barrier : saved.barriers) {
    barrier.arrived = mapped(barrier.arrived & block.running, number_of);
    barrier.waiting = mapped(barrier.waiting & block.running, number_of);
  }
  saved.work = LaunchWork::work_of(block);
  saved.work += block.earlier;
}

// The warps have no instruction in flight. Instructions that they have fetched are fetched again.
void BlockSaver::leave(ResidentBlock& block, Cycle now) {
  note_warps(block, *block.saved);
  const std::shared_ptr<const SavedBlock> saved = std::move(block.saved);
  residence_.remove(block);
  residence_.listener().block_saved(block.ksr, block.block, saved, now);
}

// A warp that has ended does not come back.
void BlockSaver::go_on(ResidentBlock& block, const SavedBlock& saved, Cycle now) {
  block.stream = saved.stream;
  block.earlier = saved.work;
  std::array<std::uint8_t, kMostWarps> slot_of{};
  for_each_slot(saved.running, [&](std::uint32_t number) {
    slot_of[number] =
        static_cast<std::uint8_t>(residence_.place_warp(block, number, saved.warps[number].phase));
  });
  const auto slot = [&](std::uint32_t number) { return std::uint32_t{slot_of[number]}; };
  block.barriers = saved.barriers;
  for (Barrier& barrier : block.barriers) {
    barrier.arrived = mapped(barrier.arrived, slot);
    barrier.waiting = mapped(barrier.waiting, slot);
  }
  residence_.resume(block, mapped(saved.at_barrier, slot));
  set_stage(block, SwapStage::kLoads);
  load_state(block, saved);
  residence_.apply_limit(block.ksr);
  advance(block, now);
}

}  // namespace heddle
