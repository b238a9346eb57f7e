#pragma once
// Between issue and execution: an instruction waits at its unit's port, holds a collector unit until its
// source registers have been read, one read per bank and cycle, then leaves in the order in which the
// collectors fill. Writes of results have their banks first, then older instructions.

#include <cstdint>
#include <vector>

#include "models/core/ring.h"
#include "models/sm/cycle_spec.h"

namespace heddle {

// An instruction on its way through the SM.
struct InFlight {
  const Instruction* code = nullptr;
  std::uint32_t warp = 0;   // slot
  std::uint32_t entry = 0;  // of the load/store unit, for memory instructions
};

class OperandCollector {
 public:
  explicit OperandCollector(const CycleSmSpec& spec);

  std::uint32_t bank_of(RegisterId id, std::uint32_t warp) const { return (id + warp) & (banks_ - 1); }

  bool has_room(UnitKind unit) const { return (full_kinds_ >> static_cast<std::uint32_t>(unit) & 1) == 0; }
  std::uint32_t full_kinds() const { return full_kinds_; }  // a bit for each unit whose port is full
  void issue(UnitKind unit, const InFlight& instruction) {
    Kind& k = kind(unit);
    k.port.push(instruction);
    waiting_kinds_ |= bit(unit);
    if (k.port.full()) full_kinds_ |= bit(unit);
  }

  // One cycle: instructions move from the ports into free collectors, and registers are read from the banks
  // that are not in `busy_banks`.
  void step(std::uint32_t busy_banks);

  bool has_ready(UnitKind unit) const { return (ready_kinds_ & bit(unit)) != 0; }
  std::uint32_t ready_kinds() const { return ready_kinds_; }  // a bit for each unit with something ready
  const InFlight& ready(UnitKind unit) const { return kind(unit).ready.front(); }
  void leave(UnitKind unit) {
    Kind& k = kind(unit);
    k.ready.pop();
    ++k.free;
    if (k.ready.empty()) ready_kinds_ &= ~bit(unit);
  }

  bool reading() const { return !reading_.empty(); }
  bool port_waits() const;                                          // and a collector is free for it
  std::uint64_t bank_conflicts() const { return bank_conflicts_; }  // reads put off by a cycle

 private:
  // Banks still to be read. A bank that holds several operands is in as many layers.
  struct Reading {
    InFlight instruction;
    UnitKind unit = UnitKind::kSp;
    std::uint32_t layers = 0;
    std::uint32_t banks[Instruction::kMostSources];
  };
  struct Kind {
    Kind(std::uint32_t ports, std::uint32_t collectors) : port(ports), ready(collectors), free(collectors) {}
    Ring<InFlight> port;
    Ring<InFlight> ready;  // their operands are there
    std::uint32_t free;    // collectors
  };
  static std::uint32_t bit(UnitKind unit) { return 1u << static_cast<std::uint32_t>(unit); }
  const Kind& kind(UnitKind unit) const { return kinds_[static_cast<std::size_t>(unit)]; }
  Kind& kind(UnitKind unit) { return kinds_[static_cast<std::size_t>(unit)]; }
  void allocate(UnitKind unit, std::uint32_t& busy_banks);
  bool read(Reading& reading, std::uint32_t& busy_banks);
  void fill_layers(Reading& reading) const;
  void make_ready(UnitKind unit, const InFlight& instruction) {
    kind(unit).ready.push(instruction);
    ready_kinds_ |= bit(unit);
  }

  std::uint32_t banks_;
  std::uint32_t ready_kinds_ = 0;
  std::uint32_t full_kinds_ = 0;
  std::uint32_t waiting_kinds_ = 0;  // whose port holds something
  std::vector<Kind> kinds_;
  std::vector<Reading> reading_;  // that met a conflict, oldest first
  std::uint64_t bank_conflicts_ = 0;
};

}  // namespace heddle
