#include "models/sm/residence/managed_resources.h"

#include <algorithm>

namespace heddle {

ManagedResources::ManagedResources(const SmLimits& limits, std::uint32_t ksrs, const Deps& deps, Group& stats)
    : limits_(limits), deps_(deps), maps_(deps.manager.maps()), kernels_(ksrs) {
  if (maps_) stats_.declare(stats);
  reset();
}

void ManagedResources::reset() {
  std::fill(kernels_.begin(), kernels_.end(), Kernel{});
  set_up_.clear();
  schedulable_ = 0;
  has_changed_ = false;
  registers_ = shared_bytes_ = 0;
  epoch_end_ = Cycle{deps_.manager.epoch()};
}

// A phase needs no more than what the launch states.
void ManagedResources::set_kernel(KsrId ksr, const KernelLaunch& launch, const KernelProgram& program) {
  Kernel& kernel = kernels_[ksr.value] = Kernel{};
  const BlockShape& shape = launch.shape;
  if (deps_.manager.uses_phases()) kernel.phases = program.phases();
  if (kernel.phases.empty()) kernel.phases.push_back({shape.registers_per_thread, shape.shared_bytes});
  for (PhaseNeeds& needs : kernel.phases) {
    needs.registers_per_thread = std::min(needs.registers_per_thread, shape.registers_per_thread);
    needs.shared_bytes = std::min(needs.shared_bytes, shape.shared_bytes);
  }
  if (deps_.accounts.on()) kernel.last_epochs = deps_.accounts.stalls(ksr);
  deps_.manager.set_kernel(ksr.value, resources_of(shape, limits_).warps, kernel.phases.front());
  if (std::find(set_up_.begin(), set_up_.end(), ksr) == set_up_.end()) set_up_.push_back(ksr);
  has_changed_ = true;
}

void ManagedResources::start_block(const ResidentBlock& block) {
  Kernel& kernel = kernels_[block.ksr.value];
  ++kernel.started;
  deps_.manager.start_block(block.ksr.value, deps_.table.slot_of(block), block.running,
                            kernel.phases.front());
  update();
}

void ManagedResources::resume_block(const ResidentBlock& block) {
  Kernel& kernel = kernels_[block.ksr.value];
  ++kernel.started;
  std::array<PhaseNeeds, kMostWarps> needs;
  for_each_slot(block.running,
                [&](std::uint32_t slot) { needs[slot] = kernel.phases[deps_.table.warps[slot].phase]; });
  deps_.manager.resume_block(block.ksr.value, deps_.table.slot_of(block), block.running, needs,
                             deps_.table.at_barrier & block.running);
  update();
}

void ManagedResources::end_block(std::uint32_t block) {
  deps_.manager.end_block(block);
  update();
}

void ManagedResources::remove_block(std::uint32_t block) {
  deps_.manager.remove_block(block);
  update();
}

void ManagedResources::wait(std::uint32_t slot) {
  deps_.manager.wait(slot);
  update();
}

void ManagedResources::go_on(WarpMask warps) {
  deps_.manager.go_on(warps);
  update();
}

void ManagedResources::set_at_fence(std::uint32_t slot, bool waits) {
  const WarpMask me = bit(slot);
  if (waits == ((deps_.table.at_fence & me) != 0)) return;
  deps_.table.at_fence ^= me;
  if (waits)
    wait(slot);
  else
    go_on(me);
}

void ManagedResources::start_phase(std::uint32_t slot, std::uint8_t phase) {
  deps_.table.warps[slot].phase = phase;
  deps_.manager.start_phase(slot, kernels_[deps_.table.block_of(slot).ksr.value].phases[phase]);
  update();
}

void ManagedResources::update() {
  ResidentTable& table = deps_.table;
  const WarpMask schedulable = table.live & deps_.manager.schedulable();
  const WarpMask resumed = schedulable & ~schedulable_;
  const WarpMask pending = table.live & ~(table.at_barrier | table.at_fence | schedulable);
  schedulable_ = schedulable;
  has_changed_ = true;
  registers_ = deps_.manager.registers_in_use();
  shared_bytes_ = deps_.manager.shared_bytes_in_use();
  if (maps_) move();
  if (pending != table.pending) {
    table.pending = pending;
    table.update_derived();
    for (const ResidentBlock& block : table.blocks)
      if (block.stream != nullptr) deps_.accounts.set_warps(block.ksr, block.running, table.awake);
  }
  if (maps_ && resumed != 0) pipeline_->resume(resumed);
}

ResourceManager::Lanes ManagedResources::access_shared(std::uint32_t slot, ResourceManager::Lanes lanes,
                                                       ResourceManager::Addresses& addresses) {
  const ResourceManager::Lanes swapped = deps_.manager.access_shared(slot, lanes, addresses);
  move();
  return swapped;
}

void ManagedResources::move() {
  std::vector<SwapTransfer>& transfers = deps_.manager.transfers();
  for (const SwapTransfer& transfer : transfers) {
    const ResidentBlock& block = deps_.table.blocks[transfer.block];
    pipeline_->move({transfer, {transfer.warp, block.context, block.account}, false});
  }
  transfers.clear();
}

// The manager hears of the epoch of each kernel with a block on the SM. An SM without blocks may sleep over
// the ends of epochs.
void ManagedResources::end_epoch(Cycle now) {
  ResourceManager& manager = deps_.manager;
  if (now == epoch_end_ && deps_.table.resident > 0) {
    std::vector<bool>& ended = kernels_in_epoch_;
    ended.assign(kernels_.size(), false);
    for (const ResidentBlock& block : deps_.table.blocks) {
      if (block.stream == nullptr || ended[block.ksr.value]) continue;
      ended[block.ksr.value] = true;
      KernelStalls& before = kernels_[block.ksr.value].last_epochs;
      const KernelStalls stalls = deps_.accounts.stalls(block.ksr);
      KernelStalls grown = stalls;
      grown -= before;
      before = stalls;
      manager.end_epoch(block.ksr.value, grown);
    }
    manager.end_epoch();
  }
  epoch_end_ = now + (manager.epoch() - now.value % manager.epoch());
}

// The room of every kernel changes when one of them takes resources. An SM without blocks takes one of any
// kernel, which then runs on what there is.
void ManagedResources::tell_each(Cycle now) {
  has_changed_ = false;
  deps_.listener.resources_changed(registers_, shared_bytes_, now);
  for (const KsrId ksr : set_up_) {
    Kernel& kernel = kernels_[ksr.value];
    const std::uint32_t more = deps_.manager.room(ksr.value);
    const std::uint64_t room = kernel.started + (deps_.table.resident == 0 ? std::max(1u, more) : more);
    if (room == kernel.last_room) continue;
    kernel.last_room = room;
    deps_.listener.room_changed(ksr, room);
  }
}

}  // namespace heddle
