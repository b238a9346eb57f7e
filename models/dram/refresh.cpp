#include "models/dram/refresh.h"

#include <algorithm>

namespace heddle {

namespace {

// The other pseudo-channel delays a row command by at most this number of CK.
constexpr std::uint64_t kRowBusWait = 3;

// Returns the longest time from the cycle in which the last refresh must be issued back to the cycle in which
// its controller starts to close `banks` banks, in CK.
std::uint64_t closing_time(const DramSpec& spec, bool by_bank, std::uint32_t banks) {
  const DramCommand close = by_bank ? DramCommand::kPrecharge : DramCommand::kPrechargeAll;
  const DramCommand refresh = by_bank ? DramCommand::kRefreshBank : DramCommand::kRefresh;
  const auto to = [&](DramCommand previous, DramCommand next) {
    return spec.timing.distance(previous, next, by_bank ? TimingScope::kBank : TimingScope::kAll);
  };
  const std::uint32_t closed = std::max(
      {to(DramCommand::kActivate, close), to(DramCommand::kRead, close), to(DramCommand::kWrite, close)});
  const std::uint64_t each =
      std::max({spec.timing.distance(close, close, TimingScope::kAll),
                spec.timing.distance(close, close, TimingScope::kGroup), std::uint32_t{1}});
  const std::uint64_t bus = spec.map.pseudo_channels() > 1 ? 2 * kRowBusWait : 0;
  return std::max(closed + to(close, refresh), to(DramCommand::kActivate, refresh)) + 2 + bus +
         (banks - 1) * (each + bus);
}

// Returns the time by which a refresh can be postponed, in CK. It is short enough to precharge the rows
// before the last refresh is due.
std::uint64_t postpone_cycles(const DramSpec& spec, bool by_bank, std::uint32_t banks) {
  if (spec.refresh_postpone == 0) return 0;
  const std::uint64_t span = std::uint64_t{spec.refresh_postpone} *
                             (by_bank ? spec.timing.bank_refresh_interval() : spec.timing.refresh_interval());
  return span - std::min(span, closing_time(spec, by_bank, banks));
}

// Returns the number of banks that one refresh of banks has: one, or the same bank of each group of a stack
// id.
std::uint32_t banks_at_once(const DramSpec& spec, const LocalMap& map) {
  return spec.timing.standard().refreshes_same_bank ? map.groups() / spec.map.stack_ids : 1;
}

RefreshTimer timer_of_all(const DramSpec& spec) {
  if (!spec.refresh || spec.refresh_by_bank) return {spec.refresh_policy, 0, 0};
  return {spec.refresh_policy, spec.timing.refresh_interval(), postpone_cycles(spec, false, 1)};
}

RefreshTimer timer_of_banks(const DramSpec& spec, const LocalMap& map) {
  if (!spec.refresh || !spec.refresh_by_bank) return {spec.refresh_policy, 0, 0};
  return {spec.refresh_policy, spec.timing.bank_refresh_interval(),
          postpone_cycles(spec, true, banks_at_once(spec, map))};
}

// Returns the banks of each refresh, in turn.
std::vector<BankMask> bank_sets(const DramSpec& spec, const LocalMap& map) {
  const std::uint32_t at_once = banks_at_once(spec, map);
  const std::uint32_t of_stack = map.banks() / spec.map.stack_ids;
  const std::uint32_t sets_of_stack = of_stack / at_once;
  std::vector<BankMask> sets(map.banks() / at_once);
  for (std::uint32_t bank = 0; bank < map.banks(); ++bank)
    sets[bank / of_stack * sets_of_stack + bank % of_stack % sets_of_stack] |= BankMask{1} << bank;
  return sets;
}

}  // namespace

AllBankRefresh::AllBankRefresh(const DramSpec& spec)
    : timer_(timer_of_all(spec)),
      lasts_(spec.refresh && !spec.refresh_by_bank ? spec.timing.refresh_time() : 0) {}

BankRefresh::BankRefresh(const DramSpec& spec, const LocalMap& map)
    : timer_(timer_of_banks(spec, map)),
      lasts_(spec.refresh && spec.refresh_by_bank ? spec.timing.bank_refresh_time() : 0),
      sets_(bank_sets(spec, map)),
      next_(timer_.when_idle()) {}

void BankRefresh::reset() {
  timer_.reset();
  turn_ = 0;
  has_banks_ = false;
  next_ = timer_.when_idle();
}

bool BankRefresh::take_banks(Cycle now, BankMask waiting) {
  next_ = timer_.when_busy();
  has_banks_ = now >= timer_.when_busy() || (waiting & banks()) == 0;
  return has_banks_;
}

// Open banks are precharged first, the one that can be closed at the earliest before others.
BankRefresh::Command BankRefresh::next_command(BankMask open, const TimingTable& timing, Cycle bus_free) {
  const auto bank_of = [](BankMask mask) { return static_cast<std::uint32_t>(__builtin_ctzll(mask)); };
  Command next{DramCommand::kRefreshBank, first_bank(), Cycle{}};
  if ((open & banks()) == 0) {
    for (BankMask rest = banks(); rest != 0; rest &= rest - 1)
      next.legal = std::max(next.legal, timing.earliest(DramCommand::kRefreshBank, bank_of(rest)));
  } else {
    next = {DramCommand::kPrecharge, 0, Cycle::never()};
    for (BankMask rest = open & banks(); rest != 0; rest &= rest - 1)
      if (const Cycle legal = timing.earliest(DramCommand::kPrecharge, bank_of(rest)); legal < next.legal)
        next = {DramCommand::kPrecharge, bank_of(rest), legal};
  }
  next.legal = std::max(next.legal, bus_free);
  next_ = next.legal;
  return next;
}

void BankRefresh::refreshed(Cycle now) {
  timer_.advance();
  turn_ = (turn_ + 1) % static_cast<std::uint32_t>(sets_.size());
  has_banks_ = false;
  next_ = std::max(timer_.when_idle(), now + 1);
}

}  // namespace heddle
