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

DataBusAccount::DataBusAccount(const DramTiming& timing, const Shape& shape, Group& stats)
    : burst_(timing.burst()),
      groups_per_stack_(shape.groups / shape.stack_ids),
      has_stacks_(shape.stack_ids > 1),
      columns_{column_of(timing, false), column_of(timing, true)},
      other_stack_{timing.distance(DramCommand::kRead, DramCommand::kRead, TimingScope::kOtherStack),
                   timing.distance(DramCommand::kWrite, DramCommand::kWrite, TimingScope::kOtherStack)},
      activates_(shape.banks) {
  for (std::vector<Cycle>& ready : group_ready_) ready.resize(shape.groups);
  for (std::vector<Cycle>& turned : group_turned_) turned.resize(shape.groups);
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

DataBusAccount::Column DataBusAccount::column_of(const DramTiming& timing, bool write) {
  const DramCommand self = write ? DramCommand::kWrite : DramCommand::kRead;
  const DramCommand other = write ? DramCommand::kRead : DramCommand::kWrite;
  return {timing.distance(DramCommand::kActivate, self, TimingScope::kBank),
          timing.distance(self, self, TimingScope::kGroup), timing.distance(self, other, TimingScope::kAll),
          timing.distance(self, other, TimingScope::kGroup)};
}

void DataBusAccount::reset() {
  accounted_ = data_until_ = queued_since_ = refresh_until_ = Cycle{0};
  presumed_ = 0;
  std::fill(activates_.begin(), activates_.end(), Activate{});
  turned_ = {};
  for (std::vector<Cycle>& turned : group_turned_) std::fill(turned.begin(), turned.end(), Cycle{});
  for (std::vector<Cycle>& ready : group_ready_) std::fill(ready.begin(), ready.end(), Cycle{});
}

const char* DataBusAccount::name_of(Reason reason) {
  return kTexts[reason].name;
}

void DataBusAccount::pass_data(Cycle until) {
  const Cycle end = std::min(until, data_until_);
  if (end <= accounted_) return;
  busy_ += end - accounted_;
  accounted_ = end;
}

void DataBusAccount::charge(Reason reason, Cycle until, Cycle limit) {
  const Cycle end = std::min(until, limit);
  if (end <= accounted_) return;
  lost_[reason] += end - accounted_;
  accounted_ = end;
}

// Counts the first cycles that are not charged as `bank`, instead of those that counted so before.
void DataBusAccount::presume(std::uint64_t cycles) {
  lost_[kBank].set(lost_[kBank].value() - presumed_ + cycles);
  presumed_ = cycles;
}

void DataBusAccount::add_column(std::uint32_t bank, std::uint32_t group, bool write, Cycle now) {
  const std::size_t direction = write ? 1 : 0;
  const Column& column = columns_[direction];
  pass_data(now);
  if (accounted_ < now) {
    const Activate& activate = activates_[bank];
    presume(0);
    charge(kNothingQueued, queued_since_, now);
    charge(kRefresh, std::max(refresh_until_, activate.refresh_until), now);
    charge(kBank, activate.bank_ready + column.open, now);
    charge(kActivateWindow, activate.others_ready + column.open, now);
    charge(kCommandBus, activate.at + column.open, now);
    charge(kTurnaround, std::max(turned_[direction], group_turned_[direction][group]), now);
    charge(kGroup, group_ready_[direction][group], now);
    charge(kCommandBus, now, now);
  }
  data_until_ = now + burst_;
  group_ready_[direction][group] = now + column.same_group;
  turned_[1 - direction] = now + column.other;
  group_turned_[1 - direction][group] = now + column.other_group;
}

void DataBusAccount::delay_other_stacks(std::uint32_t group, bool write, Cycle until) {
  std::vector<Cycle>& ready = group_ready_[write ? 1 : 0];
  for (std::uint32_t other = 0; other < ready.size(); ++other)
    if (other / groups_per_stack_ != group / groups_per_stack_) ready[other] = std::max(ready[other], until);
}

void DataBusAccount::account_until(Cycle now, bool waiting) {
  pass_data(now);
  charge(kNothingQueued, waiting ? queued_since_ : now, now);
  if (!waiting) return;
  charge(kRefresh, refresh_until_, now);
  presume(now - accounted_);
}

}  // namespace heddle
