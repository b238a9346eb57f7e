#include "models/dram/dram_timing.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

TimingScope scope_of(const TimingRule& rule) {
  return rule.between                          ? TimingScope::kOtherStack
         : rule.level == DramLevel::kBank      ? TimingScope::kBank
         : rule.level == DramLevel::kBankGroup ? TimingScope::kGroup
                                               : TimingScope::kAll;
}

std::vector<DramCommand> forms_of(DramCommand command) {
  if (command == DramCommand::kRead) return {DramCommand::kRead, DramCommand::kReadAuto};
  if (command == DramCommand::kWrite) return {DramCommand::kWrite, DramCommand::kWriteAuto};
  return {command};
}

// Returns whether a rule for `command` applies to `form`.
bool has_form(DramCommand command, DramCommand form) {
  return command == form || (command == DramCommand::kRead && form == DramCommand::kReadAuto) ||
         (command == DramCommand::kWrite && form == DramCommand::kWriteAuto);
}

}  // namespace

std::uint32_t& DramTiming::operator[](std::string_view parameter) {
  const std::size_t place = exists() ? standard_->find(parameter) : values_.size();
  HEDDLE_CHECK(place < values_.size(), "DRAM timing", Cycle{}, "no parameter '{}'", parameter);
  return values_[place];
}

std::uint32_t DramTiming::operator[](std::string_view parameter) const {
  return DramTiming(*this)[parameter];
}

std::vector<TimingDistance> DramTiming::distances() const {
  std::vector<TimingDistance> result;
  for (const TimingRule& rule : standard_->rules) {
    const std::uint32_t cycles = value_of(rule.distance);
    for (const DramCommand previous : forms_of(rule.previous))
      for (const DramCommand next : forms_of(rule.next))
        result.push_back({rule.name, previous, next, scope_of(rule), cycles});
  }
  return result;
}

std::uint32_t DramTiming::distance(DramCommand previous, DramCommand next, TimingScope scope) const {
  std::uint32_t longest = 0;
  for (const TimingRule& rule : standard_->rules)
    if (scope_of(rule) == scope && has_form(rule.previous, previous) && has_form(rule.next, next))
      longest = std::max(longest, value_of(rule.distance));
  return longest;
}

}  // namespace heddle
