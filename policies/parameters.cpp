#include "policies/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {

namespace {

constexpr std::size_t kShortestSpan = 3;  // numbers in a row that are written as first-last

std::string text_of(const std::vector<std::int64_t>& list) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i + 1;
    while (end < list.size() && list[i] >= 0 && list[end] == list[end - 1] + 1) ++end;
    if (end - i < kShortestSpan) end = i + 1;
    entries.push_back(list[i] == PolicyValue::kAll ? "all"
                      : end == i + 1               ? fmt::format("{}", list[i])
                                                   : fmt::format("{}-{}", list[i], list[end - 1]));
    i = end;
  }
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

}  // namespace

void add_defaults(const PolicyDefaults& defaults, const std::string& decision, PolicyChoice& choice) {
  const auto of_decision = defaults.find(decision);
  if (of_decision == defaults.end()) return;
  const auto of_policy = of_decision->second.find(choice.name);
  if (of_policy == of_decision->second.end()) return;
  for (const auto& [parameter, value] : of_policy->second) choice.parameters.emplace(parameter, value);
}

std::string rtl_block_of(const std::string& policy) {
  constexpr const char* kPrefix = "rtl.";
  return policy.compare(0, 4, kPrefix) == 0 ? policy.substr(4) : "";
}

std::string PolicyValue::text() const {
  if (is_name()) return name_;
  if (kind_ == Kind::kTexts) return fmt::format("[{}]", fmt::join(texts_, ", "));
  if (!is_lists()) return fmt::format("{}", number_);
  if (lists_.empty()) return "all";
  if (lists_.size() == 1) return text_of(lists_.front());
  std::vector<std::string> texts;
  for (const std::vector<std::int64_t>& list : lists_) texts.push_back(text_of(list));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

const PolicyValue& PolicyParameters::value(const std::string& name, PolicyValue::Kind kind) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.kind() != kind)
    throw PolicyError(fmt::format("parameter '{}' is read but not declared", name));
  return found->second;
}

}  // namespace heddle
