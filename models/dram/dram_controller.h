#pragma once
// The DramController controls one DRAM channel, or one pseudo-channel of it: it has a request queue, issues
// at most one command in each command clock (CK) on each command bus of the standard, and refreshes. It is
// pure logic, and its owner passes the cycle. dram_controller_next.cpp has its functions for the next command
// of each bank, and dram_controller_refresh.cpp those for refreshes.
//
//   if (!controller.full()) controller.accept({address, write, token}, now);
//   // A column command was issued if tick() returns a completion; its data end at last_beat.
//   if (auto done = controller.tick(now)) ...
//   // The owner may sleep until controller.next_wake() or the next request.
//
// The controller serves either reads or writes at a time. A write drain starts when `write_high` writes wait,
// or when writes wait and no read does. It ends when a read waits and at most `write_low` writes are left.
// Requests to one address may be reordered. An owner that needs an order waits for the completion of the
// first request before it sends the second.
//
// A refresh is due every tREFI. It is issued at once if no request waits, and otherwise after it has been
// postponed by `refresh_postpone` times tREFI. Then the controller opens no more rows, issues the column
// commands that do not delay the precharge, precharges all rows and issues REF.
//
// With refreshes bank by bank, a refresh of the next bank in turn is due every tREFISB. It is issued at once
// if no request waits for the bank, and otherwise after it has been postponed as above. Then the bank takes
// no more commands of requests until the controller has precharged it and has issued REFSB.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/kernel/account_table.h"
#include "models/core/kernel/launch_counts.h"
#include "models/dram/address_map.h"
#include "models/dram/command_buses.h"
#include "models/dram/data_bus_account.h"
#include "models/dram/request_queue.h"
#include "models/dram/timing_table.h"
#include "models/stats/group.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"

namespace heddle {

struct DramRequest {
  Address local = 0;  // channel-local; the request is for the burst at this address
  bool write = false;
  std::uint64_t token = 0;  // returned with the completion
  bool is_swap = false;     // of swap space
  AccountId account{};      // of the launch that caused it
};

struct DramCompletion {
  bool write = false;
  std::uint64_t token = 0;
  Cycle accepted;
  Cycle last_beat;  // the first CK after the data
};

// A DramObserver is called for every command when it is issued. `bank` is the number within its group. Group,
// bank and row are 0 for a command to all banks.
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
  bool full() const { return queue_.full(); }
  bool idle() const { return queue_.empty(); }
  void accept(const DramRequest& request, Cycle now);  // requires a queue that is not full
  std::optional<DramCompletion> tick(Cycle now);       // may be called at any cycle
  // Returns the cycle at which tick() must be called next, or never if no request waits. Refreshes that
  // become due before the next call are issued by that call, at the cycles at which they were due.
  Cycle next_wake() const { return queue_.empty() ? Cycle::never() : next_; }
  Cycle next_step() const { return next_; }  // the same, refreshes without requests included

  const LocalMap& map() const { return map_; }
  // The observer is told the number of a bank group behind `first_group` others.
  void observe(DramObserver& observer, std::uint32_t first_group = 0) {
    observer_ = &observer;
    first_group_ = first_group;
  }
  void account_until(Cycle now);  // brings the counters up to `now`
  Group& stats() { return stats_; }
  const DataBusAccount& data_bus() const { return data_bus_; }
  DramCounts counts(AccountId account) const { return counts_.at(account); }
  bool holds(AccountId account) const { return waiting_requests_.at(account) > 0; }
  void close(AccountId account) { counts_.clear(account); }  // its counts start at zero again
  std::uint64_t commands(DramCommand command) const {
    return commands_[static_cast<std::size_t>(command)].value();
  }
  std::uint64_t outcomes(RowOutcome outcome) const {
    return outcomes_[static_cast<std::size_t>(outcome)].value();
  }

 private:
  using Slot = RequestQueue::Slot;
  struct Bank {
    std::uint32_t row = 0;
    Slot row_hit = RequestQueue::kNone;  // the oldest request for the open row, in this direction
    std::uint32_t bypassed = 0;          // see OpenRowView
    bool conflict = false;               // its row was precharged for another row
    bool unused = false;                 // no request has used its row since the activate
  };

  enum NextCommand : std::uint8_t { kColumn, kActivate, kPrecharge, kNextCommands };
  // A BankRefresh is the state of refreshes bank by bank. Its cycles are never if the channel has none.
  struct BankRefresh {
    Cycle due;
    Cycle forced;            // when the refresh can be postponed no longer
    std::uint32_t bank = 0;  // the next bank in turn
    BankMask held = 0;       // its mask while it takes no commands of requests
    Cycle next;              // at most the next cycle at which something of it can happen
  };
  struct Waiting {
    BankMask ready = 0;  // banks whose own rules allow the command
    BankMask later = 0;  // the other banks, and banks that have changed since their rules were checked
    Cycle due = Cycle::never();    // at most the first cycle at which one of `later` is ready
    const Cycle* legal = nullptr;  // TimingTable::row() of the command
    BankMask all() const { return ready | later; }
  };

  std::optional<DramCompletion> step(Cycle now);
  std::optional<DramCompletion> step_on_two_buses(Cycle now);
  std::optional<DramCompletion> refresh_step(Cycle now);
  std::optional<DramCompletion> issue_column(std::uint32_t bank, Cycle now);
  void count(const WaitingRequest& request);  // that is served
  void catch_up(Cycle now);
  void activate(std::uint32_t bank, Cycle now);
  void precharge(std::uint32_t bank, Cycle now);
  void precharge_all(Cycle now);
  void refresh(Cycle now);
  static std::uint64_t postpone_cycles(const DramSpec& spec);
  void reset_refreshes();
  bool step_bank_refresh(Cycle now);
  Cycle next_bank_refresh(Cycle now) const;
  bool has_request(std::uint32_t bank) const {
    return ((queue_.banks_waiting(false) | queue_.banks_waiting(true)) & bit(bank)) != 0;
  }
  void close_bank(Cycle now);
  void refresh_bank(Cycle now);
  void issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Cycle now);
  bool issue_chosen(CommandSlotView& slot, Cycle now, std::optional<DramCompletion>& done);
  Cycle next_event(Cycle from) const;
  // Returns the banks whose next command is `command`, if it is legal at `now`. If the command of another
  // bank becomes legal only later, the function lowers `next` to that cycle or an earlier one. The values of
  // `now` of successive calls never decrease.
  BankMask ready(NextCommand command, Cycle now, Cycle& next) {
    const Waiting& waiting = waiting_[command];
    if (waiting.all() == 0) return 0;
    if (const Cycle shared = waiting.legal[0]; shared > now) {
      next = shared < next ? shared : next;
      return 0;
    }
    return ready_banks(command, now, next);
  }
  // Does the same for a standard with several command buses: the command needs this bus.
  BankMask ready_on(CommandBus bus, NextCommand command, Cycle now, Cycle& next) {
    if (buses_.free(bus) <= now) return ready(command, now, next);
    if (waiting_[command].all() != 0) next = std::min(next, buses_.free(bus));
    return 0;
  }
  BankMask ready_banks(NextCommand command, Cycle now, Cycle& next);
  void check_later(Waiting& waiting, Cycle now);
  void set_direction(bool writing);
  bool update_direction();
  void update_next_command(std::uint32_t bank);
  void update_next_commands();
  void release_kept_rows();
  static constexpr BankMask bit(std::uint32_t bank) { return BankMask{1} << bank; }
  bool is_open(std::uint32_t bank) const { return (open_ >> bank & 1) != 0; }
  void set_open(BankMask open, Cycle now);

  // A Direction has the distances of reads, or of writes, in CK.
  struct Direction {
    std::uint32_t last_beat;     // from the command to the first CK after its data
    std::uint32_t to_precharge;  // from the command to a precharge of all banks
  };
  static Direction direction_of(const DramTiming& timing, bool write);

  const DramSpec spec_;
  const std::array<Direction, 2> directions_;  // reads, writes
  const std::uint32_t refresh_interval_;
  const std::uint32_t refresh_time_;
  const bool row_bus_;              // row and column commands have a bus each
  const bool precharges_by_group_;  // a timing rule of bank groups delays precharges
  const LocalMap map_;
  CommandBuses& buses_;
  TimingTable timing_;
  RequestQueue queue_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<PagePolicy> page_policy_;
  DramObserver* observer_ = nullptr;
  std::uint32_t first_group_ = 0;

  std::vector<Bank> banks_;
  std::vector<BankMask> groups_;  // by group: the mask of its banks
  BankMask open_ = 0;
  Cycle open_since_{0};   // of a controller with an open row: what follows is not in open_cycles_ yet
  bool writing_ = false;  // true during a write drain
  // Banks whose row was opened for a request of the other direction, and not used: it stays open until that
  // request is served, or until nothing else of this direction waits.
  BankMask kept_ = 0;
  std::array<Waiting, kNextCommands>
      waiting_;                            // banks with a request of the direction, by their next command
  std::vector<NextCommand> next_command_;  // by bank; kNextCommands: no request of the direction waits
  std::vector<Cycle> bank_ready_;          // by waiting bank: when its own rules allow its next command
  std::vector<std::uint64_t> arrival_;     // by waiting bank: number of its next request
  std::uint64_t arrivals_ = 0;

  Cycle next_{0};               // at most the next cycle at which a command can be issued
  Cycle bus_free_{0};           // the first cycle that step() has not handled
  Cycle refresh_due_;           // when the oldest refresh that is not issued became due
  Cycle refresh_forced_;        // when that refresh can be postponed no longer
  std::uint64_t postpone_ = 0;  // CK from refresh_due_ to refresh_forced_
  bool closing_ = false;        // rows are being precharged for a refresh
  BankRefresh bank_refresh_;

  Group stats_;
  DataBusAccount data_bus_;
  AccountTable<DramCounts> counts_;
  AccountTable<std::uint32_t> waiting_requests_;
  Counter reads_, writes_, swap_reads_, swap_writes_, read_latency_;
  Counter open_cycles_, closed_cycles_;
  std::array<Counter, 3> outcomes_;
  std::array<Counter, kDramCommands> commands_;
};

}  // namespace heddle
