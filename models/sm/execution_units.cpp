#include "models/sm/execution_units.h"

#include <algorithm>

namespace heddle {

ExecutionUnits::ExecutionUnits(const CycleSmSpec& spec)
    : operations_(spec.operations),
      writebacks_(spec.writebacks),
      near_(kNear, spec.writebacks),
      far_(kFar, spec.writebacks),
      postponed_(kFar * spec.writebacks) {
  std::uint32_t pipelines = 0;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    kinds_[i] = {pipelines, spec.units[i].count, spec.units[i].ports};
    pipelines += spec.units[i].count;
  }
  free_at_.resize(pipelines);
}

void ExecutionUnits::dispatch(OperandCollector& collector, Cycle now) {
  if (postponed_.size() >= writebacks_) return;
  constexpr std::uint32_t kAlus = (1u << static_cast<std::uint32_t>(UnitKind::kMemory)) - 1;
  for (std::uint32_t ready = collector.ready_kinds() & kAlus; ready != 0; ready &= ready - 1) {
    const auto i = static_cast<std::size_t>(__builtin_ctz(ready));
    const auto unit = static_cast<UnitKind>(i);
    for (std::uint32_t port = 0; port < kinds_[i].ports && collector.has_ready(unit); ++port) {
      if (!enter(kinds_[i], collector.ready(unit), now)) break;
      collector.leave(unit);
    }
  }
}

bool ExecutionUnits::enter(const Kind& kind, const InFlight& instruction, Cycle now) {
  const OperationSpec& operation = operations_[static_cast<std::size_t>(instruction.code->operation)];
  const Cycle due = now + operation.latency;
  if (due_at(due) >= writebacks_) return false;
  for (std::uint32_t i = 0; i < kind.count; ++i) {
    Cycle& free_at = free_at_[kind.first + i];
    if (free_at > now) continue;
    free_at = now + operation.interval;
    (operation.latency < kNear ? near_ : far_).enter(due, instruction);
    return true;
  }
  return false;
}

Cycle ExecutionUnits::next_dispatch(const OperandCollector& collector, Cycle now) const {
  Cycle next = Cycle::never();
  for (std::size_t i = 0; i < static_cast<std::size_t>(UnitKind::kMemory); ++i) {
    if (!collector.has_ready(static_cast<UnitKind>(i))) continue;
    for (std::uint32_t p = 0; p < kinds_[i].count; ++p)
      next = std::min(next, std::max(free_at_[kinds_[i].first + p], now + 1));
  }
  return next;
}

Cycle ExecutionUnits::next_result(Cycle from) const {
  if (!postponed_.empty()) return from;
  return std::min(near_.next(from), far_.next(from));
}

}  // namespace heddle
