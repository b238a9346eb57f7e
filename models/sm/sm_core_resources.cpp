// An SmCore asks its resource manager which warps can be scheduled, tells it what they access, and passes
// transfers of swap space on to the load/store unit.

#include <algorithm>

#include "models/sm/sm_core.h"

namespace heddle {

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
    to_swap_.push_back({transfer, {transfer.warp, block.context, block.account}, false});
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
  const MemoryOwner& owner = to_swap_.front().owner;
  const std::uint32_t lines = transfer.bytes / kLineBytes;
  lsu_.enter(to_swap_.front().is_saved
                 ? lsu_.prepare_saved(transfer.is_load, transfer.address, lines, owner, now)
                 : lsu_.prepare_swap(transfer.is_load, transfer.address, lines, owner, now),
             now);
  to_swap_.pop_front();
}

}  // namespace heddle
