#pragma once
// Checks a stream of GDDR5 commands. Each command is compared with all earlier commands within the longest
// distance of any rule. The checker shares only the timing parameters with the controller.

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/dram/dram_controller.h"

namespace heddle::test {

class Gddr5Oracle final : public DramObserver {
 public:
  using Command = DramCommand;

  Gddr5Oracle(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks)
      : t_{timing["burst"], timing["cl"],   timing["wl"],   timing["rcdrd"], timing["rcdwr"], timing["rp"],
           timing["ras"],   timing["rc"],   timing["rrds"], timing["rrdl"],  timing["ccds"],  timing["ccdl"],
           timing["wtrs"],  timing["wtrl"], timing["rtw"],  timing["wr"],    timing["rtp"],   timing["ppd"],
           timing["faw"],   timing["aw32"], timing["refi"], timing["rfc"]},
        banks_(banks),
        rows_(groups * banks) {}

  std::map<std::string, int> violations;  // by rule
  std::map<Command, std::uint64_t> counts;

  void command(Cycle now, Command command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t row) override {
    const Event next{static_cast<std::int64_t>(now.value), command, group, bank, row};
    if (first_ < 0) first_ = next.at;
    ++counts[command];
    while (!history_.empty() && next.at - history_.front().at > kReach) history_.pop_front();
    windows(next);
    for (const Event& previous : history_) pair(previous, next);
    state(next);
    history_.push_back(next);
  }

 private:
  static constexpr std::int64_t kReach = 1000;  // clock cycles; longer than any distance in the tests

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

  static bool reads(Command c) { return c == Command::kRead || c == Command::kReadAuto; }
  static bool writes(Command c) { return c == Command::kWrite || c == Command::kWriteAuto; }
  static bool precharges(Command c) { return c == Command::kPrecharge || c == Command::kPrechargeAll; }

  void need(bool applies, const char* rule, std::int64_t distance, std::int64_t least) {
    if (applies && distance < least) ++violations[rule];
  }

  void pair(const Event& p, const Event& n) {
    const std::int64_t d = n.at - p.at;
    const bool group = p.group == n.group;
    const bool bank = group && p.bank == n.bank;
    const bool both_act = p.command == Command::kActivate && n.command == Command::kActivate;
    need(true, "CMDBUS", d, 1);
    need(both_act && bank, "tRC", d, t_.rc);
    need(both_act && group, "tRRDL", d, t_.rrdl);
    need(both_act, "tRRDS", d, t_.rrds);
    need(p.command == Command::kActivate && reads(n.command) && bank, "tRCDRD", d, t_.rcdrd);
    need(p.command == Command::kActivate && writes(n.command) && bank, "tRCDWR", d, t_.rcdwr);
    const bool same_kind = (reads(p.command) && reads(n.command)) || (writes(p.command) && writes(n.command));
    need(same_kind && group, "tCCDL", d, t_.ccdl);
    need(same_kind, "tCCDS", d, t_.ccds);
    const bool write_read = writes(p.command) && reads(n.command);
    need(write_read && group, "tWTRL", d, t_.wl + t_.burst + t_.wtrl);
    need(write_read, "tWTRS", d, t_.wl + t_.burst + t_.wtrs);
    need(reads(p.command) && writes(n.command), "tRTW", d, t_.rtw);
    need(precharges(p.command) && precharges(n.command), "tPPD", d, t_.ppd);
    const bool closes = n.command == Command::kPrechargeAll || (n.command == Command::kPrecharge && bank);
    need(p.command == Command::kActivate && closes, "tRAS", d, t_.ras);
    need(p.command == Command::kRead && closes, "tRTP", d, t_.rtp);
    need(p.command == Command::kWrite && closes, "tWR", d, t_.wl + t_.burst + t_.wr);
    need(p.command == Command::kRefresh, "tRFC", d, t_.rfc);
  }

  void windows(const Event& n) {
    if (n.command != Command::kActivate) return;
    std::int64_t four = 0, many = 0;
    for (const Event& p : history_) {
      if (p.command != Command::kActivate) continue;
      four += n.at - p.at < t_.faw;
      many += n.at - p.at < t_.aw32;
    }
    if (four > 3) ++violations["tFAW"];
    if (many > 31) ++violations["t32AW"];
  }

  void state(const Event& n) {
    Row& row = rows_[n.group * banks_ + n.bank];
    if (n.command == Command::kActivate) {
      if (row.open) ++violations["STATE"];
      need(true, "tRP", n.at - row.precharged, t_.rp);
      row = {true, n.row, n.at, row.precharged};
    } else if (reads(n.command) || writes(n.command)) {
      if (!row.open || row.row != n.row) ++violations["STATE"];
      if (n.command == Command::kReadAuto) close(row, std::max(n.at + t_.rtp, row.activated + t_.ras));
      if (n.command == Command::kWriteAuto)
        close(row, std::max(n.at + t_.wl + t_.burst + t_.wr, row.activated + t_.ras));
    } else if (n.command == Command::kPrecharge) {
      if (row.open) close(row, n.at);
    } else {
      for (Row& each : rows_) {
        if (n.command == Command::kPrechargeAll && each.open) close(each, n.at);
        if (n.command == Command::kRefresh && each.open) ++violations["STATE"];
        if (n.command == Command::kRefresh) need(true, "tRP(REF)", n.at - each.precharged, t_.rp);
      }
      if (n.command == Command::kRefresh) {
        if (n.at - (refreshed_ < 0 ? first_ : refreshed_) > std::int64_t{9} * t_.refi) ++violations["tREFI"];
        refreshed_ = n.at;
      }
    }
  }
  static void close(Row& row, std::int64_t at) {
    row.open = false;
    row.precharged = at;
  }

  const struct {
    std::uint32_t burst, cl, wl, rcdrd, rcdwr, rp, ras, rc, rrds, rrdl, ccds, ccdl, wtrs, wtrl, rtw, wr, rtp,
        ppd, faw, aw32, refi, rfc;
  } t_;
  const std::uint32_t banks_;
  std::vector<Row> rows_;
  std::deque<Event> history_;
  std::int64_t first_ = -1;
  std::int64_t refreshed_ = -1;
};

}  // namespace heddle::test
