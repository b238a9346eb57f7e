#pragma once
// The OperandCollector reads the source registers between issue and execution. An instruction waits at the
// port of its unit and then holds a collector until all its source registers have been read and its unit
// takes it. It reads from the cycle on in which it gets the collector, or, with a collect latency, from the
// next one.
//
// When an instruction gets its collector, everything that follows is booked at once: the cycles of its reads,
// and of an arithmetic instruction the cycle in which the unit takes it and the one of its result. Nothing is
// moved between these cycles. An instruction that gets its collector earlier comes first at every bank. Of a
// memory instruction the reads alone are booked, because the load/store unit takes it when it has room.

#include <cstdint>
#include <vector>

#include "models/core/base/ring.h"
#include "models/sm/collector/execution_units.h"
#include "models/sm/pipeline/warp_tracer.h"

namespace heddle {

class OperandCollector {
 public:
  OperandCollector(const CycleSmSpec& spec, ExecutionUnits& units);  // `units` must outlive the collector
  void reset();                                                      // frees every port and collector
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  bool has_room(UnitKind unit) const { return (full_kinds_ & bit(unit)) == 0; }
  std::uint32_t full_kinds() const { return full_kinds_; }  // a bit for each unit whose port is full
  // Takes an instruction that issues in the cycle `now`. It gets a collector in the next cycle or later.
  void issue(const UnitInstruction& instruction, Cycle now);

  // Begins the cycle `now`, to which the units have advanced: the instructions that have waited at the ports
  // get the collectors that are free.
  void step(Cycle now) {
    entered_ = {};
    full_kinds_ = full_waiting_;
    if (waiting_kinds_ != 0) serve_waiting(now);
  }

  // The memory instructions that have read their operands before `now`, in that order.
  bool has_memory(Cycle now) const { return !memory_.empty() && memory_.front().read < now; }
  const UnitInstruction& memory() const { return memory_.front().instruction; }
  void leave_memory(Cycle now);  // the oldest one leaves its collector

  // Returns the next cycle at which step() may find a collector or the load/store unit an instruction, or
  // never. `memory_has_room` says whether the load/store unit can take an instruction.
  Cycle next_wake(bool memory_has_room, Cycle now) const;

 private:
  struct Kind {
    explicit Kind(const UnitSpec& spec) : port(spec.ports), free(spec.collectors) {}
    Ring<UnitInstruction> port;  // those that wait for a collector since an earlier cycle, or find none free
    std::uint32_t free;          // free collectors
  };
  struct Reading {
    UnitInstruction instruction;
    Cycle read;  // of the last operand
  };

  static std::uint32_t bit(UnitKind unit) { return 1u << static_cast<std::uint32_t>(unit); }
  Kind& kind(UnitKind unit) { return kinds_[static_cast<std::size_t>(unit)]; }
  void wait(const UnitInstruction& instruction);
  void serve_waiting(Cycle now);
  void hold_memory(const UnitInstruction& instruction, Cycle read);
  void allocate(const UnitInstruction& instruction, Cycle now);

  const std::vector<UnitSpec> specs_;
  const std::uint32_t collect_latency_;
  ExecutionUnits& units_;
  // A port holds the instructions that wait, and those that have issued in this cycle.
  std::uint32_t full_kinds_ = 0;
  std::uint32_t full_waiting_ = 0;   // a bit for each unit at whose port as many wait as it holds
  std::uint32_t waiting_kinds_ = 0;  // a bit for each unit at whose port an instruction waits
  std::array<std::uint8_t, kUnitKinds> entered_{};  // by unit: got a collector and issued in this cycle
  std::vector<Kind> kinds_;
  Ring<Reading> memory_;          // with a collector, in the order of `read`
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

inline void OperandCollector::issue(const UnitInstruction& instruction, Cycle now) {
  const auto unit = static_cast<std::size_t>(instruction.unit);
  Kind& k = kinds_[unit];
  if (k.port.empty()) {
    if (k.free == 0) k.free = units_.taken(instruction.unit, now + 1);
    if (k.free > 0) {
      --k.free;
      if (++entered_[unit] == k.port.capacity()) full_kinds_ |= bit(instruction.unit);
      return allocate(instruction, now + 1);
    }
  }
  wait(instruction);
}

inline void OperandCollector::allocate(const UnitInstruction& instruction, Cycle now) {
  const Cycle read = units_.read(instruction, now + collect_latency_);
  if (tracer_ != nullptr) tracer_->read(instruction, read);
  if (instruction.unit == UnitKind::kMemory)
    hold_memory(instruction, read);
  else
    units_.book(instruction, read);
}

}  // namespace heddle
