#pragma once
// The arithmetic pipelines and the result buses. A pipeline takes an instruction every initiation interval;
// its result is due `latency` cycles after, on a bus slot that is reserved when it enters.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/ids.h"
#include "models/core/ring.h"
#include "models/sm/cycle_spec.h"
#include "models/sm/operand_collector.h"
#include "models/sm/result_calendar.h"

namespace heddle {

class ExecutionUnits {
 public:
  explicit ExecutionUnits(const CycleSmSpec& spec);

  // Takes what is ready in the collectors into the pipelines, as far as they and the buses have room.
  void dispatch(OperandCollector& collector, Cycle now);
  // When dispatch() may find something it could not take at `now`, or never.
  Cycle next_dispatch(const OperandCollector& collector, Cycle now) const;

  // Calls done(InFlight) for the results due at `now`, at most `writebacks` of them and of different banks;
  // the others are due a cycle later. Returns the register banks they write.
  template <class Done>
  std::uint32_t write_back(const OperandCollector& collector, Cycle now, Done done);
  // The earliest cycle a result is due, from `from` on, or never.
  Cycle next_result(Cycle from) const;

 private:
  // Most results are due soon: a small ring for those stays in the host's nearest cache.
  static constexpr std::uint32_t kNear = 64;
  static constexpr std::size_t kFar = 1024;
  static_assert(kMostLatency < kFar);

  struct Kind {
    std::uint32_t first = 0;  // its pipelines in free_at_
    std::uint32_t count = 0;
    std::uint32_t ports = 0;
  };

  static std::uint32_t banks_written(const OperandCollector& collector, const InFlight& instruction) {
    std::uint32_t banks = 0;
    for (std::uint32_t i = 0; i < instruction.code->destinations; ++i)
      banks |= 1u << collector.bank_of(instruction.code->destination[i], instruction.warp);
    return banks;
  }
  bool enter(const Kind& kind, const InFlight& instruction, Cycle now);
  std::uint32_t due_at(Cycle cycle) const {
    return near_.count(cycle) + (far_.size() == 0 ? 0 : far_.count(cycle));
  }

  std::array<OperationSpec, kOperations> operations_;
  std::array<Kind, kUnitKinds> kinds_;
  std::vector<Cycle> free_at_;  // by pipeline
  std::uint32_t writebacks_;
  ResultCalendar near_;
  ResultCalendar far_;
  Ring<InFlight> postponed_;  // due, but the bus or the bank was taken; oldest first
};

template <class Done>
std::uint32_t ExecutionUnits::write_back(const OperandCollector& collector, Cycle now, Done done) {
  if (postponed_.empty() && due_at(now) == 0) return 0;
  std::uint32_t banks = 0;
  std::uint32_t written = 0;
  const auto write = [&](const InFlight& instruction) {
    const std::uint32_t mine = banks_written(collector, instruction);
    if (written == writebacks_ || (banks & mine) != 0) return false;
    banks |= mine;
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
  for (ResultCalendar* calendar : {&near_, &far_}) {
    if (calendar->size() == 0) continue;
    const std::uint32_t count = calendar->count(now);
    if (count == 0) continue;
    const InFlight* due = &calendar->at(now, 0);
    for (std::uint32_t i = 0; i < count; ++i)
      if (!write(due[i])) postponed_.push(due[i]);
    calendar->clear(now);
  }
  return banks;
}

}  // namespace heddle
