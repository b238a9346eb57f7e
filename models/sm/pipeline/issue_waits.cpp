#include "models/sm/pipeline/issue_waits.h"

#include <algorithm>

namespace heddle {

IssueWaits::IssueWaits(const CycleSmSpec& spec, IssueTable& table, ManagedResources* managed,
                       const LateReads* reads)
    : issue_width_(spec.issue_width), table_(table), managed_(managed), reads_(reads) {
  for (std::size_t i = 0; i < kOperations; ++i)
    kinds_[i].value = static_cast<std::uint8_t>(
        is_memory(static_cast<Operation>(i)) ? UnitKind::kMemory : spec.operations[i].unit);
  if (managed != nullptr)
    for (Kind& kind : kinds_) kind.value |= Kind::kSpecial;
  for (const Operation operation :
       {Operation::kBarrier, Operation::kFence, Operation::kCopyCommit, Operation::kCopyWait,
        Operation::kBulkCopy, Operation::kBulkCommit, Operation::kBulkWait, Operation::kBulkReadWait,
        Operation::kTensorGroup, Operation::kProductCommit, Operation::kProductWait})
    kinds_[static_cast<std::size_t>(operation)].value |= Kind::kSpecial;
}

void IssueWaits::set_next(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  IssueMasks& next = table_.next;
  IssueWarp& warp = table_.warps[slot];
  if (warp.buffered == 0) {
    next.next_on[warp.next_on] &= ~me;
    next.buffered &= ~me;
    next.wait_alu &= ~me;
    next.wait_memory &= ~me;
    next.takes_turns &= ~me;
    return;
  }
  next.buffered |= me;
  if (takes_turns_) find_turn(slot);
  const auto unit = static_cast<std::uint8_t>(unit_of(*warp.buffer[0]));
  if (unit != warp.next_on) {
    next.next_on[warp.next_on] &= ~me;
    warp.next_on = unit;
  }
  next.next_on[unit] |= me;
  warp.next_is_plain = is_plain(*warp.buffer[0]);
  find_wait(slot);
}

void IssueWaits::follow(std::uint32_t slot, const ControlBits& control, Cycle now) {
  IssueWarp& warp = table_.warps[slot];
  if (control.write_counter < ControlBits::kCounters) ++warp.counters[control.write_counter];
  if (control.read_counter < ControlBits::kCounters) ++warp.counters[control.read_counter];
  std::uint32_t cycles = control.stall;
  if (control.yields && cycles <= 1) cycles = cycles == 0 ? ControlBits::kLongStall : 2;
  if (cycles > 1) stall(slot, now + cycles);
}

void IssueWaits::end_stalls(Cycle now) {
  stall_due_ = Cycle::never();
  for_each_slot(stalled_, [this, now](std::uint32_t slot) {
    if (stalled_until_[slot] > now) {
      stall_due_ = std::min(stall_due_, stalled_until_[slot]);
      return;
    }
    stalled_ &= ~bit(slot);
    if ((table_.next.buffered & bit(slot)) != 0) find_wait(slot);
  });
}

void IssueWaits::find_turn(std::uint32_t slot) {
  const WarpMask me = bit(slot);
  if (has_turn(table_.warps[slot]))
    table_.next.takes_turns |= me;
  else
    table_.next.takes_turns &= ~me;
}

bool IssueWaits::has_turn(const IssueWarp& warp) const {
  if (warp.buffer[0]->takes_turns) return true;
  for (std::uint32_t i = 1; i < issue_width_ && i < warp.buffered; ++i)
    if (warp.buffer[i]->takes_turns) return true;
  return false;
}

void IssueWaits::find_other_wait(std::uint32_t slot) {
  const Instruction& code = *table_.warps[slot].buffer[0];
  if (code.awaits || kind_of(code).is_special()) return find_special_wait(slot);
  find_register_wait(slot);
}

void IssueWaits::find_register_wait(std::uint32_t slot) {
  const IssueWarp& warp = table_.warps[slot];
  set_wait(slot, register_wait(slot, warp, *warp.buffer[0]), false);
}

Scoreboard::Wait IssueWaits::register_wait(std::uint32_t slot, const IssueWarp& warp,
                                           const Instruction& code) const {
  if ((stalled_ & bit(slot)) != 0) return {1, 0};
  if (has_control_bits(code)) {
    std::uint64_t waits = 0;
    for (std::uint32_t left = code.control.awaited; left != 0; left &= left - 1)
      waits |= warp.counters[static_cast<std::size_t>(__builtin_ctz(left))];
    return {waits, waits};
  }
  const Scoreboard::Wait wait = warp.scoreboard.wait(code);
  if (wait.pending == 0 && reads_ != nullptr && reads_->meet(slot, code)) return {1, 1};
  return wait;
}

void IssueWaits::find_special_wait(std::uint32_t slot) {
  const IssueWarp& warp = table_.warps[slot];
  const Instruction& code = *warp.buffer[0];
  Scoreboard::Wait wait = register_wait(slot, warp, code);
  const bool waits_for_group = warp.groups.waits(code);
  // The tensor unit has still to write registers, which the scoreboard does not know.
  const bool waits_for_products = waits_for_group && code.operation == Operation::kProductWait;
  if (waits_for_products) wait.pending = 1;
  const bool fenced = (code.operation == Operation::kFence && (warp.stores > 0 || warp.in_flight > 0)) ||
                      (waits_for_group && !waits_for_products) ||
                      (code.awaits && warp.stream->waits(warp.number));
  set_wait(slot, wait, fenced);
  if (managed_ == nullptr) return;
  managed_->set_at_fence(slot, fenced || waits_for_products);
  if (managed_->maps()) read_sources(slot, wait.pending == 0 && !fenced);
}

// The manager sees once that the next instruction of a warp reads its sources: in the cycle in which nothing
// else holds the instruction back. The warp then waits for those that are in swap space.
void IssueWaits::read_sources(std::uint32_t slot, bool can_read) {
  IssueWarp& warp = table_.warps[slot];
  if (can_read && !warp.sources_read && managed_->is_schedulable(slot)) {
    warp.sources_read = true;
    managed_->read_registers(slot, *warp.buffer[0]);
  }
  if (warp.swap_loads > 0) table_.next.wait_memory |= bit(slot);
}

}  // namespace heddle
