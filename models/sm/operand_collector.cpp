#include "models/sm/operand_collector.h"

namespace heddle {

OperandCollector::OperandCollector(const CycleSmSpec& spec) : banks_(spec.register_banks) {
  std::uint32_t collectors = 0;
  for (const UnitSpec& unit : spec.units) {
    kinds_.emplace_back(unit.ports, unit.collectors);
    collectors += unit.collectors;
  }
  reading_.reserve(collectors);
}

void OperandCollector::step(std::uint32_t busy_banks) {
  if (!reading_.empty()) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < reading_.size(); ++i) {
      if (read(reading_[i], busy_banks)) {
        make_ready(reading_[i].unit, reading_[i].instruction);
      } else {
        if (kept != i) reading_[kept] = reading_[i];
        ++kept;
      }
    }
    reading_.resize(kept);
  }
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    allocate(static_cast<UnitKind>(__builtin_ctz(waiting)), busy_banks);
}

// Most instructions read everything at once; only those that meet a taken bank are remembered.
void OperandCollector::allocate(UnitKind unit, std::uint32_t& busy_banks) {
  Kind& k = kind(unit);
  for (; !k.port.empty() && k.free > 0; k.port.pop()) {
    --k.free;
    full_kinds_ &= ~bit(unit);
    const InFlight& instruction = k.port.front();
    const Instruction& code = *instruction.code;
    std::uint32_t banks = 0;
    bool twice = false;
    for (std::uint32_t i = 0; i < code.sources; ++i) {
      const std::uint32_t bank = 1u << bank_of(code.source[i], instruction.warp);
      twice = twice || (banks & bank) != 0;
      banks |= bank;
    }
    if (!twice && (banks & busy_banks) == 0) {
      busy_banks |= banks;
      make_ready(unit, instruction);
      continue;
    }
    Reading& reading = reading_.emplace_back();
    reading.instruction = instruction;
    reading.unit = unit;
    fill_layers(reading);
    if (read(reading, busy_banks)) {
      make_ready(unit, instruction);
      reading_.pop_back();
    }
  }
  if (k.port.empty()) waiting_kinds_ &= ~bit(unit);
}

void OperandCollector::fill_layers(Reading& reading) const {
  const Instruction& code = *reading.instruction.code;
  reading.layers = 0;
  for (std::uint32_t i = 0; i < code.sources; ++i) {
    const std::uint32_t bank = 1u << bank_of(code.source[i], reading.instruction.warp);
    std::uint32_t layer = 0;
    while (layer < reading.layers && (reading.banks[layer] & bank) != 0) ++layer;
    if (layer == reading.layers) reading.banks[reading.layers++] = 0;
    reading.banks[layer] |= bank;
  }
}

// Reads what it can this cycle; true when nothing is left.
bool OperandCollector::read(Reading& reading, std::uint32_t& busy_banks) {
  std::uint32_t layers = 0;
  for (std::uint32_t i = 0; i < reading.layers; ++i) {
    const std::uint32_t left = reading.banks[i] & busy_banks;
    busy_banks |= reading.banks[i];
    if (left == 0) continue;
    bank_conflicts_ += static_cast<std::uint32_t>(__builtin_popcount(left));
    reading.banks[layers++] = left;
  }
  reading.layers = layers;
  return layers == 0;
}

bool OperandCollector::port_waits() const {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    if (kinds_[static_cast<std::size_t>(__builtin_ctz(waiting))].free > 0) return true;
  return false;
}

}  // namespace heddle
