#include "models/sm/operand_collector.h"

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
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    allocate(static_cast<UnitKind>(__builtin_ctz(waiting)), busy_banks);
  if (reads_at_once_) bank_conflicts_ += reads_left_;
}

// The first loop reads for all instructions without a branch, because the host cannot predict which of them
// complete.
void OperandCollector::read(BankCounts& busy_banks) {
  BankCounts busy = busy_banks;
  const std::size_t count = reading_;
  std::uint32_t reads = 0;
  std::uint64_t ended = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    BankCounts left = left_[i];
    reads += left.read(busy);
    left_[kept] = left;
    ended |= std::uint64_t{left.empty()} << i;
    kept += left.empty() ? 0 : 1;
  }
  busy_banks = busy;
  reads_left_ -= reads;
  if (ended == 0) return;
  reading_ = kept;
  kept = static_cast<std::size_t>(__builtin_ctzll(ended));
  for (std::size_t i = kept; i < count; ++i) {
    if ((ended >> i & 1) != 0)
      make_ready(readings_[i]);
    else
      readings_[kept++] = readings_[i];
  }
}

// If collectors read at once, most instructions read all operands here, and only those that meet a busy bank
// are kept in `readings_`.
void OperandCollector::allocate(UnitKind unit, BankCounts& busy_banks) {
  Kind& k = kind(unit);
  BankCounts busy = busy_banks;
  std::size_t count = std::min<std::size_t>(k.port.size(), k.free);
  k.free -= static_cast<std::uint32_t>(count);
  if (count > 0) full_kinds_ &= ~bit(unit);
  for (; count > 0; --count, k.port.pop()) {
    const InFlight instruction = k.port.front();
    BankCounts reads = BankCounts::of(instruction.code->read_banks, banks_, instruction.warp);
    if (reads_at_once_ && !reads.conflicts() && !reads.meets(busy)) {
      busy.merge(reads);
      make_ready(instruction);
      continue;
    }
    reads_left_ += reads.total();
    if (reads_at_once_) reads_left_ -= reads.read(busy);
    readings_[reading_] = instruction;
    left_[reading_++] = reads;
  }
  busy_banks = busy;
  if (k.port.empty()) waiting_kinds_ &= ~bit(unit);
}

bool OperandCollector::port_waits() const {
  for (std::uint32_t waiting = waiting_kinds_; waiting != 0; waiting &= waiting - 1)
    if (kinds_[static_cast<std::size_t>(__builtin_ctz(waiting))].free > 0) return true;
  return false;
}

}  // namespace heddle
