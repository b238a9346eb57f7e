#include "platforms/campaign/results/stats.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/store/run_files.h"

namespace heddle {

namespace {

constexpr const char* kBegin = "\n  \"";  // the start of a statistic's line
constexpr const char* kEnd = "\n}\n";     // the end of the file

[[noreturn]] void fail(const std::string& file) {
  throw config::Error({file + ": is damaged"});
}

}  // namespace

RunStats::RunStats(const std::string& file) : file_(file), text_(config::read_file(file)) {
  const std::string end = kEnd;
  const bool whole = text_.size() > end.size() && text_.front() == '{' &&
                     text_.compare(text_.size() - end.size(), end.size(), end) == 0;
  if (!whole) fail(file_);
  check_content(file_, text_);
}

std::optional<RunStats::Value> RunStats::find(const std::string& name) const {
  const std::string begin = fmt::format("{}{}\": ", kBegin, name);
  std::size_t from = text_.find(begin);
  if (from == std::string::npos) return std::nullopt;
  from += begin.size();
  std::size_t to = text_.find('\n', from);
  if (text_[to - 1] == ',') --to;
  try {
    const auto json = nlohmann::json::parse(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                            text_.begin() + static_cast<std::ptrdiff_t>(to));
    Value value{std::nullopt, json.at("unit")};
    if (!json.at("value").is_null()) value.value = json.at("value").get<double>();
    return value;
  } catch (const nlohmann::json::exception&) {
    fail(file_);
  }
}

std::vector<std::string> RunStats::names() const {
  const std::string begin = kBegin;
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text_.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    names.push_back(text_.substr(at, text_.find('"', at) - at));
  }
  return names;
}

}  // namespace heddle
