#pragma once
// Checks a stream of HBM2 commands of one channel. Each command is compared with all earlier commands within
// the longest distance of any rule. The checker shares only the timing parameters with the controller.

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/dram/dram_controller.h"

namespace heddle::test {

class Hbm2Oracle final : public DramObserver {
 public:
  using Command = DramCommand;

  // A stack id has 4 groups of 4 banks.
  Hbm2Oracle(const DramTiming& timing, std::uint32_t stack_ids)
      : t_{timing["burst"], timing["wl"],   timing["rcdrd"],  timing["rcdwr"], timing["rp"],   timing["ras"],
           timing["rc"],    timing["rrds"], timing["rrdl"],   timing["faw"],   timing["ccds"], timing["ccdl"],
           timing["ccdr"],  timing["wtrs"], timing["wtrl"],   timing["rtw"],   timing["wr"],   timing["rtp"],
           timing["refi"],  timing["rfc"],  timing["refisb"], timing["rfcsb"], timing["rrefd"]},
        groups_(4 * stack_ids),
        rows_(std::size_t{2} * groups_ * 4) {}

  std::map<std::string, int> violations;  // by rule
  std::map<Command, std::uint64_t> counts;

  void command(Cycle now, Command command, std::uint32_t group, std::uint32_t bank,
               std::uint32_t row) override {
    const Event next{static_cast<std::int64_t>(now.value), command, group, bank, row};
    ++counts[command];
    while (!history_.empty() && next.at - history_.front().at > kReach) history_.pop_front();
    buses(next);
    for (const Event& previous : history_)
      if (pseudo_channel(previous) == pseudo_channel(next)) pair(previous, next);
    window(next);
    state(next);
    history_.push_back(next);
  }

 private:
  static constexpr std::int64_t kReach = 400;  // clock cycles; longer than any distance in the tests

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
  static bool columns(Command c) { return reads(c) || writes(c); }
  std::uint32_t pseudo_channel(const Event& e) const { return e.group / groups_; }
  static std::uint32_t stack(const Event& e) { return e.group / 4; }  // a number in the whole channel

  void need(bool applies, const char* rule, std::int64_t distance, std::int64_t least) {
    if (applies && distance < least) ++violations[rule];
  }

  // Both pseudo-channels use the buses. ACT holds the row bus for two clocks.
  void buses(const Event& n) {
    std::int64_t& free = columns(n.command) ? column_bus_free_ : row_bus_free_;
    need(true, columns(n.command) ? "COLBUS" : "ROWBUS", n.at, free);
    free = n.at + (n.command == Command::kActivate ? 2 : 1);
  }

  void pair(const Event& p, const Event& n) {
    const std::int64_t d = n.at - p.at;
    const bool group = p.group == n.group;
    const bool bank = group && p.bank == n.bank;
    const bool act = p.command == Command::kActivate;
    need(act && n.command == Command::kActivate && bank, "tRC", d, t_.rc);
    need(act && n.command == Command::kActivate && group, "tRRDL", d, t_.rrdl);
    need(act && n.command == Command::kActivate, "tRRDS", d, t_.rrds);
    need(act && reads(n.command) && bank, "tRCDRD", d, t_.rcdrd);
    need(act && writes(n.command) && bank, "tRCDWR", d, t_.rcdwr);
    const bool same_kind = (reads(p.command) && reads(n.command)) || (writes(p.command) && writes(n.command));
    need(same_kind && group, "tCCDL", d, t_.ccdl);
    need(same_kind && stack(p) == stack(n), "tCCDS", d, t_.ccds);
    need(same_kind && stack(p) != stack(n), "tCCDR", d, t_.ccdr);
    const bool write_read = writes(p.command) && reads(n.command);
    need(write_read && group, "tWTRL", d, t_.wl + t_.burst + t_.wtrl);
    need(write_read, "tWTRS", d, t_.wl + t_.burst + t_.wtrs);
    need(reads(p.command) && writes(n.command), "tRTW", d, t_.rtw);
    const bool closes = n.command == Command::kPrechargeAll || (n.command == Command::kPrecharge && bank);
    need(act && closes, "tRAS", d, t_.ras);
    need(p.command == Command::kRead && closes, "tRTP", d, t_.rtp);
    need(p.command == Command::kWrite && closes, "tWR", d, t_.wl + t_.burst + t_.wr);
    need(p.command == Command::kRefresh, "tRFC", d, t_.rfc);
    refresh_pair(p, n, bank, group);
  }

  void refresh_pair(const Event& p, const Event& n, bool bank, bool group) {
    const std::int64_t d = n.at - p.at;
    const bool of_bank = n.command == Command::kRefreshBank;
    need(p.command == Command::kRefreshBank && bank, "tRFCSB", d, t_.rfcsb);
    need(p.command == Command::kRefreshBank && !bank && (of_bank || n.command == Command::kActivate),
         "tRREFD", d, t_.rrefd);
    need(p.command == Command::kActivate && of_bank && bank, "tRC(REFSB)", d, t_.rc);
    need(p.command == Command::kActivate && of_bank && group && !bank, "tRRDL(REFSB)", d, t_.rrdl);
    need(p.command == Command::kActivate && of_bank && !bank, "tRRDS(REFSB)", d, t_.rrds);
  }

  void window(const Event& n) {
    if (n.command != Command::kActivate) return;
    std::int64_t four = 0;
    for (const Event& p : history_)
      four +=
          p.command == Command::kActivate && pseudo_channel(p) == pseudo_channel(n) && n.at - p.at < t_.faw;
    if (four > 3) ++violations["tFAW"];
  }

  Row* rows_of(std::uint32_t pseudo_channel) { return &rows_[std::size_t{pseudo_channel} * groups_ * 4]; }

  void state(const Event& n) {
    Row& row = rows_[n.group * 4 + n.bank];
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
    } else if (n.command == Command::kRefreshBank) {
      if (row.open) ++violations["STATE"];
      need(true, "tRP(REFSB)", n.at - row.precharged, t_.rp);
      late("tREFISB", n.at, refreshed_[n.group * 4 + n.bank], 9 * 4 * std::int64_t{groups_} * t_.refisb);
    } else {
      for (std::uint32_t i = 0; i < groups_ * 4; ++i) {
        Row& each = rows_of(pseudo_channel(n))[i];
        if (n.command == Command::kPrechargeAll && each.open) close(each, n.at);
        if (n.command == Command::kRefresh && each.open) ++violations["STATE"];
        if (n.command == Command::kRefresh) need(true, "tRP(REF)", n.at - each.precharged, t_.rp);
      }
      if (n.command == Command::kRefresh)
        late("tREFI", n.at, refreshed_[pseudo_channel(n) * groups_ * 4], 9 * t_.refi);
    }
  }
  void late(const char* rule, std::int64_t now, std::int64_t& last, std::int64_t most) {
    if (now - last > most) ++violations[rule];
    last = now;
  }
  static void close(Row& row, std::int64_t at) {
    row.open = false;
    row.precharged = at;
  }

  const struct {
    std::int64_t burst, wl, rcdrd, rcdwr, rp, ras, rc, rrds, rrdl, faw, ccds, ccdl, ccdr, wtrs, wtrl, rtw, wr,
        rtp, refi, rfc, refisb, rfcsb, rrefd;
  } t_;
  const std::uint32_t groups_;  // of a pseudo-channel
  std::vector<Row> rows_;
  std::map<std::uint32_t, std::int64_t> refreshed_;  // by bank, or by the first bank of a pseudo-channel
  std::int64_t row_bus_free_ = 0, column_bus_free_ = 0;
  std::deque<Event> history_;
};

}  // namespace heddle::test
