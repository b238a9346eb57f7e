// What an SmCore does for a resource manager (phases, warps that are not schedulable, and accesses to what
// may be in swap space), and blocks that leave for swap space and come back. The resources of a block that
// leaves are free when memory has answered its stores. So no SM can load what is not yet stored, and the time
// of a hand-over has the time of the stores.

#include <algorithm>

#include "models/core/base/check.h"
#include "models/sm/address_spaces.h"
#include "models/sm/sm_core.h"

namespace heddle {

namespace {

constexpr std::uint32_t kRegisterOfWarp = kLanes * 4;  // bytes
constexpr std::uint32_t kMostLines = kMostAccesses;    // of one transfer

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

// A phase needs no more than what the launch states.
void SmCore::manage_kernel(KsrId ksr) {
  Kernel& kernel = kernels_[ksr.value];
  const BlockShape& shape = kernel.launch.shape;
  if (manager_->uses_phases()) kernel.phases = kernel.program->phases();
  if (kernel.phases.empty()) kernel.phases.push_back({shape.registers_per_thread, shape.shared_bytes});
  for (PhaseNeeds& needs : kernel.phases) {
    needs.registers_per_thread = std::min(needs.registers_per_thread, shape.registers_per_thread);
    needs.shared_bytes = std::min(needs.shared_bytes, shape.shared_bytes);
  }
  if (accounts_.kernels().on()) kernel.last_epochs = accounts_.kernels().stalls(ksr);
  manager_->set_kernel(ksr.value, resources_of(shape, limits_).warps, kernel.phases.front());
  if (std::find(set_up_.begin(), set_up_.end(), ksr) == set_up_.end()) set_up_.push_back(ksr);
  tells_room_ = true;
}

// The room of every kernel changes when one of them takes resources. An SM without blocks takes one of any
// kernel, which then runs on what there is.
void SmCore::tell_room() {
  tells_room_ = false;
  for (const KsrId ksr : set_up_) {
    Kernel& kernel = kernels_[ksr.value];
    const std::uint32_t more = manager_->room(ksr.value);
    const std::uint64_t room = kernel.started + (resident_ == 0 ? std::max(1u, more) : more);
    if (room == kernel.told_room) continue;
    kernel.told_room = room;
    listener_.room_changed(ksr, room);
  }
}

void SmCore::update_pending() {
  const WarpMask schedulable = table_.live & manager_->schedulable();
  const WarpMask resumed = schedulable & ~schedulable_;
  const WarpMask pending = table_.live & ~(table_.at_barrier | table_.at_fence | schedulable);
  schedulable_ = schedulable;
  tells_room_ = true;
  listener_.resources_changed(manager_->registers_in_use(), manager_->shared_bytes_in_use());
  if (maps_) move_to_swap();
  if (pending != table_.pending) {
    table_.pending = pending;
    table_.update_derived();
    for (const ResidentBlock& block : table_.blocks)
      if (block.stream != nullptr) update_accounts(block);
  }
  if (maps_) for_each_slot(resumed & table_.buffered, [this](std::uint32_t slot) { look_at_wait(slot); });
}

void SmCore::watch_issue(std::uint32_t slot, const Instruction& code, Cycle now) {
  Warp& warp = table_.warps[slot];
  const Kernel& kernel = kernels_[table_.blocks[warp.block].ksr.value];
  if (use_) use_->count(now, slot, warp.block, kernel.launch.shape.registers_per_thread, issued_);
  if (!manager_) return;
  warp.sources_read = false;
  if (code.operation != Operation::kPhase) return;
  warp.phase = code.phase;
  manager_->start_phase(slot, kernel.phases[code.phase]);
  update_pending();
}

// A warp at a fence waits as one at a barrier does: others may have its slot.
void SmCore::manage_wait(std::uint32_t slot, bool pending, bool fenced) {
  const WarpMask me = bit(slot);
  if (fenced != ((table_.at_fence & me) != 0)) {
    table_.at_fence ^= me;
    if (fenced)
      manager_->wait(slot);
    else
      manager_->go_on(me);
    update_pending();
  }
  if (maps_) read_sources(slot, !pending && !fenced);
}

// The manager sees once that the next instruction of a warp reads its sources: in the cycle in which nothing
// else holds the instruction back. The warp then waits for those that are in swap space.
void SmCore::read_sources(std::uint32_t slot, bool can_read) {
  Warp& warp = table_.warps[slot];
  if (can_read && !warp.sources_read && (schedulable_ & bit(slot)) != 0) {
    warp.sources_read = true;
    if (manager_->read_registers(slot, *warp.buffer[0])) move_to_swap();
  }
  if (warp.swap_loads > 0) table_.wait_memory |= bit(slot);
}

void SmCore::write_destinations(std::uint32_t slot, const Instruction& code) {
  if (manager_->write_registers(slot, code)) move_to_swap();
}

void SmCore::move_to_swap() {
  std::vector<SwapTransfer>& transfers = manager_->transfers();
  for (const SwapTransfer& transfer : transfers) {
    const ResidentBlock& block = table_.blocks[transfer.block];
    to_swap_.push_back({transfer, block.ksr, block.context, false});
    if (!transfer.is_load) continue;
    Warp& warp = table_.warps[transfer.warp];
    ++warp.swap_loads;
    ++warp.in_flight;
    if ((table_.buffered & bit(transfer.warp)) != 0) table_.wait_memory |= bit(transfer.warp);
  }
  transfers.clear();
}

void SmCore::swap_load_done(std::uint32_t slot) {
  Warp& warp = table_.warps[slot];
  --warp.swap_loads;
  --warp.in_flight;
  look_again(slot);
  if (warp.in_flight == 0) retire_if_done(slot);
}

// The manager hears of the epoch of each kernel with a block on the SM. An SM without blocks may sleep over
// the ends of epochs.
void SmCore::end_epoch(Cycle now) {
  if (now == epoch_end_ && resident_ > 0) {
    std::vector<bool>& ended = kernels_in_epoch_;
    ended.assign(kernels_.size(), false);
    for (const ResidentBlock& block : table_.blocks) {
      if (block.stream == nullptr || ended[block.ksr.value]) continue;
      ended[block.ksr.value] = true;
      KernelStalls& before = kernels_[block.ksr.value].last_epochs;
      const KernelStalls stalls = accounts_.kernels().stalls(block.ksr);
      KernelStalls grown = stalls;
      grown -= before;
      before = stalls;
      manager_->end_epoch(block.ksr.value, grown);
    }
    manager_->end_epoch();
  }
  epoch_end_ = now + (manager_->epoch() - now.value % manager_->epoch());
}

bool SmCore::can_step_swap() const {
  return !to_swap_.empty() && lsu_.has_room() && lsu_.has_entry();
}

Cycle SmCore::next_swap(Cycle now) const {
  if (can_step_swap()) return now + 1;
  return maps_ && resident_ > 0 ? epoch_end_ : Cycle::never();
}

// Ends the epoch, and passes the oldest transfer on, before the instructions that have their operands.
void SmCore::step_swap(Cycle now) {
  if (maps_ && now >= epoch_end_) end_epoch(now);
  if (!can_step_swap()) return;
  const SwapTransfer& transfer = to_swap_.front().transfer;
  const MemoryOwner owner{transfer.warp, 0, to_swap_.front().ksr, to_swap_.front().context};
  const std::uint32_t lines = transfer.bytes / kLineBytes;
  lsu_.enter(to_swap_.front().is_saved
                 ? lsu_.prepare_saved(transfer.is_load, transfer.address, lines, owner, now)
                 : lsu_.prepare_swap(transfer.is_load, transfer.address, lines, owner, now),
             now);
  to_swap_.pop_front();
}

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
                        block.ksr,
                        block.context,
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
  saved.work = block.work;
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
