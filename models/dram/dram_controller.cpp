#include "models/dram/dram_controller.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

bool has_group_rule(const DramStandard& standard, DramCommand next) {
  return std::any_of(standard.rules.begin(), standard.rules.end(), [next](const TimingRule& rule) {
    return rule.next == next && rule.level == DramLevel::kBankGroup;
  });
}

}  // namespace

DramController::DramController(const std::string& name, const DramSpec& spec, CommandBuses& buses,
                               DramPolicies policies)
    : spec_(spec),
      directions_{direction_of(spec.timing, false), direction_of(spec.timing, true)},
      refresh_interval_(spec.timing.refresh_interval()),
      refresh_time_(spec.timing.refresh_time()),
      row_bus_(spec.timing.standard().command_buses() > 1),
      precharges_by_group_(has_group_rule(spec.timing.standard(), DramCommand::kPrecharge)),
      map_(spec.map),
      buses_(buses),
      timing_(spec.timing, map_.groups(), map_.banks_per_group(), spec.map.stack_ids),
      queue_(spec.queue, map_.banks()),
      scheduler_(std::move(policies.scheduler)),
      page_policy_(std::move(policies.page_policy)),
      banks_(map_.banks()),
      next_command_(map_.banks(), kNextCommands),
      bank_ready_(map_.banks()),
      arrival_(map_.banks()),
      postpone_(postpone_cycles(spec)),
      stats_(name),
      data_bus_(spec.timing, {map_.groups(), map_.banks(), spec.map.stack_ids}, stats_) {
  waiting_[kActivate].legal = timing_.row(DramCommand::kActivate);
  waiting_[kPrecharge].legal = timing_.row(DramCommand::kPrecharge);
  set_direction(false);
  const BankMask group = ~BankMask{0} >> (LocalMap::kMostBanks - map_.banks_per_group());
  for (std::uint32_t i = 0; i < map_.groups(); ++i) groups_.push_back(group << i * map_.banks_per_group());
  reset_refreshes();
  stats_.add_level("queued", "request", "requests in the queue of the controller",
                   [this] { return queue_.count(false) + queue_.count(true); });
  stats_.add(reads_, "reads", "request", "bursts read");
  stats_.add(writes_, "writes", "request", "bursts written");
  stats_.add(swap_reads_, "swap_reads", "request", "reads of swap space accepted");
  stats_.add(swap_writes_, "swap_writes", "request", "writes of swap space accepted");
  stats_.add(read_latency_, "read_latency", "CK", "from a read's acceptance to the end of its data, summed");
  stats_.add_formula("mean_read_latency", "CK", "from acceptance to the end of data", {read_latency_},
                     {reads_});
  stats_.add(outcomes_[0], "row_hits", "request", "requests that found their row open");
  stats_.add(outcomes_[1], "row_misses", "request", "requests that had their row opened in a closed bank");
  stats_.add(outcomes_[2], "row_conflicts", "request", "requests that had another row closed for theirs");
  stats_.add_formula("row_hit_rate", "1", "requests that found their row open per request", {outcomes_[0]},
                     {reads_, writes_});
  stats_.add(open_cycles_, "open_cycles", "CK", "command clocks with a row open in some bank");
  stats_.add(closed_cycles_, "closed_cycles", "CK", "command clocks with every bank precharged");
  Group& commands = stats_.child("commands");
  for (const CommandRule& rule : spec.timing.standard().commands) {
    const char* command = name_of(rule.command);
    commands.add(commands_[static_cast<std::size_t>(rule.command)], command, "command",
                 std::string(command) + " commands issued");
  }
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
  queue_.reset();
  data_bus_.reset();
  counts_.reset();
  waiting_requests_.reset();
  std::fill(banks_.begin(), banks_.end(), Bank{});
  open_ = kept_ = 0;
  open_since_ = Cycle{0};
  for (Waiting& waiting : waiting_) waiting = {0, 0, Cycle::never(), waiting.legal};
  std::fill(next_command_.begin(), next_command_.end(), kNextCommands);
  set_direction(false);
  arrivals_ = 0;
  next_ = bus_free_ = Cycle{0};
  reset_refreshes();
  stats_.reset();
}

void DramController::accept(const DramRequest& request, Cycle now) {
  HEDDLE_CHECK(!queue_.full(), stats_.name().c_str(), now, "a request while the queue is full");
  HEDDLE_CHECK(request.local < map_.bytes(), stats_.name().c_str(), now,
               "address {:#x} lies beyond the channel's {} B", request.local, map_.bytes());
  if (queue_.empty()) {
    catch_up(now);
    data_bus_.queued(now);
  }
  ++waiting_requests_[request.account];
  if (request.is_swap) ++(request.write ? swap_writes_ : swap_reads_);
  const DramLocation at = map_.locate(request.local);
  const std::uint32_t number = at.group * map_.banks_per_group() + at.bank;
  const Slot slot = queue_.push(
      {request.token, arrivals_++, now, at.row, number, request.account, request.write, RowOutcome::kHit});
  Bank& bank = banks_[number];
  bool changed = false;  // whether the next command of the bank may be another one now
  if (request.write == writing_) {
    const bool first_hit = is_open(number) && bank.row == at.row && bank.row_hit == RequestQueue::kNone;
    if (first_hit) bank.row_hit = slot;
    changed = first_hit || queue_.oldest(writing_, number) == slot;
    if (changed) {
      update_next_command(number);
      release_kept_rows();
      changed = next_command_[number] != kNextCommands;
    }
  }
  Cycle next = std::max(now, bus_free_);
  if (!update_direction() && !closing_ && now < refresh_forced_) {
    if (!changed) return;
    const Cycle* legal = waiting_[next_command_[number]].legal;
    next = std::max({next, legal[0], legal[1 + timing_.group_of(number)], bank_ready_[number]});
  }
  next_ = std::min(next_, next);
}

std::optional<DramCompletion> DramController::tick(Cycle now) {
  if (queue_.empty()) catch_up(now);
  return now < next_ ? std::nullopt : step(now);
}

// Brings the controller up to `now`. Without requests it issues refreshes only.
void DramController::catch_up(Cycle now) {
  while (next_ < now) step(next_);
}

void DramController::account_until(Cycle now) {
  if (queue_.empty()) catch_up(now);
  data_bus_.account_until(now, !queue_.empty());
  set_open(open_, now);
  closed_cycles_.set(now.value - open_cycles_.value());
}

std::optional<DramCompletion> DramController::step(Cycle now) {
  bus_free_ = now + 1;
  if (closing_ || now >= refresh_forced_ || (now >= refresh_due_ && queue_.empty())) return refresh_step(now);
  next_ = queue_.empty() ? refresh_due_ : refresh_forced_;
  if (row_bus_) return step_on_two_buses(now);
  if (spec_.refresh_by_bank && step_bank_refresh(now)) {
    next_ = std::min(next_event(now + 1), next_bank_refresh(now));
    return std::nullopt;
  }
  CommandSlotView slot;
  slot.columns = ready(kColumn, now, next_);
  slot.activates = ready(kActivate, now, next_);
  slot.precharges = ready(kPrecharge, now, next_);
  std::optional<DramCompletion> done;
  if ((slot.columns | slot.activates | slot.precharges) != 0)
    next_ = issue_chosen(slot, now, done) ? next_event(now + 1) : now + 1;
  if (spec_.refresh_by_bank) next_ = std::min(next_, next_bank_refresh(now));
  return done;
}

// Issues at most one column command and at most one row command. A row command for the refresh of a bank
// comes first.
std::optional<DramCompletion> DramController::step_on_two_buses(Cycle now) {
  std::optional<DramCompletion> done;
  const bool bank_issued = step_bank_refresh(now);
  CommandSlotView columns;
  columns.columns = ready_on(CommandBus::kColumn, kColumn, now, next_);
  const bool column_legal = columns.columns != 0;
  const bool column_issued = column_legal && issue_chosen(columns, now, done);
  CommandSlotView rows;
  rows.activates = ready_on(CommandBus::kRow, kActivate, now, next_);
  rows.precharges = ready_on(CommandBus::kRow, kPrecharge, now, next_);
  const bool row_legal = (rows.activates | rows.precharges) != 0;
  const bool row_issued = row_legal && issue_chosen(rows, now, done);
  if (bank_issued || column_legal || row_legal)
    next_ = column_legal == column_issued && row_legal == row_issued ? next_event(now + 1) : now + 1;
  next_ = std::min(next_, next_bank_refresh(now));
  return done;
}

// Issues the command that the scheduler chooses among the legal ones. Returns false if the scheduler chooses
// none.
bool DramController::issue_chosen(CommandSlotView& slot, Cycle now, std::optional<DramCompletion>& done) {
  slot.waiting = waiting_[kColumn].all() | waiting_[kActivate].all() | waiting_[kPrecharge].all();
  slot.arrival = arrival_.data();
  slot.now = now;
  const std::size_t chosen = scheduler_->choose(slot);
  if (chosen == DramScheduler::kNone) return false;
  const auto bank = static_cast<std::uint32_t>(chosen);
  if ((slot.columns & bit(bank)) != 0) {
    done = issue_column(bank, now);
  } else if ((slot.activates & bit(bank)) != 0) {
    activate(bank, now);
  } else {
    HEDDLE_CHECK((slot.precharges & bit(bank)) != 0, stats_.name().c_str(), now,
                 "the scheduler chose bank {}, which has no command", bank);
    precharge(bank, now);
  }
  return true;
}

// Changes which banks have an open row, and accounts the time with one up to `now`.
void DramController::set_open(BankMask open, Cycle now) {
  if (open_ != 0) open_cycles_ += now - open_since_;
  open_since_ = now;
  open_ = open;
}

void DramController::issue(DramCommand command, std::uint32_t bank, std::uint32_t row, Cycle now) {
  timing_.issue(command, bank, now);
  if (row_bus_) buses_.issue(command, now);
  ++commands_[static_cast<std::size_t>(command)];
  if (observer_ != nullptr)
    observer_->command(now, command, first_group_ + bank / map_.banks_per_group(),
                       bank % map_.banks_per_group(), row);
}

void DramController::count(const WaitingRequest& request) {
  --waiting_requests_[request.account];
  DramCounts& counts = counts_[request.account];
  ++(request.write ? counts.writes : counts.reads);
  if (request.outcome == RowOutcome::kHit)
    ++counts.row_hits;
  else
    ++(request.outcome == RowOutcome::kMiss ? counts.row_misses : counts.row_conflicts);
}

std::optional<DramCompletion> DramController::issue_column(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  const WaitingRequest request = queue_[bank.row_hit];
  bank.bypassed = bank.row_hit == queue_.oldest(writing_, number) ? 0 : bank.bypassed + 1;
  const Slot younger = queue_.next(bank.row_hit);
  queue_.remove(bank.row_hit);
  bank.row_hit = queue_.find_row(younger, bank.row);
  const bool more = bank.row_hit != RequestQueue::kNone ||
                    queue_.find_row(queue_.oldest(!writing_, number), bank.row) != RequestQueue::kNone;
  const bool close = page_policy_->close({number, more});
  const DramCommand command = writing_ ? (close ? DramCommand::kWriteAuto : DramCommand::kWrite)
                                       : (close ? DramCommand::kReadAuto : DramCommand::kRead);
  data_bus_.column(number, timing_.group_of(number), writing_, now);
  issue(command, number, bank.row, now);
  bank.unused = false;
  if (close) {
    set_open(open_ & ~bit(number), now);
    bank.row_hit = RequestQueue::kNone;
  }
  ++outcomes_[static_cast<std::size_t>(request.outcome)];
  count(request);
  const Cycle last_beat = now + directions_[writing_ ? 1 : 0].last_beat;
  if (writing_) {
    ++writes_;
  } else {
    ++reads_;
    read_latency_ += last_beat - request.accepted;
  }
  update_next_command(number);
  if (!update_direction()) release_kept_rows();
  return DramCompletion{request.write, request.token, request.accepted, last_beat};
}

void DramController::activate(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  const Slot slot = queue_.oldest(writing_, number);
  WaitingRequest& request = queue_[slot];
  request.outcome = bank.conflict ? RowOutcome::kConflict : RowOutcome::kMiss;
  bank = {request.row, slot, 0, false, true};
  set_open(open_ | bit(number), now);
  data_bus_.activated(number,
                      std::max(timing_.bank_earliest(DramCommand::kActivate, number), request.accepted),
                      std::max(timing_.shared_earliest(DramCommand::kActivate),
                               timing_.group_earliest(DramCommand::kActivate, timing_.group_of(number))),
                      now);
  issue(DramCommand::kActivate, number, bank.row, now);
  update_next_command(number);
}

void DramController::precharge(std::uint32_t number, Cycle now) {
  Bank& bank = banks_[number];
  bank.conflict = true;
  set_open(open_ & ~bit(number), now);
  issue(DramCommand::kPrecharge, number, bank.row, now);
  update_next_command(number);
}

}  // namespace heddle
