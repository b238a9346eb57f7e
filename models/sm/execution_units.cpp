#include "models/sm/execution_units.h"

#include <algorithm>

namespace heddle {

ExecutionUnits::ExecutionUnits(const CycleSmSpec& spec)
    : operations_(spec.operations),
      writebacks_(spec.writebacks),
      slots_(kSlots),
      postponed_(kSlots * spec.writebacks) {
  std::uint32_t pipelines = 0;
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    kinds_[i] = {pipelines, spec.units[i].count, spec.units[i].ports};
    pipelines += spec.units[i].count;
  }
  free_at_.resize(pipelines);
}

void ExecutionUnits::dispatch(OperandCollector& collector, Cycle now) {
  if (postponed_.size() >= writebacks_) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(UnitKind::kMemory); ++i) {
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
  if (slots_[due.value % kSlots].count >= writebacks_) return false;
  for (std::uint32_t i = 0; i < kind.count; ++i) {
    Cycle& free_at = free_at_[kind.first + i];
    if (free_at > now) continue;
    free_at = now + operation.interval;
    schedule(instruction, due);
    ++in_flight_;
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
  if (in_flight_ == 0) return Cycle::never();
  if (!postponed_.empty()) return from;
  for (std::size_t i = 0; i <= kSlots / 64; ++i) {
    const std::uint64_t at = from.value + i * 64 - (i == 0 ? 0 : from.value % 64);
    std::uint64_t word = occupied_[at % kSlots / 64];
    if (i == 0) word &= ~std::uint64_t{0} << (at % 64);
    if (word != 0) return Cycle{at - at % 64 + static_cast<std::uint64_t>(__builtin_ctzll(word))};
  }
  return Cycle::never();
}

}  // namespace heddle
