#include "policies/resource_manager/coordinator.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

constexpr std::array<Coordinator::Resource, Coordinator::kResources> kFromTheBack = {
    Coordinator::Resource::kRegisters, Coordinator::Resource::kSharedMemory, Coordinator::Resource::kSlots};

std::uint32_t lowest_of(Coordinator::WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_ctzll(mask));
}

std::uint32_t count_of(Coordinator::WarpMask mask) {
  return static_cast<std::uint32_t>(__builtin_popcountll(mask));
}

}  // namespace

Coordinator::Coordinator(const Spec& spec)
    : spec_(spec),
      tables_{MappingTable(spec.tables[0]), MappingTable(spec.tables[1]), MappingTable(spec.tables[2])},
      kernels_(MappingTable::kMostGroups),
      blocks_(spec.tables[index(Resource::kSharedMemory)].rows) {
  pending_.reserve(kMostWarps);
  serving_.reserve(kMostWarps);
  transfers_.reserve(kMostWarps);
  reset();
}

void Coordinator::reset() {
  for (MappingTable& table : tables_) table.reset();
  for (std::uint32_t kernel = 0; kernel < kernels_.size(); ++kernel) set_kernel(kernel);
  warps_.fill(Warp{});
  std::fill(blocks_.begin(), blocks_.end(), 0);
  live_ = schedulable_ = waiting_ = 0;
  pending_.clear();
  serving_.clear();
  transfers_.clear();
}

void Coordinator::set_kernel(std::uint32_t kernel) {
  kernels_[kernel] = Kernel{};
  for (std::size_t i = 0; i < kResources; ++i)
    kernels_[kernel].thresholds[i] = spec_.threshold * tables_[i].usable();
}

void Coordinator::start_block(std::uint32_t kernel, std::uint32_t block, WarpMask warps, const Needs& needs) {
  WarpNeeds needs_of_warps;
  for (WarpMask left = warps; left != 0; left &= left - 1) needs_of_warps[lowest_of(left)] = needs;
  resume_block(kernel, block, warps, needs_of_warps, 0);
}

void Coordinator::resume_block(std::uint32_t kernel, std::uint32_t block, WarpMask warps,
                               const WarpNeeds& needs, WarpMask waiting) {
  HEDDLE_CHECK(blocks_[block] == 0, "coordinator", Cycle{}, "logical block {} is in use", block);
  blocks_[block] = warps;
  live_ |= warps;
  mapping(Resource::kSharedMemory).set_group(block, kernel);
  for (; warps != 0; warps &= warps - 1) {
    const std::uint32_t warp = lowest_of(warps);
    warps_[warp] = {block, kernel, needs[warp], false};
    mapping(Resource::kSlots).set_group(warp, kernel);
    mapping(Resource::kRegisters).set_group(warp, kernel);
    if (spec_.waiting_warps_release_slots && (waiting & bit(warp)) != 0)
      waiting_ |= bit(warp);
    else
      queue(warp);
  }
  serve_queues();
}

void Coordinator::remove_block(std::uint32_t block) {
  const WarpMask warps = blocks_[block];
  for (WarpMask* mask : {&live_, &schedulable_, &waiting_}) *mask &= ~warps;
  const auto is_of_block = [&](std::uint8_t warp) { return (warps & bit(warp)) != 0; };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_of_block), pending_.end());
  for (WarpMask left = warps; left != 0; left &= left - 1) {
    mapping(Resource::kSlots).give_back_all(lowest_of(left));
    mapping(Resource::kRegisters).give_back_all(lowest_of(left));
    warps_[lowest_of(left)].is_stored = false;
  }
  blocks_[block] = 0;
  end_block(block);
}

void Coordinator::start_phase(std::uint32_t warp, const Needs& needs) {
  warps_[warp].needs = needs;
  free_registers(warp);
  free_shared_memory(warps_[warp].block);
  if (lacks_any(warp)) queue(warp);
  serve_queues();
}

void Coordinator::wait(std::uint32_t warp) {
  if (!spec_.waiting_warps_release_slots) return;
  schedulable_ &= ~bit(warp);
  waiting_ |= bit(warp);
  serve_queues();
}

void Coordinator::go_on(WarpMask warps) {
  for (WarpMask left = warps & waiting_; left != 0; left &= left - 1) queue(lowest_of(left));
  waiting_ &= ~warps;
  serve_queues();
}

void Coordinator::end_warp(std::uint32_t warp) {
  live_ &= ~bit(warp);
  schedulable_ &= ~bit(warp);
  waiting_ &= ~bit(warp);
  pending_.erase(std::remove(pending_.begin(), pending_.end(), warp), pending_.end());
  blocks_[warps_[warp].block] &= ~bit(warp);
  mapping(Resource::kSlots).give_back_all(warp);
  mapping(Resource::kRegisters).give_back_all(warp);
  serve_queues();
}

void Coordinator::end_block(std::uint32_t block) {
  HEDDLE_CHECK(blocks_[block] == 0, "coordinator", Cycle{}, "logical block {} has warps", block);
  mapping(Resource::kSharedMemory).give_back_all(block);
  serve_queues();
}

void Coordinator::end_epoch(std::uint32_t kernel, std::uint64_t idle_cycles, std::uint64_t memory_cycles) {
  Kernel& own = kernels_[kernel];
  const auto excess = [](std::uint64_t more, std::uint64_t than) {
    return static_cast<double>(more) - static_cast<double>(than);
  };
  double difference = excess(idle_cycles, memory_cycles);
  if (spec_.compares_changes) difference -= excess(own.idle_cycles, own.memory_cycles);
  for (std::size_t i = 0; i < kResources; ++i) {
    const double step = spec_.threshold_step * tables_[i].usable();
    double& threshold = own.thresholds[i];
    if (difference > spec_.least_difference) threshold += step;
    if (-difference > spec_.least_difference) threshold = std::max(0.0, threshold - step);
  }
  own.idle_cycles = idle_cycles;
  own.memory_cycles = memory_cycles;
}

void Coordinator::end_epoch() {
  for (MappingTable& table : tables_) table.end_epoch();
}

std::uint32_t Coordinator::free_slots() const {
  WarpMask without = waiting_;  // the warps that hold no slot and wait for none
  if (!spec_.waiting_slots_are_free)
    for (WarpMask left = waiting_; left != 0; left &= left - 1)
      if (has_slot(lowest_of(left))) without &= ~bit(lowest_of(left));
  const std::uint32_t slots = table(Resource::kSlots).usable();
  return slots - std::min(slots, count_of(live_ & ~without));
}

bool Coordinator::access(Resource resource, std::uint32_t row, std::uint32_t column) {
  MappingTable& sets = mapping(resource);
  if (sets.access(row, column)) return true;
  if (spec_.swapped_sets == SwappedSets::kAccessedInPlace) return false;
  if (sets.free() > 0) {
    sets.fetch(row, column);
  } else {
    if (spec_.swapped_sets != SwappedSets::kExchanged) return false;
    const auto replaced = sets.exchange(row, column);
    if (!replaced) return false;
    transfers_.push_back({resource, false, replaced->row, replaced->column});
  }
  transfers_.push_back({resource, true, row, column});
  return false;
}

bool Coordinator::has_slot(std::uint32_t warp) const {
  const MappingTable& slots = table(Resource::kSlots);
  return slots.held(warp) > 0 && !slots.is_swapped(warp, 0);
}

bool Coordinator::lacks(Resource resource, std::uint32_t warp) const {
  const Warp& own = warps_[warp];
  if (resource == Resource::kSlots) return !has_slot(warp);
  if (resource == Resource::kRegisters) return table(resource).held(warp) < own.needs.register_sets;
  return table(resource).held(own.block) < own.needs.shared_sets;
}

bool Coordinator::lacks_any(std::uint32_t warp) const {
  return std::any_of(kFromTheBack.begin(), kFromTheBack.end(),
                     [&](Resource resource) { return lacks(resource, warp); });
}

// Returns the queue of the first resource that the warp lacks, and the register queue if it lacks none.
Coordinator::Resource Coordinator::queue_of(std::uint32_t warp) const {
  if (lacks(Resource::kSlots, warp)) return Resource::kSlots;
  return lacks(Resource::kSharedMemory, warp) ? Resource::kSharedMemory : Resource::kRegisters;
}

void Coordinator::queue(std::uint32_t warp) {
  schedulable_ &= ~bit(warp);
  pending_.push_back(static_cast<std::uint8_t>(warp));
}

void Coordinator::serve_queues() {
  for (const Resource queue : kFromTheBack) {
    serving_.swap(pending_);
    pending_.clear();
    bool is_held_back = false;
    for (const std::uint8_t warp : serving_) {
      const bool is_here = !spec_.ordered_queues || queue_of(warp) == queue;
      if (is_here && !is_held_back && acquire(warp)) continue;
      pending_.push_back(warp);
      is_held_back = is_held_back || (is_here && spec_.strict_order);
    }
    if (!spec_.ordered_queues) return;
  }
}

// Allocates the slot, the shared memory and the registers that the warp lacks, and makes the warp
// schedulable. Returns false and allocates nothing if one of them is not available.
bool Coordinator::acquire(std::uint32_t warp) {
  const Warp& own = warps_[warp];
  const auto missing = [](std::uint32_t need, std::uint32_t held) { return need > held ? need - held : 0; };
  const std::uint32_t shared = missing(own.needs.shared_sets, table(Resource::kSharedMemory).held(own.block));
  const std::uint32_t registers = missing(own.needs.register_sets, table(Resource::kRegisters).held(warp));
  if (!may_have_slot(warp) || !may_take(Resource::kSharedMemory, own.kernel, shared) ||
      !may_take(Resource::kRegisters, own.kernel, registers))
    return false;
  if (!has_slot(warp)) take_slot(warp);
  take(Resource::kSharedMemory, own.block, shared);
  take(Resource::kRegisters, warp, registers);
  schedulable_ |= bit(warp);
  return true;
}

bool Coordinator::may_take(Resource resource, std::uint32_t kernel, std::uint32_t sets) const {
  const MappingTable& own = table(resource);
  if (sets <= own.free()) return true;
  if (!spec_.oversubscribes) return false;
  if (is_below_floor()) return true;
  return own.swapped_of_group(kernel) + (sets - own.free()) <= threshold(resource, kernel);
}

Coordinator::WarpMask Coordinator::counted_for_floor() const {
  if (spec_.floor_counts == FloorCounts::kResident) return live_;
  return spec_.floor_counts == FloorCounts::kHolding ? schedulable_ | waiting_ : schedulable_;
}

bool Coordinator::is_below_floor() const {
  if (spec_.floor <= 0) return false;
  return schedulable_ == 0 || count_of(counted_for_floor()) < spec_.floor * table(Resource::kSlots).usable();
}

bool Coordinator::may_have_slot(std::uint32_t warp) const {
  if (has_slot(warp)) return true;
  const MappingTable& slots = table(Resource::kSlots);
  if (slots.free() > 0) return true;
  for (WarpMask left = waiting_; left != 0; left &= left - 1)
    if (has_slot(lowest_of(left))) return true;
  return slots.held(warp) == 0 && may_take(Resource::kSlots, warps_[warp].kernel, 1);
}

void Coordinator::take_slot(std::uint32_t warp) {
  MappingTable& slots = mapping(Resource::kSlots);
  if (slots.free() == 0)
    for (WarpMask left = waiting_; left != 0 && slots.free() == 0; left &= left - 1)
      if (const std::uint32_t waiting = lowest_of(left); has_slot(waiting)) {
        slots.give_back(waiting);
        lose_slot(waiting);
      }
  if (slots.held(warp) > 0)
    slots.fetch(warp, 0);
  else if (const auto replaced = slots.take(warp))
    lose_slot(replaced->row);
  if (warps_[warp].is_stored) transfers_.push_back({Resource::kSlots, true, warp, 0});
  warps_[warp].is_stored = false;
}

void Coordinator::take(Resource resource, std::uint32_t row, std::uint32_t sets) {
  for (; sets > 0; --sets)
    if (const auto replaced = mapping(resource).take(row))
      transfers_.push_back({resource, false, replaced->row, replaced->column});
}

// Takes the slot from the warp. The state of the warp, its program counter and SIMT stack, is stored to
// memory.
void Coordinator::lose_slot(std::uint32_t warp) {
  warps_[warp].is_stored = true;
  transfers_.push_back({Resource::kSlots, false, warp, 0});
  if ((schedulable_ & bit(warp)) != 0) queue(warp);
}

// Frees the register sets of the warp that its present phase does not need.
void Coordinator::free_registers(std::uint32_t warp) {
  MappingTable& registers = mapping(Resource::kRegisters);
  while (registers.held(warp) > warps_[warp].needs.register_sets) registers.give_back(warp);
}

// Frees the shared-memory sets of the block that no warp of the block needs in its present phase.
void Coordinator::free_shared_memory(std::uint32_t block) {
  std::uint32_t most = 0;
  for (WarpMask left = blocks_[block]; left != 0; left &= left - 1)
    most = std::max(most, warps_[lowest_of(left)].needs.shared_sets);
  MappingTable& shared = mapping(Resource::kSharedMemory);
  while (shared.held(block) > most) shared.give_back(block);
}

bool Coordinator::closes() const {
  for (const MappingTable& table : tables_)
    if (!table.closes()) return false;
  for (WarpMask left = schedulable_; left != 0; left &= left - 1)
    if (lacks_any(lowest_of(left))) return false;
  return (schedulable_ & waiting_) == 0;
}

}  // namespace heddle
