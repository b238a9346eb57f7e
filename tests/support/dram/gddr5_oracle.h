#pragma once
// The Gddr5Oracle checks a stream of GDDR5 commands; see DramOracle.

#include <vector>

#include "tests/support/dram/dram_oracle.h"

namespace heddle::test {

class Gddr5Oracle final : public DramOracle {
 public:
  Gddr5Oracle(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks)
      : DramOracle(timing, 1000),
        ppd_(timing["ppd"]),
        aw32_(timing["aw32"]),
        banks_(banks),
        rows_(groups * banks) {}

 private:
  static bool precharges(Command c) { return c == Command::kPrecharge || c == Command::kPrechargeAll; }

  void check(const Event& next) override {
    if (first_ < 0) first_ = next.at;
    windows(next);
    for (const Event& previous : history()) {
      const std::int64_t d = next.at - previous.at;
      pair(previous, next);
      need(true, "CMDBUS", d, 1);
      need(are_of_one_kind(previous, next), "tCCDS", d, t_.ccds);
      need(precharges(previous.command) && precharges(next.command), "tPPD", d, ppd_);
    }
    if (change_row(rows_[next.group * banks_ + next.bank], next)) return;
    change_all(rows_.data(), rows_.size(), next);
    if (next.command == Command::kRefresh) refresh(next);
  }

  void windows(const Event& n) {
    if (n.command != Command::kActivate) return;
    std::int64_t four = 0, many = 0;
    for (const Event& p : history()) {
      if (p.command != Command::kActivate) continue;
      four += n.at - p.at < t_.faw;
      many += n.at - p.at < aw32_;
    }
    if (four > 3) ++violations["tFAW"];
    if (many > 31) ++violations["t32AW"];
  }

  void refresh(const Event& n) {
    if (n.at - (refreshed_ < 0 ? first_ : refreshed_) > 9 * t_.refi) ++violations["tREFI"];
    refreshed_ = n.at;
  }

  const std::int64_t ppd_, aw32_;
  const std::uint32_t banks_;
  std::vector<Row> rows_;
  std::int64_t first_ = -1;
  std::int64_t refreshed_ = -1;
};

}  // namespace heddle::test
