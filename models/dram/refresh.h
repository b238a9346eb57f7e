#pragma once
// The refreshes of a controller: of all banks at once (AllBankRefresh), and bank by bank (BankRefresh). A
// part says when a refresh takes the channel or some banks, and which command it needs next; the controller
// issues the commands. Of the two, the one that a platform does not choose is never due.

#include <vector>

#include "models/dram/address_map.h"
#include "models/dram/refresh_timer.h"
#include "models/dram/timing_table.h"
#include "policies/dram_scheduler/i_dram_scheduler.h"

namespace heddle {

// While a refresh of all banks takes the channel, the controller opens no more rows. It issues the column
// commands that do not delay the precharge of all rows, precharges them and issues REF.
class AllBankRefresh {
 public:
  explicit AllBankRefresh(const DramSpec& spec);

  void reset() {
    timer_.reset();
    closing_ = false;
  }
  // Whether the refresh has the channel at `now`. `is_idle` says that no request waits.
  bool takes_channel(Cycle now, bool is_idle) const { return closing_ || now >= timer_.when(is_idle); }
  Cycle next(bool is_idle) const { return timer_.when(is_idle); }
  std::uint32_t lasts() const { return lasts_; }  // CK

  void rows_closed() { closing_ = true; }
  void issued() {
    timer_.advance();
    closing_ = false;
  }

 private:
  RefreshTimer timer_;
  const std::uint32_t lasts_;
  bool closing_ = false;  // the rows are precharged for the refresh
};

// A BankRefresh is of one bank, or of the same bank of each bank group, as the standard says. Its banks take
// no more commands of requests until the controller has precharged them and has issued REFSB. The banks have
// their refreshes in turn.
class BankRefresh {
 public:
  BankRefresh(const DramSpec& spec, const LocalMap& map);

  void reset();

  // Returns the banks of the next refresh.
  BankMask banks() const { return sets_[turn_]; }
  std::uint32_t lasts() const { return lasts_; }  // CK
  std::uint32_t first_bank() const { return static_cast<std::uint32_t>(__builtin_ctzll(banks())); }

  bool is_due(Cycle now) const { return now >= timer_.when_idle(); }
  bool has_banks() const { return has_banks_; }  // they are held for the refresh
  // Takes the banks if the refresh, which is due, is to be issued now. `waiting` are the banks for which a
  // request waits. Returns whether the refresh has its banks.
  bool take_banks(Cycle now, BankMask waiting);

  // The next command of a refresh that has its banks, and the first cycle at which it is legal. `open` are
  // the banks with an open row, and `bus_free` is the first cycle in which its command bus is free.
  struct Command {
    DramCommand command;
    std::uint32_t bank;
    Cycle legal;
  };
  Command next_command(BankMask open, const TimingTable& timing, Cycle bus_free);

  // The command has been issued.
  void precharged(Cycle now) { next_ = now + 1; }
  void refreshed(Cycle now);

  // Returns a cycle after `now` that is at most the first one in which the refresh can go on.
  Cycle next(Cycle now, BankMask waiting) const {
    const bool waits = is_due(now) && !has_banks_;
    return waits && (waiting & banks()) == 0 ? now + 1 : next_;
  }

 private:
  RefreshTimer timer_;
  const std::uint32_t lasts_;
  std::vector<BankMask> sets_;  // the banks of each refresh, in turn
  std::uint32_t turn_ = 0;
  bool has_banks_ = false;
  Cycle next_;  // at most the next cycle at which something of the refresh can happen
};

}  // namespace heddle
