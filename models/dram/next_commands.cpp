#include "models/dram/next_commands.h"

#include <algorithm>
#include <tuple>

namespace heddle {

namespace {

bool has_group_rule(const DramStandard& standard, DramCommand next) {
  return std::any_of(standard.rules.begin(), standard.rules.end(), [next](const TimingRule& rule) {
    return rule.next == next && rule.level == DramLevel::kBankGroup;
  });
}

std::uint32_t first_of(BankMask banks) {
  return static_cast<std::uint32_t>(__builtin_ctzll(banks));
}

}  // namespace

NextCommands::NextCommands(const DramSpec& spec, const LocalMap& map, const TimingTable& timing,
                           DramScheduler& scheduler)
    : columns_legal_{timing.row(DramCommand::kRead), timing.row(DramCommand::kWrite)},
      precharges_by_group_(has_group_rule(spec.timing.standard(), DramCommand::kPrecharge)),
      scheduler_(scheduler),
      ranking_(scheduler.ranking()),
      burst_(spec.timing.burst()),
      queue_(spec.queue, map.banks()),
      banks_(map.banks()),
      next_(map.banks(), kKinds),
      bank_ready_(map.banks()),
      arrival_(map.banks()),
      ranked_(ranking_ == nullptr ? 0 : map.banks(), RequestQueue::kNone),
      priority_(ranked_.size()) {
  waiting_[kActivate].legal = timing.row(DramCommand::kActivate);
  waiting_[kPrecharge].legal = timing.row(DramCommand::kPrecharge);
  set_direction(false);
  const BankMask group = ~BankMask{0} >> (LocalMap::kMostBanks - map.banks_per_group());
  for (std::uint32_t i = 0; i < map.groups(); ++i) groups_.push_back(group << i * map.banks_per_group());
}

void NextCommands::reset() {
  queue_.reset();
  std::fill(banks_.begin(), banks_.end(), Bank{});
  open_ = held_ = kept_ = 0;
  for (Waiting& waiting : waiting_) waiting = {0, 0, Cycle::never(), waiting.legal};
  std::fill(next_.begin(), next_.end(), kKinds);
  std::fill(ranked_.begin(), ranked_.end(), RequestQueue::kNone);
  set_direction(false);
}

Cycle NextCommands::add(const WaitingRequest& request, std::uint32_t group) {
  const Slot slot = queue_.push(request);
  if (ranking_ != nullptr)
    ranking_->arrived({slot, request.arrival, request.accepted, request.context, request.bank, request.row,
                       request.write, burst_});
  if (request.write != writing_) return Cycle::never();
  const std::uint32_t number = request.bank;
  Bank& bank = banks_[number];
  const bool first_hit = is_open(number) && bank.row == request.row && bank.row_hit == RequestQueue::kNone;
  if (first_hit) bank.row_hit = slot;
  if (!first_hit && queue_.oldest(writing_, number) != slot && ranking_ == nullptr) return Cycle::never();
  update(number);
  release_kept_rows();
  if (next_[number] == kKinds) return Cycle::never();
  const Cycle* legal = waiting_[next_[number]].legal;
  return std::max({legal[0], legal[1 + group], bank_ready_[number]});
}

NextCommands::Served NextCommands::serve(std::uint32_t number) {
  Bank& bank = banks_[number];
  const Slot slot = ranking_ == nullptr ? bank.row_hit : ranked_[number];
  Served served{queue_[slot], false};
  bank.bypassed = slot == queue_.oldest(writing_, number) ? 0 : bank.bypassed + 1;
  const Slot younger = queue_.next(slot);
  queue_.remove(slot);
  if (slot == bank.row_hit) bank.row_hit = queue_.find_row(younger, bank.row);
  served.more_waiting = bank.row_hit != RequestQueue::kNone ||
                        queue_.find_row(queue_.oldest(!writing_, number), bank.row) != RequestQueue::kNone;
  return served;
}

void NextCommands::served(std::uint32_t number, bool closes_row) {
  Bank& bank = banks_[number];
  bank.unused = false;
  if (closes_row) {
    open_ &= ~bit(number);
    bank.row_hit = RequestQueue::kNone;
  }
  update(number);
}

void NextCommands::activated(std::uint32_t number) {
  Bank& bank = banks_[number];
  const Slot slot = to_open(number);
  WaitingRequest& request = queue_[slot];
  request.outcome = bank.conflict ? RowOutcome::kConflict : RowOutcome::kMiss;
  const Slot first =
      ranking_ == nullptr ? slot : queue_.find_row(queue_.oldest(writing_, number), request.row);
  bank = {request.row, first, 0, false, true};
  open_ |= bit(number);
  update(number);
}

void NextCommands::precharged(std::uint32_t number) {
  banks_[number].conflict = true;
  open_ &= ~bit(number);
  update(number);
}

void NextCommands::precharged_for_refresh(std::uint32_t number) {
  banks_[number].conflict = banks_[number].unused = false;
  open_ &= ~bit(number);
  update(number);
}

void NextCommands::precharged_all() {
  open_ = 0;
  for (Bank& bank : banks_) bank.conflict = bank.unused = false;
  update_all();
}

void NextCommands::turn(bool writing) {
  set_direction(writing);
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank)
    banks_[bank].row_hit = is_open(bank) ? queue_.find_row(queue_.oldest(writing_, bank), banks_[bank].row)
                                         : RequestQueue::kNone;
  update_all();
  release_kept_rows();
}

void NextCommands::hold(BankMask banks) {
  held_ |= banks;
  for (BankMask rest = banks; rest != 0; rest &= rest - 1) update(first_of(rest));
  release_kept_rows();
}

void NextCommands::release(BankMask banks) {
  held_ &= ~banks;
  for (BankMask rest = banks; rest != 0; rest &= rest - 1) update(first_of(rest));
}

void NextCommands::rerank() {
  update_all();
  release_kept_rows();
}

const WaitingRequest& NextCommands::oldest_request() const {
  Slot oldest = RequestQueue::kNone;
  for (BankMask rest = queue_.banks_waiting(writing_); rest != 0; rest &= rest - 1) {
    const Slot slot = queue_.oldest(writing_, first_of(rest));
    if (oldest == RequestQueue::kNone || queue_[slot].arrival < queue_[oldest].arrival) oldest = slot;
  }
  return queue_[oldest];
}

Cycle NextCommands::next_event(Cycle limit) const {
  Cycle next = limit;
  for (const Waiting& waiting : waiting_) {
    if (waiting.all() == 0) continue;
    Cycle first = waiting.legal[0];
    if (waiting.ready == 0 && waiting.due > first) first = waiting.due;
    if (first < next) next = first;
  }
  return next;
}

// Does the work of ready() if some bank waits for the command and the rules of all banks allow it.
BankMask NextCommands::ready_banks(Kind kind, Cycle now, Cycle& next) {
  Waiting& waiting = waiting_[kind];
  if (waiting.later != 0) {
    if (waiting.due <= now) check_later(waiting, now);
    next = std::min(next, waiting.due);
  }
  if (kind == kPrecharge && !precharges_by_group_) return waiting.ready;
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

void NextCommands::check_later(Waiting& waiting, Cycle now) {
  waiting.due = Cycle::never();
  for (BankMask rest = waiting.later; rest != 0; rest &= rest - 1) {
    const Cycle ready = bank_ready_[first_of(rest)];
    if (ready > now) {
      waiting.due = std::min(waiting.due, ready);
      continue;
    }
    waiting.ready |= rest & -rest;
    waiting.later &= ~(rest & -rest);
  }
}

void NextCommands::set_direction(bool writing) {
  writing_ = writing;
  waiting_[kColumn].legal = columns_legal_[writing ? 1 : 0];
}

void NextCommands::update_all() {
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) update(bank);
}

void NextCommands::drop_kept_rows() {
  for (BankMask rest = kept_; rest != 0; rest &= rest - 1) {
    const std::uint32_t bank = first_of(rest);
    banks_[bank].unused = false;
    update(bank);
  }
}

// Returns the first request of the bank and the direction by priority, or kNone if all are held.
NextCommands::Slot NextCommands::first_ranked(std::uint32_t number) {
  const Bank& bank = banks_[number];
  const bool has_hit = is_open(number) && bank.row_hit != RequestQueue::kNone;
  const bool keeps = has_hit && scheduler_.keep_row({number, bank.bypassed});
  const bool is_fresh = has_hit && bank.unused;  // the open row serves a request first
  const auto key = [&](const RequestPriority& priority, std::uint32_t row) {
    const bool hits = row == bank.row;
    return std::make_tuple(!(is_fresh && hits), priority.level, !(keeps && hits), priority.rank);
  };
  Slot best = RequestQueue::kNone;
  RequestPriority first;
  for (Slot slot = queue_.oldest(writing_, number); slot != RequestQueue::kNone; slot = queue_.next(slot)) {
    const std::uint32_t row = queue_[slot].row;
    const RequestPriority priority = ranking_->priority(slot);
    if (priority.level == RequestPriority::kHeld) continue;
    if (best != RequestQueue::kNone && key(priority, row) >= key(first, queue_[best].row)) continue;
    best = slot;
    first = priority;
  }
  priority_[number] = first;
  return best;
}

// Determines the next command of a bank after its state or its requests have changed.
void NextCommands::update(std::uint32_t number) {
  const BankMask mask = bit(number);
  Kind& kind = next_[number];
  if (kind != kKinds) {
    waiting_[kind].ready &= ~mask;
    waiting_[kind].later &= ~mask;
    kind = kKinds;
  }
  kept_ &= ~mask;
  const Slot oldest = queue_.oldest(writing_, number);
  if (oldest == RequestQueue::kNone || (held_ & mask) != 0) return;
  const Bank& bank = banks_[number];
  Slot next = oldest;
  if (ranking_ != nullptr) {
    next = ranked_[number] = first_ranked(number);
    if (next == RequestQueue::kNone) return;
  }
  if (!is_open(number)) {
    kind = kActivate;
  } else if (bank.row_hit != RequestQueue::kNone &&
             (ranking_ != nullptr ? queue_[next].row == bank.row
                                  : bank.row_hit == oldest || scheduler_.keep_row({number, bank.bypassed}))) {
    kind = kColumn;
    if (ranking_ == nullptr) next = bank.row_hit;
  } else if (bank.unused && bank.row_hit == RequestQueue::kNone) {
    kept_ |= mask;
    return;
  } else {
    kind = kPrecharge;
  }
  arrival_[number] = queue_[next].arrival;
  Waiting& waiting = waiting_[kind];
  bank_ready_[number] = waiting.legal[1 + groups_.size() + number];
  waiting.later |= mask;
  waiting.due = std::min(waiting.due, bank_ready_[number]);
}

}  // namespace heddle
