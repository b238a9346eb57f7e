#pragma once
// The arithmetic pipelines and the result buses. A pipeline takes an instruction every initiation interval;
// its result is due `latency` cycles after, on a bus slot that is reserved when it enters.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"
#include "models/sm/cycle_spec.h"
#include "models/sm/operand_collector.h"
#include "models/sm/result_calendar.h"

namespace heddle {

class ExecutionUnits {
 public:
  explicit ExecutionUnits(const CycleSmSpec& spec);  // which must live as long
  void reset();                                      // Every pipeline and bus is free afterwards.

  // Takes what is ready in the collectors into the pipelines, as far as they and the buses have room.
  void dispatch(OperandCollector& collector, Cycle now);
  // When dispatch() may find something it could not take at `now`, or never.
  Cycle next_dispatch(const OperandCollector& collector, Cycle now) const;

  // Calls done(InFlight) for the results due at `now`, at most `writebacks` of them and of different banks;
  // the others are due a cycle later. Returns the register banks they write.
  template <class Done>
  BankCounts write_back(const OperandCollector& collector, Cycle now, Done done);
  // The earliest cycle a result is due, from `from` on, or never.
  Cycle next_result(Cycle from) const;

  // Cycles before `now`, summed over the unit's pipelines, in which one of them could take no instruction:
  // the initiation interval of the last one had not passed.
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const;

 private:
  // Most results are due soon: a small ring for those stays in the host's nearest cache.
  static constexpr std::size_t kNear = 64;
  static constexpr std::size_t kFar = 1024;
  static_assert(kMostLatency < kFar);

  struct Kind {
    std::uint32_t ports = 0;
    std::uint32_t pipelines = 0;
    std::uint64_t intervals = 0;                // of all instructions taken
    std::array<Cycle, kMostPipelines> free_at;  // by pipeline
  };

  static Cycle* free_pipeline(Kind& kind, Cycle now);
  std::uint32_t due_at(Cycle cycle) const {
    return near_.count(cycle) + (far_.empty() ? 0 : far_.count(cycle));
  }

  const std::array<OperationSpec, kOperations>& operations_;
  std::uint32_t writebacks_;
  ResultCalendar<kNear> near_;
  std::array<Kind, kUnitKinds> kinds_;
  ResultCalendar<kFar> far_;
  Ring<InFlight> postponed_;  // due, but the bus or the bank was taken; oldest first
};

template <class Done>
BankCounts ExecutionUnits::write_back(const OperandCollector& collector, Cycle now, Done done) {
  if (postponed_.empty() && due_at(now) == 0) return {};
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
