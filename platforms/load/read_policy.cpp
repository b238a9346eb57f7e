#include "platforms/load/read_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "models/core/config/config_units.h"
#include "policies/replacement/i_replacement.h"

namespace heddle {

namespace {

constexpr const char* kCycles = "cycles";  // the unit of a policy's parameter

// Adds the numbers of an entry such as 0-13, both ends among them, to `list`. Returns whether it is one.
bool read_span(const config::Value& entry, config::Range range, std::vector<std::int64_t>& list) {
  const std::string text = entry.is_scalar() ? entry.text() : "";
  const std::size_t dash = text.find('-', 1);
  if (dash == std::string::npos) return false;
  const auto first = config::detail::parse_integer(text.substr(0, dash), range);
  const auto last = config::detail::parse_integer(text.substr(dash + 1), range);
  if (!first.ok() || !last.ok() || first.value > last.value) return false;
  for (std::int64_t number = first.value; number <= last.value; ++number) list.push_back(number);
  return true;
}

// Adds a list to `lists`. Returns whether its entries are valid.
bool read_list(const config::Value& value, config::Range range, IntegerLists& lists) {
  std::vector<std::int64_t>& list = lists.emplace_back();
  bool is_valid = true;
  for (const config::Value& entry : value.list()) {
    if (read_span(entry, range, list)) continue;
    const bool all = range.least <= PolicyValue::kAll && entry.is_scalar() && entry.text() == "all";
    list.push_back(all ? PolicyValue::kAll : entry.integer(range));
    is_valid =
        is_valid && (all || (entry.is_scalar() && config::detail::parse_integer(entry.text(), range).ok()));
  }
  return is_valid;
}

// Reads `all`, a list, or a list of lists; the first entry decides between the last two. Lists with an entry
// that is wrong read as the default, so that nothing else is said of them.
PolicyValue read_lists(const config::Value& value, const PolicyParameter& parameter) {
  if (value.is_scalar() && value.text() == "all") return IntegerLists{};
  const config::Range range{static_cast<std::int64_t>(parameter.least),
                            static_cast<std::int64_t>(parameter.most)};
  const std::vector<config::Value> entries = value.list();
  IntegerLists lists;
  bool is_valid = true;
  if (entries.empty() || !entries.front().is_list())
    is_valid = read_list(value, range, lists);
  else
    for (const config::Value& entry : entries) is_valid = read_list(entry, range, lists) && is_valid;
  return is_valid ? PolicyValue(lists) : parameter.fallback;
}

PolicyValue read_texts(const config::Value& value) {
  TextList texts;
  for (const config::Value& entry : value.list()) texts.push_back(entry.text());
  return texts;
}

PolicyValue read_name(const config::Value& value, const PolicyParameter& parameter) {
  const std::string name = value.choice(parameter.names);
  const bool known = std::find(parameter.names.begin(), parameter.names.end(), name) != parameter.names.end();
  return known ? PolicyValue(name) : parameter.fallback;  // for an unknown name, a problem is recorded
}

// Returns the picoseconds of a unit of time; 0 if the unit is none.
double picoseconds_of(const std::string& unit) {
  if (unit == "ns") return 1e3;
  if (unit == "us") return 1e6;
  if (unit == "ms") return 1e9;
  return unit == "s" ? 1e12 : 0;
}

// Reads a number. A parameter in cycles may also be a share of the window, as in "1%", and a parameter in a
// unit of time may also be a time in another unit, as in "2ms".
double read_number(const config::Value& value, const PolicyParameter* known, std::uint64_t window) {
  const std::string text = value.is_scalar() ? value.text() : "";
  const double unit = known == nullptr ? 0 : picoseconds_of(known->unit);
  if (unit > 0 && !text.empty() && text.back() == 's') return static_cast<double>(value.time_ps()) / unit;
  if (text.empty() || text.back() != '%') return value.real({-1e18, 1e18});
  const char* const end = text.data() + text.size() - 1;
  double percent = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc() || stopped != end || !(percent >= 0 && percent <= 100))
    value.problem("a share lies in 0% .. 100%");
  else if (known != nullptr && known->unit != kCycles)
    value.problem("only cycles can be a share of the window");
  else if (window == 0)
    value.problem("there is no window to take a share of");
  return std::floor(percent / 100 * static_cast<double>(window));
}

void read_parameter(const std::string& decision, const config::Value& given, const std::string& key,
                    std::uint64_t window, PolicyChoice& choice) {
  const PolicyParameter* known = PolicyCatalogue::instance().find(decision, choice.name, key);
  if (known != nullptr && known->fallback.is_lists())
    choice.parameters[key] = read_lists(given, *known);
  else if (known != nullptr && known->fallback.is_name())
    choice.parameters[key] = read_name(given, *known);
  else if (known != nullptr && known->fallback.kind() == PolicyValue::Kind::kTexts)
    choice.parameters[key] = read_texts(given);
  else
    choice.parameters[key] = read_number(given, known, window);
}

}  // namespace

PolicyChoice read_policy(const std::string& decision, const config::Value& value, std::uint64_t window) {
  PolicyChoice choice;
  if (value.is_scalar()) {
    choice.name = value.text();
    return choice;
  }
  const config::Section section = value.section();
  choice.name = section.text("name");
  for (const std::string& key : section.keys())
    if (key != "name") read_parameter(decision, section.value(key), key, window, choice);
  return choice;
}

PolicyDefaults read_policy_defaults(const config::Section& section) {
  PolicyDefaults defaults;
  for (const std::string& decision : section.keys()) {
    const config::Section policies = section.section(decision);
    for (const std::string& name : policies.keys()) {
      const config::Section parameters = policies.section(name);
      PolicyChoice choice{name, {}};
      for (const std::string& key : parameters.keys())
        read_parameter(decision, parameters.value(key), key, 0, choice);
      try {
        PolicyCatalogue::instance().resolve(decision, choice);
        defaults[decision][name] = choice.parameters;
      } catch (const PolicyError& error) {
        policies.value(name).problem(error.what());
      }
    }
  }
  return defaults;
}

PolicyChoice read_policy_of_block(const config::Section& block, const char* decision, const char* fallback,
                                  const char* doc) {
  const PolicyChoice by_default{fallback, {}};
  const auto value = block.optional(
      {decision, fmt::format("{}, a name or {{name: ..., parameter: value}}", doc)}, "policy", fallback);
  if (!value) return by_default;
  PolicyChoice choice = read_policy(decision, *value, 0);
  if (choice.name.empty() && !value->is_scalar()) return by_default;
  try {
    PolicyCatalogue::instance().resolve(decision, choice);
  } catch (const PolicyError& error) {
    value->problem(error.what());
    return by_default;
  }
  return choice;
}

PolicyChoice read_replacement(const config::Section& cache) {
  return read_policy_of_block(cache, Replacement::kDecision, Replacement::kDefault,
                              "replacement policy of the cache");
}

}  // namespace heddle
