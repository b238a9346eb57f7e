#pragma once
// The TimingTable holds the earliest cycle at which the timing rules of a DRAM standard allow each command at
// each bank.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_timing.h"

namespace heddle {

// The table does not know whether the row of a bank is open; its owner does. Banks are numbered group by
// group.
class TimingTable {
 public:
  // The groups are those of `stack_ids` stack ids, one stack id after the other.
  TimingTable(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks_per_group,
              std::uint32_t stack_ids = 1);

  // These return the earliest cycle by the rules of all banks, by those of one group, by those of one bank,
  // and by all rules together.
  Cycle shared_earliest(DramCommand command) const { return earliest_[base(command)]; }
  Cycle group_earliest(DramCommand command, std::uint32_t group) const {
    return earliest_[base(command) + 1 + group];
  }
  Cycle bank_earliest(DramCommand command, std::uint32_t bank) const {
    return earliest_[base(command) + 1 + groups_ + bank];
  }
  Cycle earliest(DramCommand command, std::uint32_t bank) const {
    const Cycle* of = &earliest_[base(command)];
    Cycle latest = of[0];
    if (of[1 + group_of_[bank]] > latest) latest = of[1 + group_of_[bank]];
    if (of[1 + groups_ + bank] > latest) latest = of[1 + groups_ + bank];
    return latest;
  }
  // Returns the earliest cycles of a command: that of all banks, then one for each group, then one for each
  // bank. The pointer stays valid as long as the table.
  const Cycle* row(DramCommand command) const { return &earliest_[base(command)]; }
  std::uint32_t group_of(std::uint32_t bank) const { return group_of_[bank]; }

  // Makes every command legal at once.
  void reset();

  // Records a command. For a command to all banks, `bank` has no effect.
  void issue(DramCommand command, std::uint32_t bank, Cycle now) {
    delay_others(command, bank, now);
    if (has_stacks_) delay_other_stacks(command, group_of_[bank], now);
  }

 private:
  struct Entry {  // a timing rule, and the index in `earliest_` that it raises
    std::uint32_t first;
    std::uint32_t distance;
    TimingScope scope;
  };
  struct StackEntry {  // a rule between stack ids, and the index of the cycle of group 0
    std::size_t group;
    std::uint32_t distance;
  };
  struct Window {
    std::size_t activates;
    std::uint32_t cycles;
  };
  static constexpr std::size_t kRemembered = 32;  // the most recent activates; a power of two

  // Returns the command without automatic precharge, which is legal at the same cycles.
  static DramCommand plain(DramCommand command) {
    return command == DramCommand::kReadAuto    ? DramCommand::kRead
           : command == DramCommand::kWriteAuto ? DramCommand::kWrite
                                                : command;
  }
  std::size_t base(DramCommand command) const { return base_[static_cast<std::size_t>(command)]; }
  void raise(std::size_t at, Cycle cycle) {
    if (cycle > earliest_[at]) earliest_[at] = cycle;
  }
  void add(const TimingDistance& rule);
  void delay_others(DramCommand command, std::uint32_t bank, Cycle now);
  void delay_other_stacks(DramCommand command, std::uint32_t group, Cycle now);
  void activated(Cycle now);

  std::uint32_t groups_;
  std::uint32_t groups_per_stack_;
  bool has_stacks_;  // more than one
  std::size_t stride_;
  std::array<std::size_t, kDramCommands> base_{};  // by command: the index of its first cycle in `earliest_`
  std::vector<std::uint32_t> group_of_;            // by bank
  std::vector<Cycle> earliest_;  // by command: one for all banks, then by group, then by bank
  std::array<std::vector<Entry>, kDramCommands> entries_;
  std::array<std::vector<StackEntry>, kDramCommands> stack_entries_;
  std::vector<Window> windows_;
  std::array<Cycle, kRemembered> activates_{};
  std::size_t activated_ = 0;
};

}  // namespace heddle
