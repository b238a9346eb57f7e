#include "models/sm/operand_collector.h"

namespace heddle {

OperandCollector::OperandCollector(const CycleSmSpec& spec) : banks_(spec.register_banks) {
  std::uint32_t slots = 0;
  for (const UnitSpec& unit : spec.units) {
    kinds_.emplace_back(unit.ports, unit.collectors);
    for (std::uint32_t i = 0; i < unit.collectors; ++i) kinds_.back().free.push(slots++);
  }
  slots_.resize(slots);
  reading_.reserve(slots);
}

void OperandCollector::issue(UnitKind unit, const InFlight& instruction) {
  Kind& k = kind(unit);
  const std::uint32_t bit = 1u << static_cast<std::uint32_t>(unit);
  k.port.push(instruction);
  waiting_kinds_ |= bit;
  if (k.port.full()) full_kinds_ |= bit;
  ++held_;
}

void OperandCollector::step(std::uint32_t busy_banks) {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    allocate(static_cast<UnitKind>(__builtin_ctz(waiting)));
  std::size_t kept = 0;
  for (const std::uint32_t index : reading_) {
    Slot& slot = slots_[index];
    if (read(slot, busy_banks)) {
      kind(slot.unit).ready.push(index);
      ready_kinds_ |= 1u << static_cast<std::uint32_t>(slot.unit);
    } else {
      reading_[kept++] = index;
    }
  }
  reading_.resize(kept);
}

void OperandCollector::allocate(UnitKind unit) {
  Kind& k = kind(unit);
  while (!k.port.empty() && !k.free.empty()) {
    const std::uint32_t index = k.free.front();
    k.free.pop();
    Slot& slot = slots_[index];
    slot.instruction = k.port.front();
    k.port.pop();
    slot.unit = unit;
    slot.layers = 0;
    const Instruction& code = *slot.instruction.code;
    for (std::uint32_t i = 0; i < code.sources; ++i) {
      const std::uint32_t bank = 1u << bank_of(code.source[i], slot.instruction.warp);
      std::uint32_t layer = 0;
      while (layer < slot.layers && (slot.banks[layer] & bank) != 0) ++layer;
      if (layer == slot.layers) slot.banks[slot.layers++] = 0;
      slot.banks[layer] |= bank;
    }
    reading_.push_back(index);
    full_kinds_ &= ~(1u << static_cast<std::uint32_t>(unit));
  }
  if (k.port.empty()) waiting_kinds_ &= ~(1u << static_cast<std::uint32_t>(unit));
}

// Reads what it can this cycle; true when nothing is left.
bool OperandCollector::read(Slot& slot, std::uint32_t& busy_banks) {
  std::uint32_t layers = 0;
  for (std::uint32_t i = 0; i < slot.layers; ++i) {
    const std::uint32_t left = slot.banks[i] & busy_banks;
    busy_banks |= slot.banks[i];
    if (left == 0) continue;
    bank_conflicts_ += static_cast<std::uint32_t>(__builtin_popcount(left));
    slot.banks[layers++] = left;
  }
  slot.layers = layers;
  return layers == 0;
}

void OperandCollector::leave(UnitKind unit) {
  Kind& k = kind(unit);
  k.free.push(k.ready.front());
  k.ready.pop();
  if (k.ready.empty()) ready_kinds_ &= ~(1u << static_cast<std::uint32_t>(unit));
  --held_;
}

bool OperandCollector::port_waits() const {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    if (!kinds_[static_cast<std::size_t>(__builtin_ctz(waiting))].free.empty()) return true;
  return false;
}

}  // namespace heddle
