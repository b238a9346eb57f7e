#pragma once
// The OperandCollector reads the source registers between issue and execution. An instruction waits at the
// port of its unit and then holds a collector until all its source registers have been read. It reads from
// the cycle on in which it gets the collector, or, with a collect latency, from the next one. Each bank
// serves one read a cycle. Instructions leave in the order in which their operands are complete. Writes of
// results use the banks first, and older instructions come before younger ones.

#include <cstdint>
#include <vector>

#include "models/core/base/bank_counts.h"
#include "models/core/base/ring.h"
#include "models/core/kernel/instruction.h"
#include "models/sm/spec/cycle_spec.h"
#include "models/stats/group.h"

namespace heddle {

// An InFlight is an instruction on its way through the SM. It has no padding, because the host copies it as
// one piece.
struct InFlight {
  const Instruction* code = nullptr;
  std::uint32_t entry = 0;  // entry of the load/store unit, for memory instructions
  std::uint16_t warp = 0;   // slot
  UnitKind unit = UnitKind::kSp;
  Operation operation = Operation::kNop;  // operation of `code`
};
static_assert(sizeof(InFlight) == 16);

class OperandCollector {
 public:
  // `stats` is the group of the SM.
  OperandCollector(const CycleSmSpec& spec, Group& stats);
  void reset();  // frees every port and collector

  // Returns the banks to which the result of the instruction is written.
  BankCounts banks_written(const Instruction& code, std::uint32_t warp) const {
    if (code.register_writes == 1) return BankCounts::of_one(code.written_bank, banks_, warp);
    return BankCounts::of(code.written_banks(), banks_, warp).once();
  }

  bool has_room(UnitKind unit) const { return (full_kinds_ & bit(unit)) == 0; }
  std::uint32_t full_kinds() const { return full_kinds_; }  // a bit for each unit whose port is full
  void issue(const InFlight& instruction) {
    Kind& k = kind(instruction.unit);
    k.port.push() = instruction;
    waiting_kinds_ |= bit(instruction.unit);
    if (k.port.full()) full_kinds_ |= bit(instruction.unit);
  }

  // Returns whether an instruction is at a port or reads. Without one, step() would change nothing.
  bool has_work() const { return (reading_ | waiting_kinds_) != 0; }
  // Performs one cycle: instructions move from the ports into free collectors, and registers are read from
  // the banks that are not in `busy_banks`.
  void step(BankCounts busy_banks);

  bool has_ready(UnitKind unit) const { return (ready_kinds_ & bit(unit)) != 0; }
  std::uint32_t ready_kinds() const { return ready_kinds_; }  // a bit for each unit with a ready instruction
  const InFlight& ready(UnitKind unit) const { return kind(unit).ready.front(); }
  const InFlight& ready(UnitKind unit, std::size_t i) const { return kind(unit).ready[i]; }  // 0: the oldest
  std::size_t ready_count(UnitKind unit) const { return kind(unit).ready.size(); }
  void leave(UnitKind unit) {
    Kind& k = kind(unit);
    k.ready.pop();
    ++k.free;
    ready_kinds_ &= ~(std::uint32_t{k.ready.empty()} << static_cast<std::uint32_t>(unit));
  }

  bool reading() const { return reading_ > 0; }
  bool port_waits() const;  // returns whether an instruction waits at a port and a collector is free for it

 private:
  // The size is a power of two, so that an index is a shift.
  struct alignas(128) Kind {
    Kind(std::uint32_t ports, std::uint32_t collectors) : port(ports), ready(collectors), free(collectors) {}
    void reset() {
      port.clear();
      ready.clear();
      free = static_cast<std::uint32_t>(ready.capacity());
    }
    Ring<InFlight> port;
    Ring<InFlight> ready;  // instructions whose operands have been read
    std::uint32_t free;    // free collectors
  };
  static std::uint32_t bit(UnitKind unit) { return 1u << static_cast<std::uint32_t>(unit); }
  const Kind& kind(UnitKind unit) const { return kinds_[static_cast<std::size_t>(unit)]; }
  Kind& kind(UnitKind unit) { return kinds_[static_cast<std::size_t>(unit)]; }
  void read(BankCounts& busy_banks);
  void take_out(std::uint64_t ended);
  void allocate(UnitKind unit, BankCounts& busy_banks);
  void make_ready(const InFlight& instruction) {
    kind(instruction.unit).ready.push() = instruction;
    ready_kinds_ |= bit(instruction.unit);
  }

  std::uint32_t banks_;
  bool reads_at_once_;  // in the cycle in which an instruction gets its collector
  std::uint32_t ready_kinds_ = 0;
  std::uint32_t full_kinds_ = 0;
  std::uint32_t waiting_kinds_ = 0;  // a bit for each unit with an instruction at its port
  std::vector<Kind> kinds_;
  // The first `reading_` elements are the instructions whose collectors still read, oldest first. `left_` has
  // the reads that each still needs.
  std::vector<InFlight> readings_;
  std::vector<BankCounts> left_;
  std::size_t reading_ = 0;
  std::uint64_t reads_left_ = 0;  // sum over `left_`
  Counter bank_conflicts_;
};

}  // namespace heddle
