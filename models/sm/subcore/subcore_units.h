#pragma once
// The SubcoreUnits are what stands between issue and result on SMs since Volta, as Huerta et al. found it
// (MICRO 2025, section 5). Each scheduler has a sub-core with units of its own.
//
// An instruction of fixed latency passes a control stage, and then one in which it is allocated when the
// ports of its registers are free in the three cycles behind it. Until then it holds what is behind it. It
// reads no register again that the instruction just before it, of the same warp, has read at the same place
// among its operands. Its result is due its latency and two cycles after its issue, and as much later as it
// was held; an instruction that depends on it can issue in that cycle.
//
// A memory instruction passes the control stage and waits in a queue of its sub-core, from which it goes to
// the memory unit of the SM. It reads its registers in cycles in which no other instruction does. They can be
// written again some cycles after its issue, as MemoryTimings says. The data of a load take the write port of
// their sub-core for some cycles.
//
// An instruction with an operand in constant memory issues when the constant cache of its sub-core has the
// operand.
//
// All of a fixed latency is booked when an instruction issues.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/late_reads.h"
#include "models/sm/pipeline/load_write.h"
#include "models/sm/pipeline/unit_instruction.h"
#include "models/sm/pipeline/warp_tracer.h"
#include "models/sm/subcore/constant_operands.h"
#include "models/sm/subcore/memory_timings.h"
#include "models/sm/subcore/register_ports.h"
#include "models/sm/subcore/result_calendar.h"
#include "models/sm/subcore/reuse_cache.h"
#include "models/stats/group.h"

namespace heddle {

class SubcoreUnits {
 public:
  // The control bits of instructions count, and memory instructions read their registers late.
  static constexpr bool kFollowsControlBits = true;
  // Whether a scheduler may issue several instructions of a warp in a cycle.
  static constexpr bool kIssuesSeveral = false;

  SubcoreUnits(const CycleSmSpec& spec, Group& stats);  // `stats` is the group of the SM
  void reset();
  void trace(WarpTracer& tracer) { tracer_ = &tracer; }

  // Each cycle begins with advance(), and has step() behind the memory instructions that leave.
  void advance(Cycle /*now*/) {}
  bool has_result(Cycle now) const { return results_.has(now); }
  // Calls done(warp, code, entry of its UnitInstruction) for each result that is due in the cycle `now`.
  template <class Done>
  void write_back(Cycle now, Done done) {
    results_.take(now, done);
  }
  void step(Cycle /*now*/) {}

  // The warps, of the scheduler or of all, whose next instruction can issue in the cycle as far as the
  // control stage and its unit are concerned.
  WarpMask open(std::size_t scheduler, const IssueTable& table, Cycle now) const {
    const Subcore& subcore = subcores_[scheduler];
    if (subcore.control > now) return 0;
    return subcore.all_free <= now ? ~WarpMask{0} : with_free_unit(subcore, table, now);
  }
  WarpMask open(const IssueTable& table, Cycle now) const;
  // The instruction issues; its warp belongs to this scheduler.
  [[gnu::always_inline]] void issue(std::size_t scheduler, const UnitInstruction& instruction, Cycle now) {
    if (instruction.unit == UnitKind::kMemory)
      issue_memory(scheduler, *instruction.code, instruction.entry, instruction.warp, now);
    else
      issue_fixed(scheduler, instruction, now);
  }

  // Returns the cycle in which the warp in the slot can issue this instruction, as far as its operands in
  // constant memory are concerned: `now`, or a later one. In the latter case no warp of the scheduler issues
  // for some cycles.
  Cycle fetch_constants(std::size_t scheduler, std::uint32_t slot, AccountId launch, const Instruction& code,
                        Cycle now) {
    const Cycle ready = constants_.fetch(scheduler, slot, launch, code, now);
    Cycle& control = subcores_[scheduler].control;
    if (ready != now) control = std::max(control, std::min(ready, constants_.switches(now)));
    return ready;
  }
  ConstantOperands& constants() { return constants_; }

  // Memory instructions that leave their sub-cores.
  std::uint32_t memory_ports() const { return 1; }
  bool has_memory(Cycle now) const { return memory_due_ <= now; }
  UnitInstruction take_memory(Cycle now);
  LoadWrite write_load(const Instruction& code, std::uint32_t warp, Cycle now);
  bool has_read(Cycle now) const { return reads_done_.has(now); }
  // Calls done(warp, code) for each memory instruction that has read its registers in the cycle `now`, for
  // which has_read() is true. A cycle does so after memory instructions have left.
  template <class Done>
  void take_read(Cycle now, Done done) {
    reads_done_.take(now, [&](std::uint32_t warp, const Instruction& code, std::uint32_t) {
      reads_.remove(warp, code);
      done(warp, code);
    });
  }
  const LateReads* reads() const { return &reads_; }

  // Returns the next cycle with a result, with a memory instruction that leaves, or in which one of the
  // `ready` warps can issue; or never. `memory_has_room` says whether the load/store unit can take one.
  Cycle next_wake(WarpMask ready, const IssueTable& table, bool memory_has_room, Cycle now) const;
  std::uint64_t busy_cycles(UnitKind unit, Cycle now) const;

 private:
  struct Pipeline {
    Cycle free{0};           // an instruction that issues in this cycle finds it free
    std::uint64_t busy = 0;  // sum of the intervals of all instructions
    std::uint64_t busy_until(Cycle now) const { return busy - (free > now ? free - now : 0); }
  };
  struct Waiting {
    UnitInstruction instruction;
    Cycle leaves;       // at the earliest
    std::int32_t read;  // what MemoryTimings::until_it_has_read() says
  };
  static constexpr std::size_t kOperands = 3;  // of which the next instruction may use one again
  struct alignas(64) Subcore {
    explicit Subcore(std::uint32_t queue) : memory(queue) {}
    void reset() {
      control = allocated = left = write_port = Cycle{0};
      units = {};
      all_free = Cycle{0};
      ports.reset();
      reuse.reset();
      last = kNoSources;
      memory.clear();
    }
    Cycle control{0};  // the control stage takes an instruction that issues in this cycle
    // By kind of unit: one of its pipelines, or the queue of memory instructions, is free. `busy` is that of
    // the sub-core's own pipeline.
    std::array<Pipeline, kUnitKinds> units{};
    Cycle all_free{0};   // the latest cycle in which one of `units` becomes free
    Cycle allocated{0};  // the last allocation
    RegisterPorts ports;
    ReuseCache reuse;
    std::uint16_t last_warp = 0;     // of the instruction of fixed latency that issued last
    FirstSources last = kNoSources;  // what it read
    Ring<Waiting> memory;
    Cycle left{0};        // a memory instruction has left, and the next one can so many cycles later
    Cycle write_port{0};  // the data of a load can take the port from this cycle on
  };
  // The pipelines of a kind of unit that a sub-core uses, unless each sub-core has just one of its own:
  // `count` of them, from `first` on in `pipelines_`. A kind with fewer pipelines than there are sub-cores is
  // shared.
  struct Share {
    std::uint8_t first = 0;
    std::uint8_t count = 0;
  };

  static constexpr std::uint32_t kToAllocate = 2;  // cycles from issue to allocation

  static WarpMask with_free_unit(const Subcore& subcore, const IssueTable& table, Cycle now);
  WarpMask warps_of(std::size_t scheduler) const { return warps_of_first_ << scheduler; }
  std::size_t subcore_of(std::uint32_t warp) const { return warp % count_; }
  const Share& share(std::size_t subcore, std::size_t unit) const { return shares_[subcore][unit]; }
  void take_pipeline(std::size_t scheduler, std::size_t unit, Cycle from, std::uint32_t interval);
  Pipeline& first_free(std::size_t subcore, std::size_t unit);
  void update_shares(std::size_t subcore, std::size_t unit);
  static void set_memory_free(Subcore& subcore, Cycle cycle);
  // Books the reads of an instruction of fixed latency that can be allocated from the cycle `from` on.
  // Returns the cycle of its allocation.
  static Cycle allocate(Subcore& subcore, const Instruction& code, std::uint16_t warp, Cycle from);
  // The same for an instruction with control bits.
  static Cycle allocate_reusing(Subcore& subcore, const Instruction& code, std::uint16_t warp, Cycle from);
  // The same for one without them, of which the warp has issued the last one, too, which has read `last`.
  static Cycle allocate_again(Subcore& subcore, const Instruction& code, FirstSources last, Cycle from);
  void issue_fixed(std::size_t scheduler, const UnitInstruction& instruction, Cycle now);
  // The parts of the instruction are passed alone, so that one of fixed latency need not be in one piece.
  void issue_memory(std::size_t scheduler, const Instruction& code, std::uint32_t entry, std::uint16_t warp,
                    Cycle now);
  void book_read_before(const Subcore& subcore, Cycle now);
  void trace_fixed(const Instruction& code, std::uint16_t warp, UnitKind unit, Cycle allocated);
  void find_memory_due();

  const SubcoreSpec spec_;
  const MemoryTimings memory_timings_;
  const std::uint32_t count_;  // of sub-cores
  const WarpMask warps_of_first_;
  // The latency is from the issue of an instruction to that of one that depends on it.
  std::array<UnitTiming, kOperations> timings_;
  std::vector<Subcore> subcores_;
  std::vector<Pipeline> pipelines_;  // by unit, those of a kind with one for each sub-core left out
  std::array<std::size_t, kUnitKinds + 1> first_of_unit_{};
  std::array<bool, kUnitKinds> has_own_{};             // each sub-core has one pipeline of this unit
  std::array<bool, kUnitKinds> is_shared_{};           // a pipeline of this unit belongs to several sub-cores
  std::vector<std::array<Share, kUnitKinds>> shares_;  // by sub-core
  Cycle memory_due_ = Cycle::never();                  // a memory instruction can leave
  Cycle memory_port_{0};                               // the memory unit takes one from this cycle on
  std::size_t memory_turn_ = 0;                        // the sub-core that comes first
  LateReads reads_;
  ResultCalendar reads_done_;  // memory instructions that will have read their registers
  ResultCalendar results_;
  ConstantOperands constants_;
  Counter bank_conflicts_;
  WarpTracer* tracer_ = nullptr;  // null: there is no trace
};

[[gnu::always_inline]] inline Cycle SubcoreUnits::allocate(Subcore& subcore, const Instruction& code,
                                                           std::uint16_t warp, Cycle from) {
  if (code.control.is_known) return allocate_reusing(subcore, code, warp, from);
  const FirstSources last = subcore.last;
  subcore.last = code.first_sources();
  if (subcore.last_warp == warp) return allocate_again(subcore, code, last, from);
  subcore.last_warp = warp;
  const std::array<std::uint8_t, 2>& reads = code.reads_by_parity();
  return subcore.ports.allocate(reads[0], reads[1], from);
}

[[gnu::always_inline]] inline void SubcoreUnits::issue_fixed(std::size_t scheduler,
                                                             const UnitInstruction& instruction, Cycle now) {
  Subcore& subcore = subcores_[scheduler];
  const Cycle enters = std::max(now + kToAllocate, subcore.allocated + 1);
  const Cycle allocated = allocate(subcore, *instruction.code, instruction.warp, enters);
  if (allocated != enters) bank_conflicts_ += allocated - enters;
  subcore.control = enters - 1;
  subcore.allocated = allocated;
  const Cycle from = allocated - kToAllocate;  // as if it had issued in this cycle without being held
  const UnitTiming timing = timings_[static_cast<std::size_t>(instruction.operation)].of(instruction);
  const auto unit = static_cast<std::size_t>(instruction.unit);
  if (has_own_[unit]) {
    subcore.units[unit].free = from + timing.interval;
    subcore.units[unit].busy += timing.interval;
    if (subcore.all_free < from + timing.interval) subcore.all_free = from + timing.interval;
  } else {
    take_pipeline(scheduler, unit, from, timing.interval);
  }
  results_.book(*instruction.code, instruction.warp, instruction.entry, from + timing.latency);
  if (tracer_ != nullptr) trace_fixed(*instruction.code, instruction.warp, instruction.unit, allocated);
}

}  // namespace heddle
