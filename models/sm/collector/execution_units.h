#pragma once
// The ExecutionUnits are the arithmetic pipelines and the result buses. A pipeline takes one instruction in
// each initiation interval, and a product of matrices takes as many intervals as it says. The result of an
// instruction is due when the dispatch latency, the latency of its operation and the result latency have
// passed since it left its collector, in a slot of a result bus that is reserved when it leaves. The stages
// before and behind a pipeline move in every cycle: an instruction leaves its collector only if the pipeline
// will be free.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"
#include "models/sm/collector/operand_collector.h"
#include "models/sm/collector/result_calendar.h"
#include "models/sm/spec/cycle_spec.h"

namespace heddle {

class ExecutionUnits {
 public:
  explicit ExecutionUnits(const CycleSmSpec& spec);
  void reset();  // frees every pipeline and bus

  // Moves ready instructions from the collectors into the pipelines, as far as pipelines and buses have room.
  void dispatch(OperandCollector& collector, Cycle now);
  // Returns the next cycle at which dispatch() may take an instruction that it could not take at `now`, or
  // never.
  Cycle next_dispatch(const OperandCollector& collector, Cycle now) const;

  bool has_result(Cycle now) const { return !postponed_.empty() || due_at(now) != 0; }
  // Calls done(InFlight) for the results due at `now`: at most `writebacks` of them, and each to different
  // banks. The other results are due a cycle later. Returns the register banks that are written.
  template <class Done>
  BankCounts write_back(const OperandCollector& collector, Cycle now, Done done);
  // Returns the earliest cycle, `from` or later, at which a result is due, or never.
  Cycle next_result(Cycle from) const;

  // Returns the cycles before `now` in which a pipeline could take no instruction because the initiation
  // interval of the last one had not passed. They are summed over the unit's pipelines.
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const;

 private:
  // Most results are due soon. A small ring for these stays in the first-level cache of the host.
  static constexpr std::size_t kNear = 64;
  static constexpr std::size_t kFar = 1024;
  static_assert(kMostLatency + 2 * kMostStages < kFar);

  struct Kind {
    std::uint32_t ports = 0;
    std::uint32_t pipelines = 0;
    std::uint64_t intervals = 0;                // sum over all instructions taken
    std::array<Cycle, kMostPipelines> free_at;  // by pipeline
  };

  static Cycle* free_pipeline(Kind& kind, Cycle now);
  std::uint32_t due_at(Cycle cycle) const {
    return near_.count(cycle) + (far_.empty() ? 0 : far_.count(cycle));
  }

  struct Timing {
    std::uint32_t latency = 0;  // from the collector to the register file
    std::uint32_t interval = 0;
  };

  std::uint32_t writebacks_;
  std::array<Timing, kOperations> timings_;
  ResultCalendar<kNear> near_;
  std::array<Kind, kUnitKinds> kinds_;
  ResultCalendar<kFar> far_;
  Ring<InFlight> postponed_;  // results that are due and found no bus or bank; the oldest is first
};

template <class Done>
BankCounts ExecutionUnits::write_back(const OperandCollector& collector, Cycle now, Done done) {
  BankCounts banks;
  std::uint32_t written = 0;
  const auto write = [&](const InFlight& instruction) {
    const BankCounts mine = collector.banks_written(*instruction.code, instruction.warp);
    if (written == writebacks_ || banks.meets(mine)) return false;
    banks.merge(mine);
    ++written;
    done(instruction);
    return true;
  };
  if (!postponed_.empty()) {
    for (std::size_t i = 0; i < postponed_.size();)
      if (write(postponed_[i]))
        postponed_.remove(i);
      else
        ++i;
  }
  const auto write_due = [&](auto& calendar) {
    const std::uint32_t count = calendar.count(now);
    if (count == 0) return;
    const InFlight* due = calendar.at(now);
    for (std::uint32_t i = 0; i < count; ++i)
      if (!write(due[i])) postponed_.push() = due[i];
    calendar.clear(now);
  };
  write_due(near_);
  if (!far_.empty()) write_due(far_);
  return banks;
}

}  // namespace heddle
