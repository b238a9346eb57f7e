#include "platforms/c_api/open_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "platforms/c_api/handle.h"

namespace heddle {

namespace {

std::optional<std::uint64_t> count_of(const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

// Returns the text without blanks at its ends.
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::uint64_t number_of(const std::string& option, const std::string& value) {
  const std::optional<std::uint64_t> number = count_of(value);
  if (!number) throw BadCall(fmt::format("{} {}: expected a number from 0 on", option, value));
  return *number;
}

void check_known(const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw BadCall(fmt::format("there is no option '{}'{}", name, config::suggestion_and_known(name, known)));
}

void read_option(const std::string& name, const std::string& value, OpenOptions& options) {
  if (name == "--variant")
    options.variant = value;
  else if (name == "--latency")
    options.latency = number_of(name, value);
  else
    options.overrides.add(name, value);
}

}  // namespace

OpenOptions read_open_options(const std::string& text, const std::vector<std::string>& known) {
  OpenOptions options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty()) continue;
    const std::size_t blank = line.find_first_of(" \t");
    const std::string value = blank == std::string::npos ? "" : trimmed(line.substr(blank));
    const std::string name = line.substr(0, blank);
    check_known(name, known);
    if (value.empty()) throw BadCall(fmt::format("option '{}' needs a value after a blank", name));
    read_option(name, value, options);
  }
  return options;
}

std::size_t choose_variant(const Experiment& experiment, const std::optional<std::string>& variant) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < experiment.variants.size(); ++i) labels.push_back(variant_label(experiment, i));
  if (!variant && labels.size() == 1) return 0;
  if (!variant)
    throw BadCall(fmt::format("{} has {} runs, of which --variant names one: {}", experiment.name,
                              labels.size(), fmt::join(labels, "; ")));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == *variant) return i;
  const std::optional<std::uint64_t> number = count_of(*variant);
  if (number && *number >= 1 && *number <= labels.size()) return *number - 1;
  throw BadCall(fmt::format("--variant {}: {} has no such run; known: {}", *variant, experiment.name,
                            fmt::join(labels, "; ")));
}

}  // namespace heddle
