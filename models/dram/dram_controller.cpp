#include "models/dram/dram_controller.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

DramController::DramController(const std::string& name, const DramSpec& spec, CommandBuses& buses,
                               DramPolicies policies)
    : spec_(spec),
      directions_{direction_of(spec.timing, false), direction_of(spec.timing, true)},
      row_bus_(spec.timing.standard().command_buses() > 1),
      map_(spec.map),
      buses_(buses),
      scheduler_(std::move(policies.scheduler)),
      page_policy_(std::move(policies.page_policy)),
      ranking_(scheduler_->ranking()),
      timing_(spec.timing, map_.groups(), map_.banks_per_group(), spec.map.stack_ids),
      commands_(spec, map_, timing_, *scheduler_),
      drain_(spec),
      refresh_of_all_(spec),
      refresh_of_banks_(spec, map_),
      stats_(name, spec, map_, commands_.queue()) {
  if (ranking_ != nullptr) stats_.count_contexts();
}

DramController::Direction DramController::direction_of(const DramTiming& timing, bool write) {
  return {timing.latency(write) + timing.burst(),
          timing.distance(write ? DramCommand::kWrite : DramCommand::kRead, DramCommand::kPrechargeAll,
                          TimingScope::kAll)};
}

void DramController::reset() {
  scheduler_->reset();
  page_policy_->reset();
  timing_.reset();
  commands_.reset();
  drain_.reset();
  refresh_of_all_.reset();
  refresh_of_banks_.reset();
  stats_.reset();
  arrivals_ = 0;
  next_ = bus_free_ = Cycle{0};
}

void DramController::accept(const DramRequest& request, Cycle now) {
  HEDDLE_CHECK(!full(), stats_.name(), now, "a request while the queue is full");
  HEDDLE_CHECK(request.local < map_.bytes(), stats_.name(), now,
               "address {:#x} lies beyond the channel's {} B", request.local, map_.bytes());
  if (idle()) {
    catch_up(now);
    stats_.data_bus().queued(now);
  }
  stats_.accepted(request.account, request.write, request.is_swap);
  const DramLocation at = map_.locate(request.local);
  const Cycle legal =
      commands_.add({request.token, arrivals_++, now, at.row, at.group * map_.banks_per_group() + at.bank,
                     request.account, request.write, RowOutcome::kHit, request.context},
                    at.group);
  Cycle next = std::max(now, bus_free_);
  if (!update_direction() && !refresh_of_all_.takes_channel(now, false)) next = std::max(next, legal);
  next_ = std::min(next_, next);
  if (ranking_ != nullptr) update_ranks(now);
}

std::optional<DramCompletion> DramController::tick(Cycle now) {
  if (idle()) catch_up(now);
  return now < next_ ? std::nullopt : step(now);
}

// Brings the controller up to `now`. Without requests it issues refreshes only.
void DramController::catch_up(Cycle now) {
  while (next_ < now) step(next_);
}

void DramController::account_until(Cycle now) {
  if (idle()) catch_up(now);
  stats_.account_until(now, commands_.open() != 0, !idle());
}

std::optional<DramCompletion> DramController::step(Cycle now) {
  bus_free_ = now + 1;
  if (ranking_ == nullptr) return step_commands(now);
  update_ranks(now);
  const std::optional<DramCompletion> done = step_commands(now);
  update_ranks(now);
  return done;
}

// Brings the ranking up to `now`, and next_ down to the cycle of its next change.
void DramController::update_ranks(Cycle now) {
  if (ranking_->update(now)) {
    commands_.rerank();
    next_ = std::min(next_, std::max(now, bus_free_));
  }
  if (!idle()) next_ = std::min(next_, std::max(ranking_->next_change(), bus_free_));
}

std::optional<DramCompletion> DramController::step_commands(Cycle now) {
  if (refresh_of_all_.takes_channel(now, idle())) return step_refresh_of_all(now);
  next_ = refresh_of_all_.next(idle());
  return row_bus_ ? step_on_two_buses(now) : step_on_one_bus(now);
}

std::optional<DramCompletion> DramController::step_on_one_bus(Cycle now) {
  if (spec_.refresh_by_bank && step_refresh_of_banks(now)) {
    next_ = std::min(next_event(now), refresh_of_banks_.next(now, commands_.banks_waiting()));
    return std::nullopt;
  }
  CommandSlotView slot;
  slot.columns = commands_.ready(NextCommands::kColumn, now, next_);
  slot.activates = commands_.ready(NextCommands::kActivate, now, next_);
  slot.precharges = commands_.ready(NextCommands::kPrecharge, now, next_);
  std::optional<DramCompletion> done;
  if ((slot.columns | slot.activates | slot.precharges) != 0)
    next_ = issue_chosen(slot, now, done) ? next_event(now) : now + 1;
  if (spec_.refresh_by_bank) next_ = std::min(next_, refresh_of_banks_.next(now, commands_.banks_waiting()));
  return done;
}

// Issues at most one column command and at most one row command. A row command for the refresh of a bank
// comes first.
std::optional<DramCompletion> DramController::step_on_two_buses(Cycle now) {
  std::optional<DramCompletion> done;
  const bool refresh_issued = step_refresh_of_banks(now);
  CommandSlotView columns;
  columns.columns = ready_on(CommandBus::kColumn, NextCommands::kColumn, now, next_);
  const bool column_legal = columns.columns != 0;
  const bool column_issued = column_legal && issue_chosen(columns, now, done);
  CommandSlotView rows;
  rows.activates = ready_on(CommandBus::kRow, NextCommands::kActivate, now, next_);
  rows.precharges = ready_on(CommandBus::kRow, NextCommands::kPrecharge, now, next_);
  const bool row_legal = (rows.activates | rows.precharges) != 0;
  const bool row_issued = row_legal && issue_chosen(rows, now, done);
  if (refresh_issued || column_legal || row_legal)
    next_ = column_legal == column_issued && row_legal == row_issued ? next_event(now) : now + 1;
  next_ = std::min(next_, refresh_of_banks_.next(now, commands_.banks_waiting()));
  return done;
}

// Returns whether the direction has changed.
bool DramController::update_direction() {
  if (!drain_.update(commands_.queue().count(false), commands_.queue().count(true))) return false;
  commands_.turn(drain_.writing());
  return true;
}

// Returns a cycle after `now` that is at most the first one at which a command can be issued.
Cycle DramController::next_event(Cycle now) const {
  return std::max(commands_.next_event(refresh_of_all_.next(idle())), now + 1);
}

// Issues the command that the scheduler chooses among the legal ones. Returns false if the scheduler chooses
// none.
bool DramController::issue_chosen(CommandSlotView& slot, Cycle now, std::optional<DramCompletion>& done) {
  slot.waiting = commands_.waiting();
  slot.arrival = commands_.arrival();
  slot.priority = commands_.priority();
  slot.now = now;
  const std::size_t chosen = scheduler_->choose(slot);
  if (chosen == DramScheduler::kNone) return false;
  const auto bank = static_cast<std::uint32_t>(chosen);
  if ((slot.columns >> bank & 1) != 0) {
    done = issue_column(bank, now);
  } else if ((slot.activates >> bank & 1) != 0) {
    activate(bank, now);
  } else {
    HEDDLE_CHECK((slot.precharges >> bank & 1) != 0, stats_.name(), now,
                 "the scheduler chose bank {}, which has no command", bank);
    precharge(bank, now);
  }
  return true;
}

std::optional<DramCompletion> DramController::issue_column(std::uint32_t bank, Cycle now) {
  if (ranking_ != nullptr) tell_ranking(bank, now);
  const NextCommands::Served served = commands_.serve(bank);
  const WaitingRequest& request = served.request;
  const bool close = page_policy_->close({bank, served.more_waiting});
  const DramCommand command = request.write ? (close ? DramCommand::kWriteAuto : DramCommand::kWrite)
                                            : (close ? DramCommand::kReadAuto : DramCommand::kRead);
  stats_.data_bus().column(bank, timing_.group_of(bank), request.write, now);
  issue(command, bank, request.row, now);
  if (close) stats_.rows(true, now);
  const Cycle last_beat = now + direction().last_beat;
  stats_.served(request, last_beat);
  commands_.served(bank, close);
  if (!update_direction()) commands_.release_kept_rows();
  if (ranking_ != nullptr && ranking_->update(now)) commands_.rerank();
  return DramCompletion{request.write, request.token, request.accepted, last_beat};
}

// The next request of the bank is about to be served.
void DramController::tell_ranking(std::uint32_t bank, Cycle now) {
  const RequestQueue::Slot slot = commands_.next_request(bank);
  stats_.served_context(commands_.queue()[slot], commands_.oldest_request(), now);
  ranking_->served(slot, now);
}

void DramController::activate(std::uint32_t bank, Cycle now) {
  const WaitingRequest& request = commands_.to_activate(bank);
  stats_.rows(commands_.open() != 0, now);
  stats_.data_bus().activated(
      bank, std::max(timing_.bank_earliest(DramCommand::kActivate, bank), request.accepted),
      std::max(timing_.shared_earliest(DramCommand::kActivate),
               timing_.group_earliest(DramCommand::kActivate, timing_.group_of(bank))),
      now);
  issue(DramCommand::kActivate, bank, request.row, now);
  commands_.activated(bank);
}

void DramController::precharge(std::uint32_t bank, Cycle now) {
  stats_.rows(true, now);
  issue(DramCommand::kPrecharge, bank, commands_.row(bank), now);
  commands_.precharged(bank);
}

// Closes all rows and issues REF. As long as rows are open, it issues the column commands that do not delay
// the precharge.
std::optional<DramCompletion> DramController::step_refresh_of_all(Cycle now) {
  const Cycle row_bus = row_bus_ ? row_bus_free() : now;
  next_ = now + 1;
  if (commands_.open() == 0) {
    const Cycle earliest = std::max(timing_.shared_earliest(DramCommand::kRefresh), row_bus);
    if (earliest > now)
      next_ = earliest;
    else
      refresh_all(now);
    return std::nullopt;
  }
  const Cycle closable = std::max(timing_.shared_earliest(DramCommand::kPrechargeAll), row_bus);
  if (closable <= now) {
    precharge_all(now);
    return std::nullopt;
  }
  CommandSlotView slot;
  next_ = closable;
  if (now + direction().to_precharge <= closable)
    slot.columns = row_bus_ ? ready_on(CommandBus::kColumn, NextCommands::kColumn, now, next_)
                            : commands_.ready(NextCommands::kColumn, now, next_);
  if (slot.columns == 0) return std::nullopt;
  slot.waiting = commands_.waiting(NextCommands::kColumn);
  slot.arrival = commands_.arrival();
  slot.priority = commands_.priority();
  slot.now = now;
  next_ = now + 1;
  const std::size_t chosen = scheduler_->choose(slot);
  if (chosen == DramScheduler::kNone) return std::nullopt;
  return issue_column(static_cast<std::uint32_t>(chosen), now);
}

void DramController::precharge_all(Cycle now) {
  issue(DramCommand::kPrechargeAll, 0, 0, now);
  stats_.rows(true, now);
  refresh_of_all_.rows_closed();
  commands_.precharged_all();
}

void DramController::refresh_all(Cycle now) {
  issue(DramCommand::kRefresh, 0, 0, now);
  stats_.data_bus().refreshing(now + refresh_of_all_.lasts());
  refresh_of_all_.issued();
}

// Issues the command that the next refresh of banks needs at `now`. Returns whether it has issued one.
bool DramController::step_refresh_of_banks(Cycle now) {
  if (!refresh_of_banks_.is_due(now)) return false;
  if (!refresh_of_banks_.has_banks()) {
    if (!refresh_of_banks_.take_banks(now, commands_.banks_waiting())) return false;
    commands_.hold(refresh_of_banks_.banks());
  }
  const BankRefresh::Command next = refresh_of_banks_.next_command(commands_.open(), timing_, row_bus_free());
  if (next.legal > now) return false;
  if (next.command == DramCommand::kRefreshBank) {
    refresh_banks(now);
    return true;
  }
  stats_.rows(true, now);
  issue(DramCommand::kPrecharge, next.bank, commands_.row(next.bank), now);
  commands_.precharged_for_refresh(next.bank);
  refresh_of_banks_.precharged(now);
  return true;
}

void DramController::refresh_banks(Cycle now) {
  const BankMask banks = refresh_of_banks_.banks();
  const std::uint32_t first = refresh_of_banks_.first_bank();
  const Cycle until = now + refresh_of_banks_.lasts();
  for (BankMask rest = banks; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<std::uint32_t>(__builtin_ctzll(rest));
    stats_.data_bus().refreshing(bank, until);
    if (bank != first) timing_.issue(DramCommand::kRefreshBank, bank, now);  // one command refreshes them all
  }
  issue(DramCommand::kRefreshBank, first, 0, now);
  refresh_of_banks_.refreshed(now);
  commands_.release(banks);
}

void DramController::issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Cycle now) {
  timing_.issue(command, bank, now);
  if (row_bus_) buses_.issue(command, now);
  stats_.issued(command);
  if (observer_ != nullptr)
    observer_->command(now, command, first_group_ + bank / map_.banks_per_group(),
                       bank % map_.banks_per_group(), row);
}

}  // namespace heddle
