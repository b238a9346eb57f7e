#include "models/dram/timing_table.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

using Command = DramCommand;
using Scope = TimingScope;

// Reads and writes, with automatic precharge or not, keep the same distances among themselves.
void add_columns(std::vector<TimingRule>& rules, const TimingRule& rule) {
  const auto forms = [](Command command) {
    return command == Command::kRead    ? std::vector<Command>{Command::kRead, Command::kReadAuto}
           : command == Command::kWrite ? std::vector<Command>{Command::kWrite, Command::kWriteAuto}
                                        : std::vector<Command>{command};
  };
  for (const Command previous : forms(rule.previous))
    for (const Command next : forms(rule.next))
      rules.push_back({rule.name, previous, next, rule.scope, rule.distance});
}

}  // namespace

std::vector<TimingRule> timing_rules(const DramTiming& t) {
  const std::uint32_t read_auto = t.rtp + t.rp;
  const std::uint32_t write_auto = t.write_to_precharge() + t.rp;
  std::vector<TimingRule> rules{
      {"tRC", Command::kActivate, Command::kActivate, Scope::kBank, std::max(t.rc, t.ras + t.rp)},
      {"tRRDL", Command::kActivate, Command::kActivate, Scope::kGroup, t.rrdl},
      {"tRRDS", Command::kActivate, Command::kActivate, Scope::kAll, t.rrds},
      {"tRAS", Command::kActivate, Command::kPrecharge, Scope::kBank, t.ras},
      {"tRAS", Command::kActivate, Command::kPrechargeAll, Scope::kAll, t.ras},
      {"tRAS+tRP", Command::kActivate, Command::kRefresh, Scope::kAll, t.ras + t.rp},
      {"tRP", Command::kPrecharge, Command::kActivate, Scope::kBank, t.rp},
      {"tRP", Command::kPrecharge, Command::kRefresh, Scope::kAll, t.rp},
      {"tRP", Command::kPrechargeAll, Command::kActivate, Scope::kAll, t.rp},
      {"tRP", Command::kPrechargeAll, Command::kRefresh, Scope::kAll, t.rp},
      {"tRTP+tRP", Command::kReadAuto, Command::kActivate, Scope::kBank, read_auto},
      {"tRTP+tRP", Command::kReadAuto, Command::kRefresh, Scope::kAll, read_auto},
      {"tWR+tRP", Command::kWriteAuto, Command::kActivate, Scope::kBank, write_auto},
      {"tWR+tRP", Command::kWriteAuto, Command::kRefresh, Scope::kAll, write_auto},
      {"tRFC", Command::kRefresh, Command::kActivate, Scope::kAll, t.rfc},
      {"tRFC", Command::kRefresh, Command::kPrecharge, Scope::kAll, t.rfc},
      {"tRFC", Command::kRefresh, Command::kRefresh, Scope::kAll, t.rfc},
  };
  for (const Command previous : {Command::kPrecharge, Command::kPrechargeAll})
    for (const Command next : {Command::kPrecharge, Command::kPrechargeAll})
      rules.push_back({"tPPD", previous, next, Scope::kAll, t.ppd});
  const std::vector<TimingRule> columns{
      {"tRCDRD", Command::kActivate, Command::kRead, Scope::kBank, t.rcdrd},
      {"tRCDWR", Command::kActivate, Command::kWrite, Scope::kBank, t.rcdwr},
      {"tCCDL", Command::kRead, Command::kRead, Scope::kGroup, t.ccdl},
      {"tCCDS", Command::kRead, Command::kRead, Scope::kAll, t.ccds},
      {"tCCDL", Command::kWrite, Command::kWrite, Scope::kGroup, t.ccdl},
      {"tCCDS", Command::kWrite, Command::kWrite, Scope::kAll, t.ccds},
      {"tWTRL", Command::kWrite, Command::kRead, Scope::kGroup, t.write_to_read(true)},
      {"tWTRS", Command::kWrite, Command::kRead, Scope::kAll, t.write_to_read(false)},
      {"tRTW", Command::kRead, Command::kWrite, Scope::kAll, t.rtw},
      {"tRTP", Command::kRead, Command::kPrecharge, Scope::kBank, t.rtp},
      {"tWR", Command::kWrite, Command::kPrecharge, Scope::kBank, t.write_to_precharge()},
      {"tRTP", Command::kRead, Command::kPrechargeAll, Scope::kAll, t.rtp},
      {"tWR", Command::kWrite, Command::kPrechargeAll, Scope::kAll, t.write_to_precharge()},
  };
  for (const TimingRule& rule : columns) add_columns(rules, rule);
  return rules;
}

std::vector<ActivateWindow> activate_windows(const DramTiming& timing) {
  return {{"tFAW", 4, timing.faw}, {"t32AW", 32, timing.aw32}};
}

TimingTable::TimingTable(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks_per_group)
    : groups_(groups), stride_(1 + groups + std::size_t{groups} * banks_per_group) {
  for (std::uint32_t bank = 0; bank < groups * banks_per_group; ++bank)
    group_of_.push_back(bank / banks_per_group);
  for (std::size_t i = 0; i < kDramCommands; ++i)
    base_[i] = static_cast<std::size_t>(plain(static_cast<DramCommand>(i))) * stride_;
  earliest_.resize(kDramCommands * stride_);
  for (const TimingRule& rule : timing_rules(timing)) {
    if (rule.next != plain(rule.next)) continue;
    const std::size_t offset = rule.scope == Scope::kAll ? 0 : rule.scope == Scope::kGroup ? 1 : 1 + groups;
    entries_[static_cast<std::size_t>(rule.previous)].push_back(
        {static_cast<std::uint32_t>(base(rule.next) + offset), rule.distance, rule.scope});
  }
  for (const ActivateWindow& window : activate_windows(timing)) {
    HEDDLE_CHECK(window.activates <= kRemembered, "timing_table", Cycle{}, "a window of {} activates",
                 window.activates);
    windows_.push_back({window.activates, window.cycles});
  }
}

void TimingTable::reset() {
  std::fill(earliest_.begin(), earliest_.end(), Cycle{});
  activates_ = {};
  activated_ = 0;
}

void TimingTable::issue(DramCommand command, std::uint32_t bank, Cycle now) {
  const std::array<std::size_t, 3> offset{bank, group_of_[bank], 0};  // by scope
  for (const Entry& entry : entries_[static_cast<std::size_t>(command)])
    raise(entry.first + offset[static_cast<std::size_t>(entry.scope)], now + entry.distance);
  if (command == DramCommand::kActivate) activated(now);
}

// The next activate must leave the window of the one that many places back.
void TimingTable::activated(Cycle now) {
  activates_[activated_++ % kRemembered] = now;
  for (const Window& window : windows_)
    if (activated_ >= window.activates)
      raise(base(DramCommand::kActivate),
            activates_[(activated_ - window.activates) % kRemembered] + window.cycles);
}

}  // namespace heddle
