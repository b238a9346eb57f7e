#pragma once
// The DramController controls one DRAM channel, or one pseudo-channel of it. It issues at most one command in
// each command clock (CK) on each command bus of the standard. It is pure logic, and its owner passes the
// cycle.
//
//   if (!controller.full()) controller.accept({address, write, token}, now);
//   // A column command was issued if tick() returns a completion; its data end at last_beat.
//   if (auto done = controller.tick(now)) ...
//   // The owner may sleep until controller.next_wake() or the next request.
//
// The controller binds its parts and issues the commands that they name:
//
//   TimingTable                  when each command is legal
//   NextCommands                 the rows, the requests that wait, and the next command of each bank
//   DrainMode                    whether reads or writes are served; asks the policy write_drain
//   AllBankRefresh, BankRefresh  when a refresh takes the channel or some banks, and which command it needs;
//                                they ask the policy refresh_policy
//   DramScheduler, PagePolicy    which bank gets the command slot; whether a column command closes its row
//   DramStats                    what is counted
//
// Requests to one address may be reordered. An owner that needs an order waits for the completion of the
// first request before it sends the second.

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "models/dram/address_map.h"
#include "models/dram/command_buses.h"
#include "models/dram/drain_mode.h"
#include "models/dram/dram_stats.h"
#include "models/dram/next_commands.h"
#include "models/dram/refresh.h"
#include "models/dram/timing_table.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"

namespace heddle {

struct DramRequest {
  Address local = 0;  // channel-local; the request is for the burst at this address
  bool write = false;
  std::uint64_t token = 0;  // returned with the completion
  bool is_swap = false;     // of swap space
  AccountId account{};      // of the launch that caused it
  ContextId context{};      // of the process; for schedulers that rank requests
};

struct DramCompletion {
  bool write = false;
  std::uint64_t token = 0;
  Cycle accepted;
  Cycle last_beat;  // the first CK after the data
};

// A DramObserver is called for every command when it is issued. `bank` is the number within its group. Group,
// bank and row are 0 for a command to all banks, and group and row for a refresh of the same bank of each
// group.
class DramObserver {
 public:
  virtual ~DramObserver() = default;
  virtual void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
                       std::uint32_t row) = 0;
};

struct DramPolicies {
  std::unique_ptr<DramScheduler> scheduler;
  std::unique_ptr<PagePolicy> page_policy;
};

class DramController {
 public:
  // The buses, which controllers of one channel share, must outlive the controller.
  DramController(const std::string& name, const DramSpec& spec, CommandBuses& buses, DramPolicies policies);

  // Drops every request, closes every row and counts from cycle 0 again. The observer stays attached.
  void reset();

  // The cycles passed to the following functions never decrease.
  bool full() const { return commands_.queue().full(); }
  bool idle() const { return commands_.queue().empty(); }
  void accept(const DramRequest& request, Cycle now);  // requires a queue that is not full
  std::optional<DramCompletion> tick(Cycle now);       // may be called at any cycle
  // Returns the cycle at which tick() must be called next, or never if no request waits. Refreshes that
  // become due before the next call are issued by that call, at the cycles at which they were due.
  Cycle next_wake() const { return idle() ? Cycle::never() : next_; }
  Cycle next_step() const { return next_; }  // the same, refreshes without requests included

  const LocalMap& map() const { return map_; }
  // The observer is told the number of a bank group behind `first_group` others.
  void observe(DramObserver& observer, std::uint32_t first_group = 0) {
    observer_ = &observer;
    first_group_ = first_group;
  }
  void account_until(Cycle now);  // brings the counters up to `now`
  DramStats& stats() { return stats_; }
  const DramStats& stats() const { return stats_; }

 private:
  // A Direction has the distances of reads, or of writes, in CK.
  struct Direction {
    std::uint32_t last_beat;     // from the command to the first CK after its data
    std::uint32_t to_precharge;  // from the command to a precharge of all banks
  };
  static Direction direction_of(const DramTiming& timing, bool write);
  const Direction& direction() const { return directions_[drain_.writing() ? 1 : 0]; }

  void catch_up(Cycle now);
  std::optional<DramCompletion> step(Cycle now);
  std::optional<DramCompletion> step_commands(Cycle now);
  void update_ranks(Cycle now);
  void tell_ranking(std::uint32_t bank, Cycle now);
  std::optional<DramCompletion> step_on_one_bus(Cycle now);
  std::optional<DramCompletion> step_on_two_buses(Cycle now);
  bool update_direction();
  Cycle next_event(Cycle now) const;

  // The commands for requests.
  bool issue_chosen(CommandSlotView& slot, Cycle now, std::optional<DramCompletion>& done);
  std::optional<DramCompletion> issue_column(std::uint32_t bank, Cycle now);
  void activate(std::uint32_t bank, Cycle now);
  void precharge(std::uint32_t bank, Cycle now);

  // The commands for refreshes.
  std::optional<DramCompletion> step_refresh_of_all(Cycle now);
  void precharge_all(Cycle now);
  void refresh_all(Cycle now);
  bool step_refresh_of_banks(Cycle now);
  void refresh_banks(Cycle now);

  void issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Cycle now);
  Cycle row_bus_free() const { return buses_.free(CommandBus::kRow); }
  // The banks with a legal command, as NextCommands::ready(), for a standard with several command buses: the
  // command needs this bus.
  BankMask ready_on(CommandBus bus, NextCommands::Kind kind, Cycle now, Cycle& next) {
    if (buses_.free(bus) <= now) return commands_.ready(kind, now, next);
    if (commands_.waiting(kind) != 0) next = std::min(next, buses_.free(bus));
    return 0;
  }

  const DramSpec spec_;
  const std::array<Direction, 2> directions_;  // reads, writes
  const bool row_bus_;                         // row and column commands have a bus each
  const LocalMap map_;
  CommandBuses& buses_;
  const std::unique_ptr<DramScheduler> scheduler_;
  const std::unique_ptr<PagePolicy> page_policy_;
  RequestRanking* const ranking_;  // of the scheduler; null: it does not rank
  DramObserver* observer_ = nullptr;
  std::uint32_t first_group_ = 0;

  TimingTable timing_;
  NextCommands commands_;
  DrainMode drain_;
  AllBankRefresh refresh_of_all_;
  BankRefresh refresh_of_banks_;
  DramStats stats_;
  std::uint64_t arrivals_ = 0;
  Cycle next_{0};      // at most the next cycle at which a command can be issued
  Cycle bus_free_{0};  // the first cycle that step() has not handled
};

}  // namespace heddle
