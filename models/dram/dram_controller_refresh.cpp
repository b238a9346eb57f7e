// Refreshes of a DramController: of all banks at once, and bank by bank.

#include <algorithm>

#include "models/dram/dram_controller.h"

namespace heddle {

// The other pseudo-channel delays a row command by at most this number of CK.
constexpr std::uint64_t kRowBusWait = 3;

// Returns the time by which a refresh can be postponed, in CK. It is short enough to precharge the rows
// before the last refresh is due.
std::uint64_t DramController::postpone_cycles(const DramSpec& spec) {
  if (spec.refresh_postpone == 0) return 0;
  const bool by_bank = spec.refresh_by_bank;
  const DramCommand close = by_bank ? DramCommand::kPrecharge : DramCommand::kPrechargeAll;
  const DramCommand refresh = by_bank ? DramCommand::kRefreshBank : DramCommand::kRefresh;
  const auto to = [&](DramCommand previous, DramCommand next) {
    return spec.timing.distance(previous, next, by_bank ? TimingScope::kBank : TimingScope::kAll);
  };
  const std::uint32_t closed = std::max(
      {to(DramCommand::kActivate, close), to(DramCommand::kRead, close), to(DramCommand::kWrite, close)});
  const std::uint64_t closing = std::max(closed + to(close, refresh), to(DramCommand::kActivate, refresh)) +
                                2 + (spec.map.pseudo_channels() > 1 ? 2 * kRowBusWait : 0);
  const std::uint64_t span = std::uint64_t{spec.refresh_postpone} *
                             (by_bank ? spec.timing.bank_refresh_interval() : spec.timing.refresh_interval());
  return span - std::min(span, closing);
}

void DramController::reset_refreshes() {
  const Cycle never = Cycle::never();
  const bool all = spec_.refresh && !spec_.refresh_by_bank;
  refresh_due_ = all ? Cycle{refresh_interval_} : never;
  refresh_forced_ = all ? refresh_due_ + postpone_ : never;
  closing_ = false;
  bank_refresh_ = {never, never, 0, 0, never};
  if (!spec_.refresh || !spec_.refresh_by_bank) return;
  bank_refresh_.due = bank_refresh_.next = Cycle{spec_.timing.bank_refresh_interval()};
  bank_refresh_.forced = bank_refresh_.due + postpone_;
}

// Closes all rows and issues REF. As long as rows are open, it issues the column commands that do not delay
// the precharge.
std::optional<DramCompletion> DramController::refresh_step(Cycle now) {
  const Cycle row_bus = row_bus_ ? buses_.free(CommandBus::kRow) : now;
  next_ = now + 1;
  if (open_ == 0) {
    const Cycle earliest = std::max(timing_.shared_earliest(DramCommand::kRefresh), row_bus);
    if (earliest > now)
      next_ = earliest;
    else
      refresh(now);
    return std::nullopt;
  }
  const Cycle closable = std::max(timing_.shared_earliest(DramCommand::kPrechargeAll), row_bus);
  if (closable <= now) {
    precharge_all(now);
    return std::nullopt;
  }
  CommandSlotView slot;
  next_ = closable;
  if (now + directions_[writing_ ? 1 : 0].to_precharge <= closable)
    slot.columns = row_bus_ ? ready_on(CommandBus::kColumn, kColumn, now, next_) : ready(kColumn, now, next_);
  if (slot.columns == 0) return std::nullopt;
  slot.waiting = waiting_[kColumn].all();
  slot.arrival = arrival_.data();
  slot.now = now;
  next_ = now + 1;
  const std::size_t chosen = scheduler_->choose(slot);
  if (chosen == DramScheduler::kNone) return std::nullopt;
  return issue_column(static_cast<std::uint32_t>(chosen), now);
}

void DramController::precharge_all(Cycle now) {
  issue(DramCommand::kPrechargeAll, 0, 0, now);
  set_open(0, now);
  closing_ = true;
  for (Bank& bank : banks_) bank.conflict = bank.unused = false;
  update_next_commands();
}

void DramController::refresh(Cycle now) {
  issue(DramCommand::kRefresh, 0, 0, now);
  data_bus_.refreshing(now + refresh_time_);
  refresh_due_ = refresh_due_ + refresh_interval_;
  refresh_forced_ = refresh_due_ + postpone_;
  closing_ = false;
}

// Issues the command that the refresh of the next bank needs at `now`. Returns whether it has issued one.
bool DramController::step_bank_refresh(Cycle now) {
  BankRefresh& refresh = bank_refresh_;
  if (now < refresh.due) return false;
  if (refresh.held == 0) {
    refresh.next = refresh.forced;
    if (now < refresh.forced && has_request(refresh.bank)) return false;
    refresh.held = bit(refresh.bank);
    update_next_command(refresh.bank);
    release_kept_rows();
  }
  const DramCommand command = is_open(refresh.bank) ? DramCommand::kPrecharge : DramCommand::kRefreshBank;
  refresh.next = std::max(timing_.earliest(command, refresh.bank), buses_.free(CommandBus::kRow));
  if (refresh.next > now) return false;
  if (command == DramCommand::kPrecharge)
    close_bank(now);
  else
    refresh_bank(now);
  return true;
}

// Returns a cycle after `now` that is at most the first cycle at which step_bank_refresh() can do something.
Cycle DramController::next_bank_refresh(Cycle now) const {
  const bool is_due = now >= bank_refresh_.due && bank_refresh_.held == 0;
  return is_due && !has_request(bank_refresh_.bank) ? now + 1 : bank_refresh_.next;
}

void DramController::close_bank(Cycle now) {
  const std::uint32_t bank = bank_refresh_.bank;
  precharge(bank, now);
  banks_[bank].conflict = banks_[bank].unused = false;
  bank_refresh_.next = now + 1;
}

void DramController::refresh_bank(Cycle now) {
  const std::uint32_t bank = bank_refresh_.bank;
  issue(DramCommand::kRefreshBank, bank, 0, now);
  data_bus_.refreshing(bank, now + spec_.timing.bank_refresh_time());
  bank_refresh_.due = bank_refresh_.due + spec_.timing.bank_refresh_interval();
  bank_refresh_.forced = bank_refresh_.due + postpone_;
  bank_refresh_.next = std::max(bank_refresh_.due, now + 1);
  bank_refresh_.bank = (bank + 1) % map_.banks();
  bank_refresh_.held = 0;
  update_next_command(bank);
}

}  // namespace heddle
