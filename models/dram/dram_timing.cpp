#include "models/dram/dram_timing.h"

#include <algorithm>

#include "models/core/base/check.h"

namespace heddle {

namespace {

TimingScope scope_of(DramLevel level) {
  return level == DramLevel::kBank        ? TimingScope::kBank
         : level == DramLevel::kBankGroup ? TimingScope::kGroup
                                          : TimingScope::kAll;
}

std::vector<DramCommand> forms_of(DramCommand command) {
  if (command == DramCommand::kRead) return {DramCommand::kRead, DramCommand::kReadAuto};
  if (command == DramCommand::kWrite) return {DramCommand::kWrite, DramCommand::kWriteAuto};
  return {command};
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
  for (const TimingRule& rule : standard_->rules)
    for (const DramCommand previous : forms_of(rule.previous))
      for (const DramCommand next : forms_of(rule.next))
        result.push_back({rule.name, previous, next, scope_of(rule.level), value_of(rule.distance)});
  return result;
}

std::uint32_t DramTiming::distance(DramCommand previous, DramCommand next, TimingScope scope) const {
  std::uint32_t longest = 0;
  for (const TimingDistance& rule : distances())
    if (rule.previous == previous && rule.next == next && rule.scope == scope)
      longest = std::max(longest, rule.distance);
  return longest;
}

}  // namespace heddle
