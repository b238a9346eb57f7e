#include "models/sm/collector/operand_collector.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

OperandCollector::OperandCollector(const CycleSmSpec& spec, Group& stats)
    : banks_(spec.register_banks), reads_at_once_(spec.collect_latency == 0) {
  stats.add(bank_conflicts_, "bank_conflicts", "read",
            "register reads put off by a cycle: the bank was taken");
  std::uint32_t collectors = 0;
  for (const UnitSpec& unit : spec.units) {
    kinds_.emplace_back(unit.ports, unit.collectors);
    collectors += unit.collectors;
  }
  HEDDLE_CHECK(collectors <= kMostCollectors, "operand collector", Cycle{}, "{} collectors", collectors);
  readings_.resize(collectors);
  left_.resize(collectors);
}

void OperandCollector::reset() {
  ready_kinds_ = full_kinds_ = waiting_kinds_ = 0;
  for (Kind& k : kinds_) k.reset();
  reading_ = 0;
  reads_left_ = 0;
}

void OperandCollector::step(BankCounts busy_banks) {
  if (reading_ > 0) read(busy_banks);
  if (!reads_at_once_) bank_conflicts_ += reads_left_;
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1) {
    const auto unit = static_cast<UnitKind>(__builtin_ctz(waiting));
    if (kind(unit).free > 0) allocate(unit, busy_banks);
  }
  if (reads_at_once_) bank_conflicts_ += reads_left_;
}

// The loop has no branch, because the host cannot predict which of the instructions complete.
void OperandCollector::read(BankCounts& busy_banks) {
  BankCounts busy = busy_banks;
  std::uint32_t reads = 0;
  std::uint64_t ended = 0;  // a bit for each element of `left_`
  for (std::size_t i = 0; i < reading_; ++i) {
    reads += left_[i].read(busy);
    ended |= std::uint64_t{left_[i].empty()} << i;
  }
  busy_banks = busy;
  reads_left_ -= reads;
  if (ended != 0) take_out(ended);
}

// Moves the instructions whose operands are complete from `readings_` to the queues of ready instructions.
// `ended` has a bit for each of them, by its index in `readings_`.
void OperandCollector::take_out(std::uint64_t ended) {
  auto kept = static_cast<std::size_t>(__builtin_ctzll(ended));
  for (std::size_t i = kept; i < reading_; ++i) {
    if ((ended >> i & 1) != 0) {
      make_ready(readings_[i]);
    } else {
      readings_[kept] = readings_[i];
      left_[kept++] = left_[i];
    }
  }
  reading_ = kept;
}

// If collectors read at once, most instructions read all operands here, and only those that meet a busy bank
// are kept in `readings_`.
void OperandCollector::allocate(UnitKind unit, BankCounts& busy_banks) {
  Kind& k = kind(unit);
  const std::size_t count = std::min<std::size_t>(k.port.size(), k.free);
  k.free -= static_cast<std::uint32_t>(count);
  full_kinds_ &= ~bit(unit);
  for (std::size_t i = 0; i < count; ++i) {
    const InFlight& instruction = k.port[i];
    BankCounts reads = BankCounts::of(instruction.code->read_banks, banks_, instruction.warp);
    if (reads_at_once_) {
      if (!reads.conflicts() && !reads.meets(busy_banks)) {
        busy_banks.merge(reads);
        make_ready(instruction);
        continue;
      }
      reads_left_ -= reads.read(busy_banks);
    }
    reads_left_ += instruction.code->register_reads;
    readings_[reading_] = instruction;
    left_[reading_++] = reads;
  }
  k.port.pop(count);
  if (k.port.empty()) waiting_kinds_ &= ~bit(unit);
}

bool OperandCollector::port_waits() const {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    if (kinds_[static_cast<std::size_t>(__builtin_ctz(waiting))].free > 0) return true;
  return false;
}

}  // namespace heddle
