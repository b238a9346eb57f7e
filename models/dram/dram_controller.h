#pragma once
// The controller of one GDDR5 channel: a queue, one command per command clock (CK), refresh. Pure logic; its
// owner tells it the cycle.
//
//   if (!controller.full()) controller.accept({address, write, token}, now);
//   if (auto done = controller.tick(now)) ...   // a column command was issued; its data end at
//   done->last_beat sleep until controller.next_wake() or the next request
//
// Requests of one direction are served at a time: reads, until `write_high` writes wait or no read does; then
// writes, until at most `write_low` are left and a read waits. Requests to one address are not kept in order:
// whoever needs that has to wait for the first.
// A refresh is due every tREFI. It is made at once where no request waits, else when it has been postponed by
// `refresh_postpone` times tREFI: no row is opened any more, what can still be read or written without delay
// is, all rows are closed, REF.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/dram/address_map.h"
#include "models/dram/data_bus_account.h"
#include "models/dram/request_queue.h"
#include "models/dram/timing_table.h"
#include "models/stats/group.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"
#include "policies/page_policy/i_page_policy.h"

namespace heddle {

struct DramRequest {
  Address local = 0;  // in the channel; the burst it lies in is meant
  bool write = false;
  std::uint64_t token = 0;  // comes back with its completion
};

struct DramCompletion {
  bool write = false;
  std::uint64_t token = 0;
  Cycle accepted;
  Cycle last_beat;  // the first CK after its data
};

// Sees every command as it is issued. `bank` is in its group; group, bank and row are 0 for commands to all.
class DramObserver {
 public:
  virtual ~DramObserver() = default;
  virtual void command(Cycle now, DramCommand command, std::uint32_t group, std::uint32_t bank,
                       std::uint32_t row) = 0;
};

class DramController {
 public:
  DramController(const std::string& name, const DramSpec& spec, std::unique_ptr<DramScheduler> scheduler,
                 std::unique_ptr<PagePolicy> page_policy);

  // Drops every request, closes every row and counts from cycle 0 again. The observer stays.
  void reset();

  // Cycles given to any of these do not decrease.
  bool full() const { return queue_.full(); }
  bool idle() const { return queue_.empty(); }
  void accept(const DramRequest& request, Cycle now);  // not while full
  std::optional<DramCompletion> tick(Cycle now);       // may be called at any cycle
  // When tick() must be called next; never where no request waits. What happens meanwhile, refreshes, is made
  // up for later at the cycles where it belongs.
  Cycle next_wake() const { return queue_.empty() ? Cycle::never() : next_; }

  const LocalMap& map() const { return map_; }
  void observe(DramObserver& observer) { observer_ = &observer; }
  void settle(Cycle now);  // brings counters up to `now`
  Group& stats() { return stats_; }
  const DataBusAccount& data_bus() const { return account_; }
  std::uint64_t commands(DramCommand command) const {
    return commands_[static_cast<std::size_t>(command)].value();
  }
  std::uint64_t outcomes(RowOutcome outcome) const {
    return outcomes_[static_cast<std::size_t>(outcome)].value();
  }

  std::uint64_t bursts() const { return reads_.value() + writes_.value(); }

 private:
  using Slot = RequestQueue::Slot;
  struct Bank {
    std::uint32_t row = 0;
    Slot hit = RequestQueue::kNone;  // the oldest request of the direction for the open row
    std::uint32_t bypassed = 0;      // see OpenRowView
    bool conflict = false;           // closed for another row
  };

  enum Want : std::uint8_t { kColumn, kActivate, kPrecharge, kWants };
  struct Waiting {
    BankMask ready = 0;            // whose own cycle has come
    BankMask later = 0;            // the others, and those not looked at since they changed
    Cycle due = Cycle::never();    // no later than the first of them
    const Cycle* legal = nullptr;  // TimingTable::row() of the command
    BankMask all() const { return ready | later; }
  };

  std::optional<DramCompletion> step(Cycle now);
  std::optional<DramCompletion> refresh_step(Cycle now);
  std::optional<DramCompletion> serve(std::uint32_t bank, Cycle now);
  void catch_up(Cycle now);
  void activate(std::uint32_t bank, Cycle now);
  void precharge(std::uint32_t bank, Cycle now);
  void precharge_all(Cycle now);
  void refresh(Cycle now);
  void issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Cycle now);

  bool perform(CommandSlotView& slot, Cycle now, std::optional<DramCompletion>& done);
  Cycle soonest(Cycle from) const;
  BankMask ready(Want want, Cycle now, Cycle& next);
  void sort_out(Waiting& waiting, Cycle now);
  void set_direction(bool writing);
  bool turn();
  void update(std::uint32_t bank);
  void update_all();
  bool is_open(std::uint32_t bank) const { return (open_ >> bank & 1) != 0; }

  const DramSpec spec_;
  const LocalMap map_;
  TimingTable timing_;
  RequestQueue queue_;
  std::unique_ptr<DramScheduler> scheduler_;
  std::unique_ptr<PagePolicy> page_policy_;
  DramObserver* observer_ = nullptr;

  std::vector<Bank> banks_;
  std::vector<BankMask> groups_;  // banks of each
  BankMask open_ = 0;
  bool writing_ = false;                 // the direction
  std::array<Waiting, kWants> waiting_;  // banks with a request of the direction, by their next command
  std::vector<Want> want_;               // by bank: where it stands; kWants: nowhere
  std::vector<Cycle> bank_ready_;        // by waiting bank: of its next command, had it the channel alone
  std::vector<std::uint64_t> arrival_;   // by waiting bank: of its next request
  std::uint64_t arrivals_ = 0;

  Cycle next_{0};      // the earliest cycle at which anything can happen
  Cycle bus_free_{0};  // the first cycle without a step
  Cycle refresh_due_;  // of the oldest refresh not made
  Cycle refresh_forced_;
  std::uint64_t postpone_ = 0;  // CK from due to forced
  bool closing_ = false;        // rows have been closed for a refresh

  Group stats_;
  DataBusAccount account_;
  Counter reads_, writes_, read_latency_;
  std::array<Counter, 3> outcomes_;
  std::array<Counter, kDramCommands> commands_;
};

}  // namespace heddle
