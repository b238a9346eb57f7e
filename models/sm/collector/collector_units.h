#pragma once
// The CollectorUnits are what stands between issue and result on SMs from Fermi to Pascal: operand collectors
// in front of units that all schedulers share. An instruction without a conflict writes its result collect
// latency + dispatch latency + latency + result latency + 2 cycles after its issue, and an instruction that
// depends on it can issue in that cycle.

#include "models/sm/collector/execution_units.h"
#include "models/sm/collector/operand_collector.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/late_reads.h"
#include "models/sm/pipeline/load_write.h"

namespace heddle {

class CollectorUnits {
 public:
  // The control bits of instructions count, and memory instructions read their registers late.
  static constexpr bool kFollowsControlBits = false;
  // Whether a scheduler may issue several instructions of a warp in a cycle.
  static constexpr bool kIssuesSeveral = true;

  CollectorUnits(const CycleSmSpec& spec, Group& stats)
      : units_(spec, stats), collector_(spec, units_), memory_ports_(spec.unit(UnitKind::kMemory).ports) {}
  void reset() {
    units_.reset();
    collector_.reset();
  }
  void trace(WarpTracer& tracer) {
    collector_.trace(tracer);
    units_.trace(tracer);
  }

  // Each cycle begins with advance(), and has step() behind the memory instructions that leave.
  void advance(Cycle now) { units_.advance(now); }
  bool has_result(Cycle now) const { return units_.has_result(now); }
  // Calls done(warp, code) for each result that is due in the cycle `now`.
  template <class Done>
  void write_back(Cycle now, Done done) {
    units_.write_back(now, [&done](const UnitInstruction& one) { done(one.warp, *one.code, one.entry); });
  }
  void step(Cycle now) { collector_.step(now); }

  // The warps whose next instruction finds room at its unit.
  WarpMask open(std::size_t /*scheduler*/, const IssueTable& table, Cycle now) const {
    return open(table, now);
  }
  WarpMask open(const IssueTable& table, Cycle /*now*/) const {
    return ~table.with_next_on(collector_.full_kinds());
  }
  void issue(std::size_t /*scheduler*/, UnitInstruction instruction, Cycle now) {
    collector_.issue(instruction, now);
  }

  // Memory instructions that have their operands, at most so many in a cycle.
  std::uint32_t memory_ports() const { return memory_ports_; }
  bool has_memory(Cycle now) const { return collector_.has_memory(now); }
  UnitInstruction take_memory(Cycle now) {
    const UnitInstruction instruction = collector_.memory();
    collector_.leave_memory(now);
    return instruction;
  }
  LoadWrite write_load(const Instruction& code, std::uint32_t warp, Cycle now) {
    return units_.write_load(code, warp, now) ? LoadWrite::kDone : LoadWrite::kWaits;
  }
  const LateReads* reads() const { return nullptr; }

  // `memory_has_room` says whether the load/store unit can take an instruction.
  Cycle next_wake(WarpMask /*ready*/, const IssueTable& /*table*/, bool memory_has_room, Cycle now) const {
    return std::min(collector_.next_wake(memory_has_room, now), units_.next_wake(now));
  }
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const { return units_.busy_cycles(unit, now); }

 private:
  ExecutionUnits units_;
  OperandCollector collector_;
  const std::uint32_t memory_ports_;
};

}  // namespace heddle
