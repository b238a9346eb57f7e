#pragma once
// The use of a channel's data bus: each cycle is busy, or lost for exactly one reason. A burst is counted at
// its column command, which comes CL or WL before the data. `busy` and the reasons add up to the cycles
// accounted.
//
// The cycles between two column commands are charged to the reasons that delayed the second, in this order of
// time:
//
// - nothing_queued: no request was queued.
// - refresh: a refresh was in progress.
// - bank: the rules of its own bank kept the row from being open (last use, tRP, tRC, tRCD).
// - activate_window: activates of other banks delayed the activate (tRRD, tFAW, t32AW).
// - command_bus: the activate was legal, and another command was issued or the scheduler delayed it.
// - turnaround: the bus turned between reads and writes.
// - group: the bank group was busy (tCCDL).
// - command_bus, again: the rest.
//
// A reason that does not apply is charged nothing. A row hit is charged turnaround, group and command bus
// alone.

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

  DataBusAccount(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks, Group& stats);

  // Counts from cycle 0 again. The counters are the channel's to reset.
  void reset();

  void queued(Cycle now) { queued_since_ = now; }  // called when a request arrives and none waits
  void refreshing(Cycle until) { refresh_until_ = until; }
  // An activate is issued. `bank_ready` is when its own bank allowed it, `others_ready` when the others did.
  void activated(std::uint32_t bank, Cycle bank_ready, Cycle others_ready, Cycle now) {
    activates_[bank] = {std::max(bank_ready, refresh_until_), others_ready, now};
  }
  void column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now);

  // Brings the account up to `now`; a burst in progress may end later. If requests wait, the time since the
  // last column command is charged to their bank, because the reason is known with the next column command
  // only.
  void settle(Cycle now, bool waiting);

  // Cycles: accounted, busy, and lost for `reason`.
  std::uint64_t cycles() const { return accounted_.value; }
  std::uint64_t busy() const { return busy_.value(); }
  std::uint64_t lost(Reason reason) const { return lost_[reason].value(); }
  static const char* name_of(Reason reason);

 private:
  struct Activate {
    Cycle bank_ready;
    Cycle others_ready;
    Cycle at;
  };

  // Distances of the column commands of one direction.
  struct Column {
    std::uint32_t open;         // from an activate
    std::uint32_t same_group;   // to the next of the direction in its bank group
    std::uint32_t other;        // to one of the other direction
    std::uint32_t other_group;  // to one of the other direction in its bank group
  };
  static Column column_of(const DramTiming& timing, bool write);

  void charge(Reason reason, Cycle until, Cycle limit);

  const std::uint32_t burst_;
  const std::array<Column, 2> columns_;  // reads, writes
  Cycle accounted_{0};
  Cycle queued_since_{0};
  Cycle refresh_until_{0};
  std::vector<Activate> activates_;  // by bank: its last
  // For reads and for writes, the cycle from which one may follow
  std::array<Cycle, 2> turned_{};                   // the last column command of the other direction
  std::array<std::vector<Cycle>, 2> group_turned_;  // that command, by the bank group of the next one
  std::array<std::vector<Cycle>, 2> group_ready_;   // the last of the same direction, by its bank group

  Counter busy_;
  std::array<Counter, kReasons> lost_;
};

}  // namespace heddle
