#pragma once
// The class IssueWaits decides whether the next instruction of a warp must wait. An instruction waits until
// instructions in flight have written the registers that it reads, and have read or written the registers
// that it writes. An instruction with control bits waits for the dependence counters that these bits name
// instead. The control bits of an instruction can also stall its warp for some cycles. A fence waits until
// all earlier memory accesses of the warp have completed. If the SM has a resource manager, an instruction
// waits until the manager has made its registers available.

#include <algorithm>
#include <array>

#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/late_reads.h"
#include "models/sm/residence/managed_resources.h"

namespace heddle {

class IssueWaits {
 public:
  // IssueWaits writes the masks in `table.next`. `managed` is null if the SM has no resource manager. `reads`
  // is null if every instruction reads its registers when it issues. All arguments must outlive IssueWaits.
  IssueWaits(const CycleSmSpec& spec, IssueTable& table, ManagedResources* managed, const LateReads* reads);
  void reset() {
    takes_turns_ = false;
    stalled_ = 0;
    stall_due_ = Cycle::never();
  }

  // The warp in the slot, which has an instruction in its buffer, issues nothing before the cycle `until`.
  // Returns whether that is after `now`.
  bool stall_until(std::uint32_t slot, Cycle until, Cycle now) {
    if (until <= now) return false;
    stall(slot, until);
    find_wait(slot);
    return true;
  }
  // The warp issues an instruction with these control bits.
  void follow(std::uint32_t slot, const ControlBits& control, Cycle now);
  // An instruction of the warp with these control bits has completed. The counters that they name fall.
  static void end(IssueWarp& warp, const Instruction& code) {
    lower(warp, code.control.write_counter);
    if (!is_memory(code.operation)) lower(warp, code.control.read_counter);
  }
  // A memory instruction of the warp has read its registers. The counter that its control bits name falls.
  static void read(IssueWarp& warp, const Instruction& code) { lower(warp, code.control.read_counter); }
  void end_stall(std::uint32_t slot) { stalled_ &= ~bit(slot); }
  // Ends the stalls that are over, in each cycle with one of them.
  void advance(Cycle now) {
    if (stall_due_ <= now) end_stalls(now);
  }
  Cycle next_wake() const { return stall_due_; }

  // What an instruction is by its operation: its unit, and whether it needs special treatment. An instruction
  // that does may have to wait for something other than registers, such as a group of copies, or its issue
  // opens, closes or joins such a group or a barrier. Under a resource manager every instruction does.
  struct Kind {
    static constexpr std::uint8_t kSpecial = 0x80;
    std::uint8_t value = 0;  // of the unit, with kSpecial
    UnitKind unit() const { return static_cast<UnitKind>(value & ~kSpecial); }
    bool is_special() const { return (value & kSpecial) != 0; }
  };
  Kind kind_of(const Instruction& code) const { return kinds_[static_cast<std::size_t>(code.operation)]; }
  UnitKind unit_of(const Instruction& code) const { return kind_of(code).unit(); }

  // A kernel comes whose instructions take turns.
  void find_turns() { takes_turns_ = true; }
  // The warp's next instruction is another one, or none is known any more.
  void set_next(std::uint32_t slot);
  // The warp has just issued an instruction, and its next one becomes known. The function has the effect of
  // set_next(). It is faster for the most frequent case: the next instruction uses the same execution unit as
  // the last one and waits for registers at most.
  [[gnu::always_inline]] void issued(std::uint32_t slot, IssueWarp& warp) {
    if (warp.buffered == 0 || issue_width_ > 1 || (table_.next.takes_turns & bit(slot)) != 0)
      return set_next(slot);
    const Instruction& code = *warp.buffer[0];
    if (code.takes_turns || code.awaits || kind_of(code).value != warp.next_on) return set_next(slot);
    warp.next_is_plain = !has_control_bits(code);
    if (needs_more(slot, warp)) return find_register_wait(slot);
    const Scoreboard::Wait wait = warp.scoreboard.wait(code);
    if (wait.memory != 0)
      table_.next.wait_memory |= bit(slot);
    else if (wait.pending != 0)
      table_.next.wait_alu |= bit(slot);
  }
  // A load, a store or the result of a unit has completed.
  [[gnu::always_inline]] void complete(std::uint32_t slot) {
    if (((table_.next.wait_alu | table_.next.wait_memory) & bit(slot)) != 0) find_wait(slot);
  }
  // An event that may end a wait has happened in a thread block, such as the completion of a phase of a
  // barrier object. `warps` are the warps of the block. The function asks each of them that waits for such an
  // event whether it still has to wait.
  void find_waits_for_phases(WarpMask warps) {
    for_each_slot(warps & table_.next.buffered, [this](std::uint32_t slot) {
      if (table_.warps[slot].buffer[0]->awaits) find_wait(slot);
    });
  }
  // Finds out what the next instruction of the warp waits for. It is known.
  [[gnu::always_inline]] void find_wait(std::uint32_t slot) {
    const IssueWarp& warp = table_.warps[slot];
    if (needs_more(slot, warp)) return find_other_wait(slot);
    set_wait(slot, warp.scoreboard.wait(*warp.buffer[0]), false);
  }

 private:
  void stall(std::uint32_t slot, Cycle until) {
    stalled_ |= bit(slot);
    stalled_until_[slot] = until;
    stall_due_ = std::min(stall_due_, until);
  }
  static void lower(IssueWarp& warp, std::uint8_t counter) {
    if (counter < ControlBits::kCounters) --warp.counters[counter];
  }
  void end_stalls(Cycle now);
  void find_turn(std::uint32_t slot);
  bool has_turn(const IssueWarp& warp) const;
  // Of a fence, of a wait for copies or for a barrier in shared memory, or under a resource manager.
  void find_special_wait(std::uint32_t slot);
  // Of any instruction.
  void find_other_wait(std::uint32_t slot);
  // Returns whether the SM follows the control bits of the instruction.
  bool has_control_bits(const Instruction& code) const { return reads_ != nullptr && code.control.is_known; }
  // Returns whether an instruction waits for registers at most, and has no control bits.
  bool is_plain(const Instruction& code) const {
    return !code.awaits && !kind_of(code).is_special() && !has_control_bits(code);
  }
  // Returns true if the scoreboard may not know everything that the warp's next instruction waits for. This
  // is so if the warp is stalled, if one of its memory instructions has not read its registers yet, or if the
  // instruction is not plain.
  bool needs_more(std::uint32_t slot, const IssueWarp& warp) const {
    return !warp.next_is_plain || (reads_ != nullptr && ((stalled_ | reads_->warps()) & bit(slot)) != 0);
  }
  void find_register_wait(std::uint32_t slot);
  Scoreboard::Wait register_wait(std::uint32_t slot, const IssueWarp& warp, const Instruction& code) const;
  void set_wait(std::uint32_t slot, Scoreboard::Wait wait, bool fenced) {
    const WarpMask me = bit(slot);
    table_.next.wait_memory &= ~me;
    table_.next.wait_alu &= ~me;
    if (wait.memory != 0 || fenced)
      table_.next.wait_memory |= me;
    else if (wait.pending != 0)
      table_.next.wait_alu |= me;
  }
  void read_sources(std::uint32_t slot, bool can_read);

  const std::uint32_t issue_width_;
  std::array<Kind, kOperations> kinds_;  // by operation
  IssueTable& table_;
  ManagedResources* const managed_;
  const LateReads* const reads_;
  WarpMask stalled_ = 0;
  std::array<Cycle, kMostWarps> stalled_until_;
  Cycle stall_due_ = Cycle::never();  // the first end of a stall
  bool takes_turns_ = false;          // a kernel that has been on the SM has instructions that take turns
};

}  // namespace heddle
