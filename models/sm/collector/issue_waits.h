#pragma once
// IssueWaits finds out what the next instruction of a warp waits for: a register that an instruction in
// flight is to write, an earlier access at a fence, a unit, and under a resource manager its registers.

#include "models/sm/collector/issue_table.h"
#include "models/sm/residence/managed_resources.h"

namespace heddle {

class IssueWaits {
 public:
  // The object writes `table.next`. `managed` is null without a resource manager. Both must outlive it.
  IssueWaits(const CycleSmSpec& spec, IssueTable& table, ManagedResources* managed);
  void reset() { takes_turns_ = false; }

  UnitKind unit_of(const Instruction& code) const { return units_[static_cast<std::size_t>(code.operation)]; }

  // A kernel comes whose instructions take turns.
  void find_turns() { takes_turns_ = true; }
  // The warp's next instruction is another one, or none is known any more.
  void set_next(std::uint32_t slot);
  // A load, a store or the result of a unit has completed.
  void complete(std::uint32_t slot) {
    if (((table_.next.wait_alu | table_.next.wait_memory) & bit(slot)) != 0) find_wait(slot);
  }
  // Finds out what the next instruction of the warp waits for. It is known.
  void find_wait(std::uint32_t slot) {
    const IssueWarp& warp = table_.warps[slot];
    const Instruction& code = *warp.buffer[0];
    if (managed_ != nullptr || code.operation == Operation::kFence || code.operation == Operation::kCopyWait)
      return find_special_wait(slot);
    set_wait(slot, warp.scoreboard.wait(code), false);
  }

 private:
  void find_turn(std::uint32_t slot);
  void find_special_wait(
      std::uint32_t slot);  // of a fence, of a wait for copies, or under a resource manager
  void set_wait(std::uint32_t slot, Scoreboard::Wait wait, bool fenced) {
    const WarpMask me = bit(slot);
    table_.next.wait_memory &= ~me;
    table_.next.wait_alu &= ~me;
    if (wait.memory || fenced)
      table_.next.wait_memory |= me;
    else if (wait.pending)
      table_.next.wait_alu |= me;
  }
  void read_sources(std::uint32_t slot, bool can_read);

  const std::uint32_t issue_width_;
  std::array<UnitKind, kOperations> units_;  // by operation
  IssueTable& table_;
  ManagedResources* const managed_;
  bool takes_turns_ = false;  // a kernel that has been on the SM has instructions that take turns
};

}  // namespace heddle
