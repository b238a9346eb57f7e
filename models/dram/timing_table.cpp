#include "models/dram/timing_table.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

TimingTable::TimingTable(const DramTiming& timing, std::uint32_t groups, std::uint32_t banks_per_group,
                         std::uint32_t stack_ids)
    : groups_(groups),
      groups_per_stack_(groups / stack_ids),
      has_stacks_(stack_ids > 1),
      stride_(1 + groups + std::size_t{groups} * banks_per_group) {
  for (std::uint32_t bank = 0; bank < groups * banks_per_group; ++bank)
    group_of_.push_back(bank / banks_per_group);
  for (std::size_t i = 0; i < kDramCommands; ++i)
    base_[i] = static_cast<std::size_t>(plain(static_cast<DramCommand>(i))) * stride_;
  earliest_.resize(kDramCommands * stride_);
  for (const TimingDistance& rule : timing.distances())
    if (rule.next == plain(rule.next)) add(rule);
  for (const ActivateWindow& window : timing.standard().windows) {
    HEDDLE_CHECK(window.activates <= kRemembered, "timing_table", Cycle{}, "a window of {} activates",
                 window.activates);
    windows_.push_back({window.activates, timing.value_of(window.cycles)});
  }
}

// If two rules apply to the same commands at one scope, the longer distance counts.
void TimingTable::add(const TimingDistance& rule) {
  if (rule.scope == TimingScope::kOtherStack) {
    if (has_stacks_)
      stack_entries_[static_cast<std::size_t>(rule.previous)].push_back({base(rule.next) + 1, rule.distance});
    return;
  }
  const std::size_t offset = rule.scope == TimingScope::kAll     ? 0
                             : rule.scope == TimingScope::kGroup ? 1
                                                                 : 1 + groups_;
  const auto first = static_cast<std::uint32_t>(base(rule.next) + offset);
  std::vector<Entry>& entries = entries_[static_cast<std::size_t>(rule.previous)];
  const auto same = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.first == first && entry.scope == rule.scope;
  });
  if (same == entries.end())
    entries.push_back({first, rule.distance, rule.scope});
  else
    same->distance = std::max(same->distance, rule.distance);
}

void TimingTable::reset() {
  std::fill(earliest_.begin(), earliest_.end(), Cycle{});
  activates_ = {};
  activated_ = 0;
}

// Applies all rules but those between stack ids.
void TimingTable::delay_others(DramCommand command, std::uint32_t bank, Cycle now) {
  const std::array<std::size_t, 3> offset{bank, group_of_[bank], 0};  // by scope
  for (const Entry& entry : entries_[static_cast<std::size_t>(command)])
    raise(entry.first + offset[static_cast<std::size_t>(entry.scope)], now + entry.distance);
  if (command == DramCommand::kActivate) activated(now);
}

void TimingTable::delay_other_stacks(DramCommand command, std::uint32_t group, Cycle now) {
  const std::uint32_t stack = group / groups_per_stack_;
  for (const StackEntry& entry : stack_entries_[static_cast<std::size_t>(command)])
    for (std::uint32_t other = 0; other < groups_; ++other)
      if (other / groups_per_stack_ != stack) raise(entry.group + other, now + entry.distance);
}

// With a window of n activates, the next activate is legal when the window that began with the n-th last
// activate is over.
void TimingTable::activated(Cycle now) {
  activates_[activated_++ % kRemembered] = now;
  for (const Window& window : windows_)
    if (activated_ >= window.activates)
      raise(base(DramCommand::kActivate),
            activates_[(activated_ - window.activates) % kRemembered] + window.cycles);
}

}  // namespace heddle
