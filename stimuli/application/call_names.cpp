#include "stimuli/application/call_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/core/config/config_names.h"

namespace heddle {

std::string verb_of(const config::Value& call, const std::vector<std::string>& known) {
  const config::Section section = call.section();
  if (!call.is_section()) return {};
  const std::vector<std::string> keys = section.keys();
  const auto verb = std::find_if(keys.begin(), keys.end(), [&](const std::string& key) {
    return std::find(known.begin(), known.end(), key) != known.end();
  });
  if (verb != keys.end()) return *verb;
  call.problem("no such call" + config::suggestion_and_known(keys.empty() ? "" : keys.front(), known));
  for (const std::string& key : keys) section.has(key);
  return {};
}

namespace {

void record_unknown(const char* what, const config::Value& value, const std::string& name,
                    const std::vector<std::string>& names) {
  value.problem(fmt::format("no {} '{}'{}", what, name, config::suggestion(name, names)));
}

}  // namespace

NumberedNames::NumberedNames(const std::vector<std::string>& names) {
  numbers_.reserve(names.size());
  for (const std::string& name : names) numbers_.emplace(name, size_++);
}

std::uint32_t NumberedNames::add(const std::string& name) {
  const auto [place, is_new] = numbers_.emplace(name, size_);
  if (is_new) ++size_;
  return place->second;
}

std::uint32_t NumberedNames::find(const char* what, const config::Value& value,
                                  const std::string& name) const {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  std::vector<std::string> names(size_);
  for (const auto& [known, number] : numbers_) names[number] = known;
  record_unknown(what, value, name, names);
  return size_;
}

std::uint32_t index_of(const char* what, const config::Value& value, const std::string& name,
                       const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) record_unknown(what, value, name, names);
  return static_cast<std::uint32_t>(found - names.begin());
}

}  // namespace heddle
