#include "models/sm/collector/execution_units.h"

#include <algorithm>

namespace heddle {

ExecutionUnits::ExecutionUnits(const CycleSmSpec& spec, Group& stats)
    : writebacks_(spec.writebacks),
      bank_count_(spec.register_banks),
      written_(std::size_t{kSlots} * spec.writebacks) {
  stats.add(bank_conflicts_, "bank_conflicts", "read",
            "register reads put off by a cycle: the bank was taken");
  for (std::size_t i = 0; i < kOperations; ++i)
    timings_[i] = {spec.operations[i].latency + spec.dispatch_latency + spec.result_latency,
                   spec.operations[i].interval};
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    kinds_[i].ports = static_cast<std::uint8_t>(spec.units[i].ports);
    kinds_[i].pipelines = static_cast<std::uint8_t>(spec.units[i].count);
    kinds_[i].waiting = Ring<Waiting>(spec.units[i].collectors);
  }
}

void ExecutionUnits::reset() {
  waiting_kinds_ = 0;
  results_ = 0;
  for (Kind& kind : kinds_) {
    kind.taken_since = 0;
    kind.counted = kind.end = Cycle{0};
    kind.intervals = 0;
    kind.order = {};
    kind.waiting.clear();
  }
  far_.clear();
  long_intervals_.clear();
  cycles_.reset();
}

void ExecutionUnits::advance_ring(Cycle now) {
  for (Kind& kind : kinds_)
    if (kind.counted < now) count_taken(kind, now);
  const Cycle end = cycles_.end();
  cycles_.advance(now);
  for (const LongInterval& one : long_intervals_)
    for (Cycle cycle = std::max(end, now); cycle < std::min(one.end, cycles_.end()); cycle = cycle + 1)
      ++cycles_.at(cycle).busy[static_cast<std::size_t>(one.unit)];
  const auto ends = [this](const LongInterval& one) { return one.end <= cycles_.end(); };
  long_intervals_.erase(std::remove_if(long_intervals_.begin(), long_intervals_.end(), ends),
                        long_intervals_.end());
  book_far();
  book_waiting(now);
}

void ExecutionUnits::count_taken(Kind& kind, Cycle now) {
  const auto unit = static_cast<std::size_t>(&kind - kinds_.data());
  const Cycle last = std::min({now, kind.end, cycles_.end() - 1});
  for (Cycle cycle = kind.counted + 1; cycle <= last; cycle = cycle + 1)
    kind.taken_since += cycles_.at(cycle).taken[unit];
  kind.counted = now;
}

Cycle ExecutionUnits::read_later(BankCounts reads, std::uint32_t count, Cycle from) {
  Cycle cycle = from;
  for (; cycle + 1 < cycles_.end(); cycle = cycle + 1) {
    count -= reads.read(cycles_.at(cycle).banks);
    if (reads.empty()) break;
    bank_conflicts_ += count;
  }
  return cycle;
}

void ExecutionUnits::occupy(UnitKind unit, Cycle from, Cycle end) {
  for (Cycle cycle = from; cycle < std::min(end, cycles_.end()); cycle = cycle + 1)
    ++cycles_.at(cycle).busy[static_cast<std::size_t>(unit)];
  if (end > cycles_.end()) long_intervals_.push_back({unit, end});
}

void ExecutionUnits::write_later(const UnitInstruction& instruction, const BankCounts& banks, Cycle due) {
  for (Cycle cycle = due; cycle < cycles_.end(); cycle = cycle + 1) {
    Bookings& bookings = cycles_.at(cycle);
    if (bookings.written < writebacks_ && !banks.meets(bookings.banks))
      return write(instruction, banks, cycle);
    ++bookings.late;
  }
  put_off_result(instruction, cycles_.end());
}

void ExecutionUnits::put_off_result(const UnitInstruction& instruction, Cycle due) {
  const auto is_later = [due](const Result& result) { return result.due > due; };
  far_.insert(std::find_if_not(far_.begin(), far_.end(), is_later), {instruction, due});
}

void ExecutionUnits::book_waiting(Cycle now) {
  for (std::uint32_t left = waiting_kinds_; left != 0; left &= left - 1) {
    Kind& kind = kinds_[static_cast<std::size_t>(__builtin_ctz(left))];
    while (!kind.waiting.empty() &&
           take(kind.waiting.front().instruction, std::max(kind.waiting.front().read + 1, now)))
      kind.waiting.pop();
    if (kind.waiting.empty()) waiting_kinds_ &= ~(left & -left);
  }
}

void ExecutionUnits::book_far() {
  while (!far_.empty() && far_.back().due < cycles_.end()) {
    const Result far = far_.back();
    far_.pop_back();
    book_result(far.instruction, far.due);
  }
}

bool ExecutionUnits::write_load(const Instruction& code, std::uint32_t warp, Cycle now) {
  const BankCounts banks = banks_written(code, warp);
  BankCounts& busy = cycles_.at(now).banks;
  if (banks.meets(busy)) return false;
  busy.merge(banks);
  return true;
}

Cycle ExecutionUnits::next_wake(Cycle now) const {
  Cycle next = Cycle::never();
  const std::uint32_t slot = (now.value + 1) % kSlots;
  if (const std::uint64_t to_come = results_ >> slot | results_ << (-slot % kSlots); to_come != 0)
    next = now + 1 + static_cast<std::uint32_t>(__builtin_ctzll(to_come));
  // What is behind the ring comes into it when the ring advances.
  if (!far_.empty() || waiting_kinds_ != 0)
    next = std::min(next, cycles_.end() - CycleRing<Bookings>::kAhead);
  return next;
}

Cycle ExecutionUnits::next_taken(UnitKind unit, Cycle now) const {
  const Kind& k = kind(unit);
  for (Cycle cycle = now + 1; cycle < std::min(k.end, cycles_.end()); cycle = cycle + 1)
    if (cycles_.at(cycle).taken[static_cast<std::size_t>(unit)] != 0) return cycle;
  return Cycle::never();
}

std::uint64_t ExecutionUnits::busy_cycles(UnitKind unit, Cycle now) const {
  std::uint64_t to_come = 0;
  for (Cycle cycle = now; cycle < std::min(kind(unit).end, cycles_.end()); cycle = cycle + 1)
    to_come += cycles_.at(cycle).busy[static_cast<std::size_t>(unit)];
  for (const LongInterval& one : long_intervals_)
    if (one.unit == unit) to_come += std::max(one.end, now) - std::max(cycles_.end(), now);
  return kind(unit).intervals - to_come;
}

}  // namespace heddle
