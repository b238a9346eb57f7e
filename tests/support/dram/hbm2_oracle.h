#pragma once
// The Hbm2Oracle checks a stream of HBM2 commands of one channel, of both pseudo-channels; see DramOracle.

#include <map>
#include <vector>

#include "tests/support/dram/dram_oracle.h"

namespace heddle::test {

class Hbm2Oracle final : public DramOracle {
 public:
  // A stack id has 4 groups of 4 banks.
  Hbm2Oracle(const DramTiming& timing, std::uint32_t stack_ids)
      : DramOracle(timing, 400),
        ccdr_(timing["ccdr"]),
        refisb_(timing["refisb"]),
        rfcsb_(timing["rfcsb"]),
        rrefd_(timing["rrefd"]),
        groups_(4 * stack_ids),
        rows_(std::size_t{2} * groups_ * 4) {}

 private:
  std::uint32_t pseudo_channel(const Event& e) const { return e.group / groups_; }
  static std::uint32_t stack(const Event& e) { return e.group / 4; }  // a number in the whole channel

  void check(const Event& next) override {
    buses(next);
    for (const Event& previous : history()) {
      if (pseudo_channel(previous) != pseudo_channel(next)) continue;
      pair(previous, next);
      const bool one_kind = are_of_one_kind(previous, next);
      need(one_kind && stack(previous) == stack(next), "tCCDS", next.at - previous.at, t_.ccds);
      need(one_kind && stack(previous) != stack(next), "tCCDR", next.at - previous.at, ccdr_);
      refresh_pair(previous, next);
    }
    window(next);
    state(next);
  }

  // Both pseudo-channels use the row bus and the column bus. An activate occupies the row bus for two clocks.
  void buses(const Event& n) {
    std::int64_t& free = columns(n.command) ? column_bus_free_ : row_bus_free_;
    need(true, columns(n.command) ? "COLBUS" : "ROWBUS", n.at, free);
    free = n.at + (n.command == Command::kActivate ? 2 : 1);
  }

  void refresh_pair(const Event& p, const Event& n) {
    const std::int64_t d = n.at - p.at;
    const bool bank = are_of_one_bank(p, n);
    const bool group = p.group == n.group;
    const bool of_bank = n.command == Command::kRefreshBank;
    need(p.command == Command::kRefreshBank && bank, "tRFCSB", d, rfcsb_);
    need(p.command == Command::kRefreshBank && !bank && (of_bank || n.command == Command::kActivate),
         "tRREFD", d, rrefd_);
    need(p.command == Command::kActivate && of_bank && bank, "tRC(REFSB)", d, t_.rc);
    need(p.command == Command::kActivate && of_bank && group && !bank, "tRRDL(REFSB)", d, t_.rrdl);
    need(p.command == Command::kActivate && of_bank && !bank, "tRRDS(REFSB)", d, t_.rrds);
  }

  void window(const Event& n) {
    if (n.command != Command::kActivate) return;
    std::int64_t four = 0;
    for (const Event& p : history())
      four +=
          p.command == Command::kActivate && pseudo_channel(p) == pseudo_channel(n) && n.at - p.at < t_.faw;
    if (four > 3) ++violations["tFAW"];
  }

  void state(const Event& n) {
    const std::uint32_t bank = n.group * 4 + n.bank;
    Row& row = rows_[bank];
    if (change_row(row, n)) return;
    if (n.command == Command::kRefreshBank) {
      if (row.open) ++violations["STATE"];
      need(true, "tRP(REFSB)", n.at - row.precharged, t_.rp);
      return late("tREFISB", n.at, refreshed_[bank], 9 * 4 * std::int64_t{groups_} * refisb_);
    }
    const std::uint32_t first = pseudo_channel(n) * groups_ * 4;  // bank of the pseudo-channel
    change_all(&rows_[first], std::size_t{groups_} * 4, n);
    if (n.command == Command::kRefresh) late("tREFI", n.at, refreshed_[first], 9 * t_.refi);
  }
  void late(const char* rule, std::int64_t now, std::int64_t& last, std::int64_t most) {
    if (now - last > most) ++violations[rule];
    last = now;
  }

  const std::int64_t ccdr_, refisb_, rfcsb_, rrefd_;
  const std::uint32_t groups_;  // of a pseudo-channel
  std::vector<Row> rows_;
  std::map<std::uint32_t, std::int64_t> refreshed_;  // by bank, or by the first bank of a pseudo-channel
  std::int64_t row_bus_free_ = 0, column_bus_free_ = 0;
};

}  // namespace heddle::test
