#pragma once
// The DramStats have what a controller counts: its requests, row outcomes, commands, the time with an open
// row, the account of its data bus, the counts of each launch, and those of each context if the scheduler
// ranks requests.

#include <array>
#include <memory>
#include <string>

#include "models/core/kernel/account_table.h"
#include "models/core/kernel/launch_counts.h"
#include "models/dram/address_map.h"
#include "models/dram/data_bus_account.h"
#include "models/dram/request_queue.h"
#include "models/stats/context_turns.h"
#include "models/stats/group.h"

namespace heddle {

class DramStats {
 public:
  // The queue must live as long.
  DramStats(const std::string& name, const DramSpec& spec, const LocalMap& map, const RequestQueue& queue);

  void reset();

  void accepted(AccountId account, bool write, bool is_swap) {
    ++waiting_requests_[account];
    if (is_swap) ++(write ? swap_writes_ : swap_reads_);
  }
  void served(const WaitingRequest& request, Cycle last_beat);
  // From now on the controller counts what each context is given, and calls served_context().
  void count_contexts();
  // The column command of the request is issued at `now`. `oldest` is the oldest request of its direction.
  void served_context(const WaitingRequest& request, const WaitingRequest& oldest, Cycle now) {
    contexts_->served(request.context, oldest.context, now - request.accepted);
  }
  void issued(DramCommand command) { ++commands_[static_cast<std::size_t>(command)]; }
  // Some row was open since the last call or none was, up to `now`.
  void rows(bool were_open, Cycle now) {
    if (were_open) open_cycles_ += now - open_since_;
    open_since_ = now;
  }
  // Brings the counters up to `now`.
  void account_until(Cycle now, bool are_open, bool requests_wait);

  Group& group() { return group_; }
  const char* name() const { return group_.name().c_str(); }
  DataBusAccount& data_bus() { return data_bus_; }
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
  void add_counters(const DramStandard& standard, const RequestQueue& queue);

  Group group_;
  DataBusAccount data_bus_;
  AccountTable<DramCounts> counts_;
  AccountTable<std::uint32_t> waiting_requests_;
  std::unique_ptr<ContextTurns> contexts_;  // null: they are not counted
  Cycle open_since_{0};                     // what follows is not in open_cycles_ yet
  Counter reads_, writes_, swap_reads_, swap_writes_, read_latency_;
  Counter open_cycles_, closed_cycles_;
  std::array<Counter, 3> outcomes_;
  std::array<Counter, kDramCommands> commands_;
};

}  // namespace heddle
