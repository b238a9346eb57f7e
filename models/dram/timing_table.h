#pragma once
// GDDR5 timing as a table of rules, and the earliest cycle that they leave to each command at each bank.

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/base/ids.h"
#include "models/dram/dram_spec.h"

namespace heddle {

enum class TimingScope : std::uint8_t { kBank, kGroup, kAll };

// After `previous` at a bank, `next` is legal `distance` CK later at the earliest: at that bank, at every
// bank of its group, or at every bank.
struct TimingRule {
  const char* name;
  DramCommand previous;
  DramCommand next;
  TimingScope scope;
  std::uint32_t distance;
};

// At most `activates` of them within `cycles`.
struct ActivateWindow {
  const char* name;
  std::uint32_t activates;
  std::uint32_t cycles;
};

// Every rule of the standard. An automatic precharge shows in the distance to what follows it.
std::vector<TimingRule> timing_rules(const DramTiming& timing);
std::vector<ActivateWindow> activate_windows(const DramTiming& timing);

// Cycles only: whether a bank's row is open is its owner's knowledge. Banks are numbered group by group.
class TimingTable {
 public:
  TimingTable(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks_per_group);

  // Of what all banks share, what a group shares, and of the bank alone.
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
  // A command's cycles: what all banks share, then by group, then by bank. Stays where it is.
  const Cycle* row(DramCommand command) const { return &earliest_[base(command)]; }
  std::uint32_t group_of(std::uint32_t bank) const { return group_of_[bank]; }

  // Every command is legal at once afterwards.
  void reset();

  // `bank` is any for commands to all banks.
  void issue(DramCommand command, std::uint32_t bank, Cycle now);

 private:
  struct Entry {  // a rule, resolved to where its earliest cycle is kept
    std::uint32_t first;
    std::uint32_t distance;
    TimingScope scope;
  };
  struct Window {
    std::size_t activates;
    std::uint32_t cycles;
  };
  static constexpr std::size_t kRemembered = 32;  // activates, a power of two

  // A column command with automatic precharge is legal when the one without is.
  static DramCommand plain(DramCommand command) {
    return command == DramCommand::kReadAuto    ? DramCommand::kRead
           : command == DramCommand::kWriteAuto ? DramCommand::kWrite
                                                : command;
  }
  std::size_t base(DramCommand command) const { return base_[static_cast<std::size_t>(command)]; }
  void raise(std::size_t at, Cycle cycle) {
    if (cycle > earliest_[at]) earliest_[at] = cycle;
  }
  void activated(Cycle now);

  std::uint32_t groups_;
  std::size_t stride_;
  std::array<std::size_t, kDramCommands> base_{};  // by command: where its cycles begin
  std::vector<std::uint32_t> group_of_;            // by bank
  std::vector<Cycle> earliest_;                    // by command: all, by group, by bank
  std::array<std::vector<Entry>, kDramCommands> entries_;
  std::vector<Window> windows_;
  std::array<Cycle, kRemembered> activates_{};
  std::size_t activated_ = 0;
};

}  // namespace heddle
