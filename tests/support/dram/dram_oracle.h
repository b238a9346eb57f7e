#pragma once
// A DramOracle checks a stream of DRAM commands of one channel. Each command is compared with all earlier
// commands within the longest distance of any rule. The checker shares only the timing parameters with the
// controller. This class has the rules that GDDR5 and HBM2 have in common, and a class for each standard adds
// the rest.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/dram/dram_controller.h"

namespace heddle::test {

class DramOracle : public DramObserver {
 public:
  using Command = DramCommand;

  std::map<std::string, int> violations;  // by rule
  std::map<Command, std::uint64_t> counts;

  void command(Cycle now, Command command, std::uint32_t group, std::uint32_t bank, std::uint32_t row) final {
    const Event next{static_cast<std::int64_t>(now.value), command, group, bank, row};
    ++counts[command];
    while (!history_.empty() && next.at - history_.front().at > reach_) history_.pop_front();
    check(next);
    history_.push_back(next);
  }

 protected:
  struct Event {
    std::int64_t at;
    Command command;
    std::uint32_t group, bank, row;
  };
  struct Row {
    bool open = false;
    std::uint32_t row = 0;
    std::int64_t activated = -100000;
    std::int64_t precharged = -100000;  // the start of the last precharge
  };

  // `reach` is a number of clock cycles that is longer than the distance of any rule in the tests.
  DramOracle(const DramTiming& timing, std::int64_t reach)
      : t_{timing["burst"], timing["wl"],   timing["rcdrd"], timing["rcdwr"], timing["rp"],
           timing["ras"],   timing["rc"],   timing["rrds"],  timing["rrdl"],  timing["faw"],
           timing["ccds"],  timing["ccdl"], timing["wtrs"],  timing["wtrl"],  timing["rtw"],
           timing["wr"],    timing["rtp"],  timing["refi"],  timing["rfc"]},
        reach_(reach) {}

  // Compares the command with the history, which does not contain it yet.
  virtual void check(const Event& next) = 0;

  const std::deque<Event>& history() const { return history_; }

  static bool reads(Command c) { return c == Command::kRead || c == Command::kReadAuto; }
  static bool writes(Command c) { return c == Command::kWrite || c == Command::kWriteAuto; }
  static bool columns(Command c) { return reads(c) || writes(c); }
  static bool are_of_one_kind(const Event& p, const Event& n) {
    return (reads(p.command) && reads(n.command)) || (writes(p.command) && writes(n.command));
  }
  static bool are_of_one_bank(const Event& p, const Event& n) {
    return p.group == n.group && p.bank == n.bank;
  }

  void need(bool applies, const char* rule, std::int64_t distance, std::int64_t least) {
    if (applies && distance < least) ++violations[rule];
  }

  // The rules between two commands whose banks share a data bus.
  void pair(const Event& p, const Event& n) {
    const std::int64_t d = n.at - p.at;
    const bool group = p.group == n.group;
    const bool bank = are_of_one_bank(p, n);
    const bool act = p.command == Command::kActivate;
    need(act && n.command == Command::kActivate && bank, "tRC", d, t_.rc);
    need(act && n.command == Command::kActivate && group, "tRRDL", d, t_.rrdl);
    need(act && n.command == Command::kActivate, "tRRDS", d, t_.rrds);
    need(act && reads(n.command) && bank, "tRCDRD", d, t_.rcdrd);
    need(act && writes(n.command) && bank, "tRCDWR", d, t_.rcdwr);
    need(are_of_one_kind(p, n) && group, "tCCDL", d, t_.ccdl);
    const bool write_read = writes(p.command) && reads(n.command);
    need(write_read && group, "tWTRL", d, t_.wl + t_.burst + t_.wtrl);
    need(write_read, "tWTRS", d, t_.wl + t_.burst + t_.wtrs);
    need(reads(p.command) && writes(n.command), "tRTW", d, t_.rtw);
    const bool closes = n.command == Command::kPrechargeAll || (n.command == Command::kPrecharge && bank);
    need(act && closes, "tRAS", d, t_.ras);
    need(p.command == Command::kRead && closes, "tRTP", d, t_.rtp);
    need(p.command == Command::kWrite && closes, "tWR", d, t_.wl + t_.burst + t_.wr);
    need(p.command == Command::kRefresh, "tRFC", d, t_.rfc);
  }

  // The command opens, accesses or closes the row of its bank. Returns false if it is no such command.
  bool change_row(Row& row, const Event& n) {
    if (n.command == Command::kActivate) {
      if (row.open) ++violations["STATE"];
      need(true, "tRP", n.at - row.precharged, t_.rp);
      row = {true, n.row, n.at, row.precharged};
    } else if (columns(n.command)) {
      if (!row.open || row.row != n.row) ++violations["STATE"];
      if (n.command == Command::kReadAuto) close(row, std::max(n.at + t_.rtp, row.activated + t_.ras));
      if (n.command == Command::kWriteAuto)
        close(row, std::max(n.at + t_.wl + t_.burst + t_.wr, row.activated + t_.ras));
    } else if (n.command == Command::kPrecharge) {
      if (row.open) close(row, n.at);
    } else {
      return false;
    }
    return true;
  }

  // The command precharges or refreshes all of these banks.
  void change_all(Row* rows, std::size_t banks, const Event& n) {
    for (Row* each = rows; each != rows + banks; ++each) {
      if (n.command == Command::kPrechargeAll && each->open) close(*each, n.at);
      if (n.command == Command::kRefresh && each->open) ++violations["STATE"];
      if (n.command == Command::kRefresh) need(true, "tRP(REF)", n.at - each->precharged, t_.rp);
    }
  }

  const struct {  // timing parameters, in clock cycles
    std::int64_t burst, wl, rcdrd, rcdwr, rp, ras, rc, rrds, rrdl, faw, ccds, ccdl, wtrs, wtrl, rtw, wr, rtp,
        refi, rfc;
  } t_;

 private:
  static void close(Row& row, std::int64_t at) {
    row.open = false;
    row.precharged = at;
  }

  const std::int64_t reach_;
  std::deque<Event> history_;
};

}  // namespace heddle::test
