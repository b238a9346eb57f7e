#pragma once
// The DataBusAccount accounts each cycle of a channel's data bus: it is busy, or lost for exactly one reason.
// A burst has the cycles from its column command on, which is CL or WL before the data. `busy` and the
// reasons add up to the accounted cycles, which are those before the present cycle: a burst in progress
// counts as far as it has come.
//
// The cycles between two column commands are charged to the reasons that delayed the second command, in this
// order of time:
//
// - nothing_queued: no request was queued.
// - refresh: a refresh was in progress.
// - bank: the timing rules of the bank itself kept its row closed (last use, tRP, tRC, tRCD).
// - activate_window: activates of other banks delayed the activate (tRRD, tFAW, t32AW).
// - command_bus: the activate was legal, but another command was issued or the scheduler delayed it.
// - turnaround: the bus turned between reads and writes.
// - group: the bank group was busy (tCCDL), or the stack id changed (tCCDR).
// - command_bus: the remaining cycles.
//
// A reason that does not apply is charged nothing. A row hit can be charged turnaround, group and command_bus
// only.
//
// While requests wait, only the next column command tells the reasons of the cycles since the last burst. A
// reader finds these cycles under `bank`, and the column command charges them to their reasons. So `bank` can
// decrease from one reading to the next, and the times of earlier readings have no effect on a reading.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_timing.h"
#include "models/stats/group.h"

namespace heddle {

class DataBusAccount {
 public:
  enum Reason : std::size_t {
    kNothingQueued,
    kRefresh,
    kBank,
    kActivateWindow,
    kTurnaround,
    kGroup,
    kCommandBus
  };
  static constexpr std::size_t kReasons = 7;

  struct Shape {
    std::uint32_t groups;
    std::uint32_t banks;
    std::uint32_t stack_ids;
  };
  DataBusAccount(const DramTiming& timing, const Shape& shape, Group& stats);

  // Counts from cycle 0 again. The channel resets the counters.
  void reset();

  void queued(Cycle now) { queued_since_ = now; }  // called when a request arrives and none waits
  // All banks, or one bank, are in a refresh.
  void refreshing(Cycle until) { refresh_until_ = until; }
  void refreshing(std::uint32_t bank, Cycle until) { activates_[bank].refresh_until = until; }
  // Records an activate. `bank_ready` is the cycle from which its own bank allowed it, and `others_ready` the
  // cycle from which the other banks allowed it.
  void activated(std::uint32_t bank, Cycle bank_ready, Cycle others_ready, Cycle now) {
    Activate& activate = activates_[bank];
    activate = {std::max(bank_ready, refresh_until_), others_ready, now, activate.refresh_until};
  }
  void column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now) {
    add_column(bank, group, write, now);
    if (has_stacks_) delay_other_stacks(group, write, now + other_stack_[write ? 1 : 0]);
  }

  // Brings the account up to `now`. `waiting` says that requests wait.
  void account_until(Cycle now, bool waiting);

  // These return the accounted cycles, the busy cycles, and the cycles lost for `reason`.
  std::uint64_t cycles() const { return accounted_.value + presumed_; }
  std::uint64_t busy() const { return busy_.value(); }
  std::uint64_t lost(Reason reason) const { return lost_[reason].value(); }
  static const char* name_of(Reason reason);

 private:
  struct Activate {
    Cycle bank_ready;
    Cycle others_ready;
    Cycle at;
    Cycle refresh_until;  // of the last refresh of this bank alone
  };

  // A Column has the distances of the column commands of one direction, in CK.
  struct Column {
    std::uint32_t open;         // from an activate
    std::uint32_t same_group;   // to the next command of the same direction in its bank group
    std::uint32_t other;        // to the next command of the other direction
    std::uint32_t other_group;  // to the next command of the other direction in its bank group
  };
  static Column column_of(const DramTiming& timing, bool write);

  void add_column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now);
  void delay_other_stacks(std::uint32_t group, bool write, Cycle until);
  void pass_data(Cycle until);  // of the last burst
  void charge(Reason reason, Cycle until, Cycle limit);
  void presume(std::uint64_t cycles);

  const std::uint32_t burst_;
  const std::uint32_t groups_per_stack_;
  const bool has_stacks_;                           // more than one
  const std::array<Column, 2> columns_;             // reads, writes
  const std::array<std::uint32_t, 2> other_stack_;  // from one to the next of another stack id
  Cycle accounted_{0};                              // every cycle before it is charged
  std::uint64_t presumed_ = 0;  // cycles from accounted_ on that count as `bank` until they are charged
  Cycle data_until_{0};         // the end of the last burst
  Cycle queued_since_{0};
  Cycle refresh_until_{0};
  std::vector<Activate> activates_;  // by bank: its last activate
  // These are the first cycles at which a read, and a write, can follow an earlier column command.
  std::array<Cycle, 2> turned_{};                   // after the last command of the other direction
  std::array<std::vector<Cycle>, 2> group_turned_;  // the same, by the bank group of the following command
  // These cycles follow the last command of the same direction, by its bank group.
  std::array<std::vector<Cycle>, 2> group_ready_;

  Counter busy_;
  std::array<Counter, kReasons> lost_;
};

}  // namespace heddle
