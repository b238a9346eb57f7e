#pragma once
// The ExecutionUnits are the banks of the register file, the arithmetic pipelines and the result buses.
//
// A bank serves one access a cycle. A pipeline takes one instruction in each initiation interval, and a
// product of matrices takes as many intervals as it says. The result of an instruction is due when the
// dispatch latency, the latency of its operation and the result latency have passed since its unit took it.
// It is written in the first cycle from then on in which a result bus and the banks of its registers are
// free. The units take only as many instructions as have results due in a cycle as there are result buses,
// and none in a cycle in which as many results are late.
//
// All this is booked when an instruction gets its operand collector. What is booked first comes first at the
// banks and result buses. A unit takes its instructions in the order in which they have their operands. The
// bookings are those of a CycleRing. What lies behind its end is booked when it is in the ring.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/lazy_array.h"
#include "models/core/base/ring.h"
#include "models/sm/collector/cycle_ring.h"
#include "models/sm/pipeline/unit_instruction.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/stats/group.h"

namespace heddle {

class ExecutionUnits {
 public:
  ExecutionUnits(const CycleSmSpec& spec, Group& stats);  // `stats` is the group of the SM
  void reset();                                           // frees every pipeline, bus and bank
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  // Called before the other functions in each cycle with a result or a booking, and when next_wake() says so.
  void advance(Cycle now) {
    if (cycles_.must_advance(now)) advance_ring(now);
  }

  // Books the reads of the instruction, from the cycle `from` on. Returns the cycle of the last one, `from`
  // if there is none. A read that finds no free cycle in the ring takes its last one.
  Cycle read(const UnitInstruction& instruction, Cycle from);
  // An arithmetic instruction has its operands in the cycle `read`. Its unit takes it in a later one.
  void book(const UnitInstruction& instruction, Cycle read);
  // Returns how many instructions the unit has taken or takes until `now`, since the last call. `now` may be
  // the next cycle.
  std::uint32_t taken(UnitKind unit, Cycle now) {
    count_taken(kind(unit), now);
    return std::exchange(kind(unit).taken_since, 0);
  }
  // Writes the registers of a load, if their banks are free.
  bool write_load(const Instruction& code, std::uint32_t warp, Cycle now);

  bool has_result(Cycle now) const { return (results_ >> now.value % kSlots & 1) != 0; }
  // Calls done(UnitInstruction) for each result that is written in the cycle `now`.
  template <class Done>
  void write_back(Cycle now, Done done);

  // Returns the next cycle after `now` in which a result is written, or in which the units must advance,
  // because something comes into the ring, or never.
  Cycle next_wake(Cycle now) const;
  // Returns the next cycle after `now` in which the unit is known to take an instruction, or never.
  Cycle next_taken(UnitKind unit, Cycle now) const;

  // Returns the cycles before `now` in which a pipeline could take no instruction because the initiation
  // interval of the last one had not passed. They are summed over the unit's pipelines.
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const;

 private:
  static constexpr std::size_t kUnits = kUnitKinds - 1;  // all but the memory unit, which is the last kind
  struct Bookings {                                      // of a cycle
    BankCounts banks;
    std::array<std::uint8_t, kUnits> busy{};   // pipelines in an initiation interval
    std::array<std::uint8_t, kUnits> taken{};  // instructions that a unit takes
    std::uint8_t due = 0;                      // results that are due
    std::uint8_t late = 0;                     // results that were due before and are written later
    std::uint8_t written = 0;                  // results that are written
  };
  static_assert(sizeof(Bookings) == 32);
  struct Result {
    UnitInstruction instruction;
    Cycle due;
  };
  struct Waiting {
    UnitInstruction instruction;
    Cycle read;
  };
  struct LongInterval {
    UnitKind unit;
    Cycle end;
  };
  // An instruction is behind those that have their operands before it or at the same time. Of these the two
  // are known that had their operands last.
  struct Order {
    Cycle earliest(Cycle ready) const {
      return ready >= last_ready ? last_taken : ready >= before_ready ? before_taken : Cycle{0};
    }
    void add(Cycle ready, Cycle taken) {
      const bool is_last = ready >= last_ready;
      before_ready = is_last ? last_ready : std::max(before_ready, ready);
      before_taken = is_last ? last_taken : std::max(before_taken, taken);
      last_ready = is_last ? ready : last_ready;
      last_taken = is_last ? taken : last_taken;
    }
    Cycle last_ready{0};
    Cycle last_taken{0};
    Cycle before_ready{0};
    Cycle before_taken{0};
  };
  struct Kind {
    std::uint8_t ports = 0;
    std::uint8_t pipelines = 0;
    std::uint32_t taken_since = 0;
    Cycle counted{0};             // `taken_since` has what has been taken up to this cycle
    Cycle end{0};                 // nothing is booked from this cycle on
    std::uint64_t intervals = 0;  // sum over all instructions booked
    Order order;
    Ring<Waiting> waiting{0};  // for a pipeline that is free in the ring
  };

  static constexpr std::uint32_t kSlots = 2 * CycleRing<Bookings>::kAhead;
  static_assert(kSlots == 64);  // one bit of `results_` for each cycle of the ring

  Kind& kind(UnitKind unit) { return kinds_[static_cast<std::size_t>(unit)]; }
  const Kind& kind(UnitKind unit) const { return kinds_[static_cast<std::size_t>(unit)]; }
  void advance_ring(Cycle now);
  void count_taken(Kind& kind, Cycle now);
  UnitTiming timing_of(const UnitInstruction& instruction) const {
    return timings_[static_cast<std::size_t>(instruction.operation)].of(instruction);
  }
  Cycle read_later(BankCounts reads, std::uint32_t count, Cycle from);
  // Books the cycle in which the unit takes the instruction. Returns false if it is not in the ring.
  bool take(const UnitInstruction& instruction, Cycle from);
  // Returns the first cycle from `from` on in which the unit can take it, or the end of the ring.
  Cycle first_free(UnitKind unit, const UnitTiming& timing, Cycle from) const;
  void occupy(UnitKind unit, Cycle from, Cycle end);  // a pipeline
  void book_result(const UnitInstruction& instruction, Cycle due);
  void write(const UnitInstruction& instruction, const BankCounts& banks, Cycle cycle);
  void write_later(const UnitInstruction& instruction, const BankCounts& banks, Cycle due);
  void put_off_result(const UnitInstruction& instruction, Cycle due);  // it is not in the ring
  void book_waiting(Cycle now);                                        // what is in the ring by now
  void book_far();
  // Returns the register banks to which the result of the instruction is written.
  BankCounts banks_written(const Instruction& code, std::uint32_t warp) const {
    if (code.register_writes == 1) return BankCounts::of_one(code.written_bank, bank_count_, warp);
    return BankCounts::of(code.written_banks(), bank_count_, warp).once();
  }

  const std::uint32_t writebacks_;
  const std::uint32_t bank_count_;
  std::uint32_t waiting_kinds_ = 0;  // a bit for each unit whose `waiting` is not empty
  std::uint64_t results_ = 0;     // the cycles of the ring in which a result is written, by cycle mod kSlots
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
  std::array<Kind, kUnitKinds> kinds_;
  std::array<UnitTiming, kOperations> timings_;  // the latency is from the collector to the register file
  LazyArray<UnitInstruction> written_;           // by cycle mod kSlots, `writebacks_` each
  std::vector<Result> far_;                      // results that are due behind the ring, the earliest last
  std::vector<LongInterval> long_intervals_;     // that end behind the ring
  Counter bank_conflicts_;
  CycleRing<Bookings> cycles_;
};

// These are called for each instruction, and are short.

inline Cycle ExecutionUnits::read(const UnitInstruction& instruction, Cycle from) {
  const Instruction& code = *instruction.code;
  const BankCounts reads = BankCounts::of(code.read_banks, bank_count_, instruction.warp);
  BankCounts& busy = cycles_.at(from).banks;
  if (reads.conflicts() || reads.meets(busy)) return read_later(reads, code.register_reads, from);
  busy.merge(reads);
  return from;
}

[[gnu::always_inline]] inline void ExecutionUnits::book(const UnitInstruction& instruction, Cycle read) {
  Kind& k = kind(instruction.unit);
  if (k.waiting.empty() && take(instruction, read + 1)) return;
  k.waiting.push({instruction, read});
  waiting_kinds_ |= 1u << static_cast<std::uint32_t>(instruction.unit);
}

[[gnu::always_inline]] inline Cycle ExecutionUnits::first_free(UnitKind unit, const UnitTiming& timing,
                                                               Cycle from) const {
  const auto i = static_cast<std::size_t>(unit);
  const std::uint32_t ports = kinds_[i].ports;
  const std::uint32_t pipelines = kinds_[i].pipelines;
  const Cycle end = cycles_.end();
  for (; from < end; from = from + 1) {
    const Bookings& first = cycles_.at(from);
    if (first.busy[i] >= pipelines || first.taken[i] >= ports || first.late >= writebacks_) continue;
    const Cycle due = from + timing.latency;
    if (due < end && cycles_.at(due).due >= writebacks_) continue;
    if (timing.interval == 1) return from;
    const Cycle last = std::min(from + timing.interval, end);
    Cycle cycle = from + 1;
    while (cycle < last && cycles_.at(cycle).busy[i] < pipelines) cycle = cycle + 1;
    if (cycle >= last) return from;
    from = cycle;
  }
  return end;
}

[[gnu::always_inline]] inline bool ExecutionUnits::take(const UnitInstruction& instruction, Cycle from) {
  const UnitTiming timing = timing_of(instruction);
  const auto i = static_cast<std::size_t>(instruction.unit);
  const Cycle taken = first_free(instruction.unit, timing, std::max(from, kinds_[i].order.earliest(from)));
  if (taken >= cycles_.end()) return false;
  kinds_[i].order.add(from, taken);
  Bookings& bookings = cycles_.at(taken);
  ++bookings.taken[i];
  ++bookings.busy[i];
  kinds_[i].intervals += timing.interval;
  kinds_[i].end = std::max(kinds_[i].end, taken + timing.interval);
  if (timing.interval > 1) occupy(instruction.unit, taken + 1, taken + timing.interval);
  if (tracer_ != nullptr) tracer_->dispatch(instruction, taken);
  const Cycle due = taken + timing.latency;
  if (due < cycles_.end())
    book_result(instruction, due);
  else
    put_off_result(instruction, due);
  return true;
}

[[gnu::always_inline]] inline void ExecutionUnits::book_result(const UnitInstruction& instruction,
                                                               Cycle due) {
  const BankCounts banks = banks_written(*instruction.code, instruction.warp);
  Bookings& bookings = cycles_.at(due);
  ++bookings.due;
  if (bookings.written < writebacks_ && !banks.meets(bookings.banks))
    write(instruction, banks, due);
  else
    write_later(instruction, banks, due);
}

inline void ExecutionUnits::write(const UnitInstruction& instruction, const BankCounts& banks, Cycle cycle) {
  Bookings& bookings = cycles_.at(cycle);
  bookings.banks.merge(banks);
  const std::uint32_t slot = cycle.value % kSlots;
  written_[slot * writebacks_ + bookings.written++] = instruction;
  results_ |= std::uint64_t{1} << slot;
}

template <class Done>
void ExecutionUnits::write_back(Cycle now, Done done) {
  const std::uint32_t slot = now.value % kSlots;
  results_ &= ~(std::uint64_t{1} << slot);
  const UnitInstruction* const due = &written_[slot * writebacks_];
  const std::uint32_t count = cycles_.at(now).written;
  for (std::uint32_t i = 0; i < count; ++i) done(due[i]);
}

}  // namespace heddle
