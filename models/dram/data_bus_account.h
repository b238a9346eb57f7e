#pragma once
// Where the cycles of a channel's data bus went: busy, or lost for one reason each. They are counted where
// the column commands stand, CL or WL before their data; the reasons and `busy` add up to the cycles
// accounted.
//
// The cycles between two column commands are charged to what held back the second, in this order of time:
//   nothing_queued   until a request waited
//   refresh          until the refresh in between, if any, was over
//   bank             until its row could have been open, had its bank alone counted: the last row's use, tRP,
//                    tRC, tRCD
//   activate_window  for as long as activates elsewhere held its own back: tRRD, tFAW, t32AW
//   command_bus      for as long as its activate then gave way to other commands, or the scheduler held it
//   back turnaround       until reads could follow writes, or writes reads group            tCCDL command_bus
//   the rest
// Parts that do not apply are empty, so that a row hit is charged turnaround, group and command bus alone.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_spec.h"
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

  void queued(Cycle now) { queued_since_ = now; }  // a request came where none waited
  void refreshing(Cycle until) { refresh_until_ = until; }
  // An activate, and from when on its bank alone and the other banks allowed it.
  void activated(std::uint32_t bank, Cycle bank_ready, Cycle others_ready, Cycle now) {
    activates_[bank] = {std::max(bank_ready, refresh_until_), others_ready, now};
  }
  void column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now);

  // Brings the account up to `now`, which a burst under way may exceed. Where requests wait, the time since
  // the last column command is charged to their bank until it is known better.
  void settle(Cycle now, bool waiting);

  // All cycles accounted, and those of `reason`.
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

  void charge(Reason reason, Cycle until, Cycle limit);

  const DramTiming timing_;
  Cycle accounted_{0};
  Cycle queued_since_{0};
  Cycle refresh_until_{0};
  std::vector<Activate> activates_;  // by bank, the last
  Cycle read_after_write_{0}, write_after_read_{0};
  std::vector<Cycle> group_read_after_write_;      // by group
  std::array<std::vector<Cycle>, 2> group_ready_;  // reads, writes; by group

  Counter busy_;
  std::array<Counter, kReasons> lost_;
};

}  // namespace heddle
