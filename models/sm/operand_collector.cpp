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

void OperandCollector::step(std::uint32_t busy_banks) {
  if (held_ == 0) return;
  for (std::size_t unit = 0; unit < kUnitKinds; ++unit)
    if (!kinds_[unit].port.empty()) allocate(static_cast<UnitKind>(unit));
  std::size_t kept = 0;
  for (const std::uint32_t index : reading_) {
    Slot& slot = slots_[index];
    if (read(slot, busy_banks))
      kind(slot.unit).ready.push(index);
    else
      reading_[kept++] = index;
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
    const Instruction& code = *slot.instruction.code;
    slot.reads = code.sources;
    for (std::uint32_t i = 0; i < code.sources; ++i)
      slot.bank[i] = static_cast<std::uint8_t>(bank_of(code.source[i], slot.instruction.warp));
    reading_.push_back(index);
  }
}

// Reads what it can this cycle; true when nothing is left.
bool OperandCollector::read(Slot& slot, std::uint32_t& busy_banks) {
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < slot.reads; ++i) {
    const std::uint32_t bank = 1u << slot.bank[i];
    if ((busy_banks & bank) != 0)
      slot.bank[left++] = slot.bank[i];
    else
      busy_banks |= bank;
  }
  bank_conflicts_ += left;
  slot.reads = left;
  return left == 0;
}

void OperandCollector::leave(UnitKind unit) {
  Kind& k = kind(unit);
  k.free.push(k.ready.front());
  k.ready.pop();
  --held_;
}

bool OperandCollector::port_waits() const {
  for (const Kind& k : kinds_)
    if (!k.port.empty() && !k.free.empty()) return true;
  return false;
}

}  // namespace heddle
