#include "models/sm/collector/operand_collector.h"

#include <algorithm>

namespace heddle {

OperandCollector::OperandCollector(const CycleSmSpec& spec, ExecutionUnits& units)
    : specs_(spec.units.begin(), spec.units.end()),
      collect_latency_(spec.collect_latency),
      units_(units),
      memory_(spec.unit(UnitKind::kMemory).collectors) {
  for (const UnitSpec& unit : specs_) kinds_.emplace_back(unit);
}

void OperandCollector::reset() {
  full_kinds_ = full_waiting_ = waiting_kinds_ = 0;
  entered_ = {};
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    kinds_[i].port.clear();
    kinds_[i].free = specs_[i].collectors;
  }
  memory_.clear();
}

void OperandCollector::wait(const UnitInstruction& instruction) {
  const auto unit = static_cast<std::size_t>(instruction.unit);
  Kind& k = kinds_[unit];
  k.port.push() = instruction;
  waiting_kinds_ |= bit(instruction.unit);
  if (k.port.full()) full_waiting_ |= bit(instruction.unit);
  if (k.port.size() + entered_[unit] >= k.port.capacity()) full_kinds_ |= bit(instruction.unit);
}

void OperandCollector::serve_waiting(Cycle now) {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1) {
    const auto unit = static_cast<UnitKind>(__builtin_ctz(waiting));
    Kind& k = kind(unit);
    k.free += units_.taken(unit, now);
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(k.port.size(), k.free));
    if (count == 0) continue;
    k.free -= count;
    full_waiting_ &= ~bit(unit);
    for (std::uint32_t i = 0; i < count; ++i) allocate(k.port[i], now);
    k.port.pop(count);
    if (k.port.empty()) waiting_kinds_ &= ~bit(unit);
  }
  full_kinds_ = full_waiting_;
}

void OperandCollector::hold_memory(const UnitInstruction& instruction, Cycle read) {
  memory_.push({instruction, read});
  for (std::size_t i = memory_.size() - 1; i > 0 && memory_[i - 1].read > memory_[i].read; --i)
    std::swap(memory_[i - 1], memory_[i]);
}

void OperandCollector::leave_memory(Cycle now) {
  if (tracer_ != nullptr) tracer_->dispatch(memory_.front().instruction, now);
  memory_.pop();
  ++kind(UnitKind::kMemory).free;
}

Cycle OperandCollector::next_wake(bool memory_has_room, Cycle now) const {
  Cycle next = Cycle::never();
  if (!memory_.empty() && memory_has_room) next = std::max(memory_.front().read, now) + 1;
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1) {
    const auto unit = static_cast<std::uint32_t>(__builtin_ctz(waiting));
    next =
        std::min(next, kinds_[unit].free > 0 ? now + 1 : units_.next_taken(static_cast<UnitKind>(unit), now));
  }
  return next;
}

}  // namespace heddle
