#include "models/dram/data_bus_account.h"

#include <algorithm>
#include <string>

namespace heddle {

namespace {

struct ReasonText {
  const char* name;
  const char* description;
};

constexpr std::array<ReasonText, DataBusAccount::kReasons> kTexts{{
    {"nothing_queued", "no request waited"},
    {"refresh", "a refresh and the closing of rows before it"},
    {"bank", "the bank closed or opened a row (tRP, tRC, tRCD)"},
    {"activate_window", "activates of other banks came too close (tRRD, tFAW, t32AW)"},
    {"turnaround", "the bus turned between reads and writes"},
    {"group", "the bank group was busy (tCCDL)"},
    {"command_bus", "another command had the slot, or the scheduler held the request back"},
}};

}  // namespace

DataBusAccount::DataBusAccount(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks,
                               Group& stats)
    : timing_(timing), activates_(banks), group_read_after_write_(groups) {
  for (std::vector<Cycle>& ready : group_ready_) ready.resize(groups);
  Group& group = stats.child("data_bus");
  group.add(busy_, "busy", "CK", "command clocks with data of a burst");
  CounterList all{busy_};
  for (std::size_t reason = 0; reason < kReasons; ++reason) {
    const ReasonText& text = kTexts[reason];
    group.add(lost_[reason], std::string("lost_") + text.name, "CK",
              std::string("command clocks without data: ") + text.description);
    all.emplace_back(lost_[reason]);
  }
  group.add_formula("utilisation", "1", "command clocks with data per command clock", {busy_}, all);
}

void DataBusAccount::reset() {
  accounted_ = queued_since_ = refresh_until_ = read_after_write_ = write_after_read_ = Cycle{0};
  std::fill(activates_.begin(), activates_.end(), Activate{});
  std::fill(group_read_after_write_.begin(), group_read_after_write_.end(), Cycle{});
  for (std::vector<Cycle>& ready : group_ready_) std::fill(ready.begin(), ready.end(), Cycle{});
}

const char* DataBusAccount::name_of(Reason reason) {
  return kTexts[reason].name;
}

void DataBusAccount::charge(Reason reason, Cycle until, Cycle limit) {
  const Cycle end = std::min(until, limit);
  if (end <= accounted_) return;
  lost_[reason] += end - accounted_;
  accounted_ = end;
}

void DataBusAccount::column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now) {
  if (accounted_ < now) {
    const Activate& activate = activates_[bank];
    charge(kNothingQueued, queued_since_, now);
    charge(kRefresh, refresh_until_, now);
    const std::uint32_t open = write ? timing_.rcdwr : timing_.rcdrd;
    charge(kBank, activate.bank_ready + open, now);
    charge(kActivateWindow, activate.others_ready + open, now);
    charge(kCommandBus, activate.at + open, now);
    charge(kTurnaround,
           write ? write_after_read_ : std::max(read_after_write_, group_read_after_write_[group]), now);
    charge(kGroup, group_ready_[write ? 1 : 0][group], now);
    charge(kCommandBus, now, now);
  }
  busy_ += now + timing_.burst - accounted_;
  accounted_ = now + timing_.burst;
  group_ready_[write ? 1 : 0][group] = now + timing_.ccdl;
  if (write) {
    read_after_write_ = now + timing_.write_to_read(false);
    group_read_after_write_[group] = now + timing_.write_to_read(true);
  } else {
    write_after_read_ = now + timing_.rtw;
  }
}

void DataBusAccount::settle(Cycle now, bool waiting) {
  if (waiting) {
    charge(kNothingQueued, queued_since_, now);
    charge(kRefresh, refresh_until_, now);
  }
  charge(waiting ? kBank : kNothingQueued, now, now);
}

}  // namespace heddle
