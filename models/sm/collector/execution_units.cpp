#include "models/sm/collector/execution_units.h"

#include <algorithm>

namespace heddle {

ExecutionUnits::ExecutionUnits(const CycleSmSpec& spec)
    : writebacks_(spec.writebacks),
      near_(spec.writebacks),
      far_(spec.writebacks),
      postponed_(kFar * spec.writebacks) {
  for (std::size_t i = 0; i < kUnitKinds; ++i) kinds_[i] = {spec.units[i].ports, spec.units[i].count, 0, {}};
  for (std::size_t i = 0; i < kOperations; ++i)
    timings_[i] = {spec.operations[i].latency + spec.dispatch_latency + spec.result_latency,
                   spec.operations[i].interval};
}

void ExecutionUnits::reset() {
  near_.reset();
  far_.reset();
  postponed_.clear();
  for (Kind& kind : kinds_) {
    kind.intervals = 0;
    kind.free_at.fill(Cycle{});
  }
}

inline Cycle* ExecutionUnits::free_pipeline(Kind& kind, Cycle now) {
  for (std::uint32_t i = 0; i < kind.pipelines; ++i)
    if (kind.free_at[i] <= now) return &kind.free_at[i];
  return nullptr;
}

void ExecutionUnits::dispatch(OperandCollector& collector, Cycle now) {
  if (postponed_.size() >= writebacks_) return;
  constexpr std::uint32_t kAlus = (1u << static_cast<std::uint32_t>(UnitKind::kMemory)) - 1;
  for (std::uint32_t ready = collector.ready_kinds() & kAlus; ready != 0; ready &= ready - 1) {
    const auto i = static_cast<std::size_t>(__builtin_ctz(ready));
    const auto unit = static_cast<UnitKind>(i);
    Kind& kind = kinds_[i];
    for (std::size_t left = std::min<std::size_t>(kind.ports, collector.ready_count(unit)); left > 0;
         --left) {
      const InFlight& instruction = collector.ready(unit);
      const Timing& timing = timings_[static_cast<std::size_t>(instruction.operation)];
      std::uint32_t latency = timing.latency;
      std::uint32_t busy = timing.interval;
      if (unit == UnitKind::kTensor) {
        busy *= instruction.code->repeats;
        latency += busy - timing.interval;
      }
      const Cycle due = now + latency;
      if (due_at(due) >= writebacks_) break;
      Cycle* free_at = free_pipeline(kind, now);
      if (free_at == nullptr) break;
      *free_at = now + busy;
      kind.intervals += busy;
      if (latency < kNear)
        near_.enter(due, instruction);
      else
        far_.enter(due, instruction);
      collector.leave(unit);
    }
  }
}

Cycle ExecutionUnits::next_dispatch(const OperandCollector& collector, Cycle now) const {
  Cycle next = Cycle::never();
  for (std::size_t i = 0; i < static_cast<std::size_t>(UnitKind::kMemory); ++i) {
    if (!collector.has_ready(static_cast<UnitKind>(i))) continue;
    for (std::uint32_t p = 0; p < kinds_[i].pipelines; ++p)
      next = std::min(next, std::max(kinds_[i].free_at[p], now + 1));
  }
  return next;
}

Cycle ExecutionUnits::next_result(Cycle from) const {
  if (!postponed_.empty()) return from;
  return std::min(near_.next(from), far_.next(from));
}

std::uint64_t ExecutionUnits::busy_cycles(UnitKind unit, Cycle now) const {
  const Kind& kind = kinds_[static_cast<std::size_t>(unit)];
  std::uint64_t to_come = 0;
  for (std::uint32_t i = 0; i < kind.pipelines; ++i) to_come += std::max(kind.free_at[i], now) - now;
  return kind.intervals - to_come;
}

}  // namespace heddle
