// The next command of each bank: how a DramController keeps track of it, and when it is legal.

#include <algorithm>

#include "models/dram/dram_controller.h"

namespace heddle {

Cycle DramController::next_event(Cycle from) const {
  Cycle next = queue_.empty() ? refresh_due_ : refresh_forced_;
  for (const Waiting& waiting : waiting_) {
    if (waiting.all() == 0) continue;
    Cycle first = waiting.legal[0];
    if (waiting.ready == 0 && waiting.due > first) first = waiting.due;
    if (first < next) next = first;
  }
  return std::max(next, from);
}

// Does the work of ready() if some bank waits for the command and the rules of all banks allow it.
BankMask DramController::ready_banks(NextCommand command, Cycle now, Cycle& next) {
  Waiting& waiting = waiting_[command];
  if (waiting.later != 0) {
    if (waiting.due <= now) check_later(waiting, now);
    next = std::min(next, waiting.due);
  }
  if (command == kPrecharge && !precharges_by_group_) return waiting.ready;
  BankMask result = 0;
  BankMask rest = waiting.ready;
  for (std::uint32_t group = 0; rest != 0; ++group) {
    const BankMask mine = rest & groups_[group];
    if (mine == 0) continue;
    rest &= ~mine;
    const Cycle earliest = waiting.legal[1 + group];
    if (earliest <= now)
      result |= mine;
    else
      next = std::min(next, earliest);
  }
  return result;
}

void DramController::check_later(Waiting& waiting, Cycle now) {
  waiting.due = Cycle::never();
  for (BankMask rest = waiting.later; rest != 0; rest &= rest - 1) {
    const Cycle ready = bank_ready_[static_cast<std::uint32_t>(__builtin_ctzll(rest))];
    if (ready > now) {
      waiting.due = std::min(waiting.due, ready);
      continue;
    }
    waiting.ready |= rest & -rest;
    waiting.later &= ~(rest & -rest);
  }
}

// Starts or ends a write drain according to the waiting requests. Returns whether the direction has changed.
bool DramController::update_direction() {
  const std::uint32_t writes = queue_.count(true);
  const bool no_read = queue_.count(false) == 0;
  const bool write =
      writes != 0 && (no_read || (writing_ ? writes > spec_.write_low : writes >= spec_.write_high));
  if (write == writing_ || (writes == 0 && no_read)) return false;
  set_direction(write);
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank)
    banks_[bank].row_hit = is_open(bank) ? queue_.find_row(queue_.oldest(writing_, bank), banks_[bank].row)
                                         : RequestQueue::kNone;
  update_next_commands();
  release_kept_rows();
  return true;
}

void DramController::set_direction(bool writing) {
  writing_ = writing;
  waiting_[kColumn].legal = timing_.row(writing ? DramCommand::kWrite : DramCommand::kRead);
}

void DramController::update_next_commands() {
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) update_next_command(bank);
}

// A bank may keep its row open for requests of the other direction. The function ends that for all banks if
// every request of the present direction waits for such a bank.
void DramController::release_kept_rows() {
  if (kept_ == 0 || (waiting_[kColumn].all() | waiting_[kActivate].all() | waiting_[kPrecharge].all()) != 0)
    return;
  for (BankMask rest = kept_; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<std::uint32_t>(__builtin_ctzll(rest));
    banks_[bank].unused = false;
    update_next_command(bank);
  }
}

// Determines the next command of a bank after its state or its requests have changed.
void DramController::update_next_command(std::uint32_t number) {
  const BankMask mask = bit(number);
  NextCommand& command = next_command_[number];
  if (command != kNextCommands) {
    waiting_[command].ready &= ~mask;
    waiting_[command].later &= ~mask;
    command = kNextCommands;
  }
  kept_ &= ~mask;
  const Slot oldest = queue_.oldest(writing_, number);
  if (oldest == RequestQueue::kNone || (bank_refresh_.held & mask) != 0) return;
  const Bank& bank = banks_[number];
  Slot next = oldest;
  if (!is_open(number)) {
    command = kActivate;
  } else if (bank.row_hit != RequestQueue::kNone &&
             (bank.row_hit == oldest || scheduler_->keep_row({number, bank.bypassed}))) {
    command = kColumn;
    next = bank.row_hit;
  } else if (bank.unused && bank.row_hit == RequestQueue::kNone) {
    kept_ |= mask;
    return;
  } else {
    command = kPrecharge;
  }
  arrival_[number] = queue_[next].arrival;
  Waiting& waiting = waiting_[command];
  bank_ready_[number] = waiting.legal[1 + groups_.size() + number];
  waiting.later |= mask;
  waiting.due = std::min(waiting.due, bank_ready_[number]);
}

}  // namespace heddle
