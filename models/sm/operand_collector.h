#pragma once
// Between issue and execution: an instruction waits at its unit's port, holds a collector unit until its
// source registers have been read, one read per bank and cycle, then leaves in the order in which the
// collectors fill. Writes of results have their banks first.

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
  void issue(UnitKind unit, const InFlight& instruction);

  // One cycle: instructions move from the ports into free collectors, and registers are read from the banks
  // that are not in `busy_banks`.
  void step(std::uint32_t busy_banks);

  bool has_ready(UnitKind unit) const { return (ready_kinds_ >> static_cast<std::uint32_t>(unit) & 1) != 0; }
  std::uint32_t ready_kinds() const { return ready_kinds_; }  // a bit for each unit with something ready
  const InFlight& ready(UnitKind unit) const { return slots_[kind(unit).ready.front()].instruction; }
  void leave(UnitKind unit);

  bool empty() const { return held_ == 0; }
  bool reading() const { return !reading_.empty(); }  // some collector has operands to read, or a port waits
  bool port_waits() const;                            // and a collector is free for it
  std::uint64_t bank_conflicts() const { return bank_conflicts_; }  // reads put off by a cycle

 private:
  // Banks still to be read. A bank that holds several operands is in as many layers, and each layer waits for
  // the one before.
  struct Slot {
    InFlight instruction;
    UnitKind unit = UnitKind::kSp;
    std::uint32_t layers = 0;
    std::uint32_t banks[Instruction::kMostSources] = {};
  };
  struct Kind {
    Kind(std::uint32_t ports_in, std::uint32_t collectors)
        : port(ports_in), free(collectors), ready(collectors), ports(ports_in) {}
    Ring<InFlight> port;
    Ring<std::uint32_t> free;   // collectors
    Ring<std::uint32_t> ready;  // collectors whose operands are there
    std::uint32_t ports;
  };
  const Kind& kind(UnitKind unit) const { return kinds_[static_cast<std::size_t>(unit)]; }
  Kind& kind(UnitKind unit) { return kinds_[static_cast<std::size_t>(unit)]; }
  void allocate(UnitKind unit);
  bool read(Slot& slot, std::uint32_t& busy_banks);

  std::uint32_t banks_;
  std::vector<Kind> kinds_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> reading_;  // slots, oldest first
  std::uint32_t held_ = 0;
  std::uint32_t ready_kinds_ = 0;
  std::uint32_t full_kinds_ = 0;
  std::uint32_t waiting_kinds_ = 0;  // whose port holds something
  std::uint64_t bank_conflicts_ = 0;
};

}  // namespace heddle
