#include "models/stats/series.h"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "models/stats/writers.h"

namespace heddle {

namespace {

bool matches(const std::string& path, const std::string& pattern) {
  return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
}

}  // namespace

std::vector<std::string> unmatched_patterns(const Group& tree, const std::vector<std::string>& patterns) {
  std::vector<std::string> unmatched = patterns;
  tree.visit_with_levels([&](const Statistic& statistic) {
    const auto matched = [&](const std::string& pattern) { return matches(statistic.path, pattern); };
    unmatched.erase(std::remove_if(unmatched.begin(), unmatched.end(), matched), unmatched.end());
  });
  return unmatched;
}

Series::Series(const Group& tree, const std::vector<std::string>& patterns, std::ostream& out) : out_(out) {
  std::string head = "cycle,ps";
  tree.visit_with_levels([&](const Statistic& statistic) {
    const auto matched = [&](const std::string& pattern) { return matches(statistic.path, pattern); };
    if (std::none_of(patterns.begin(), patterns.end(), matched)) return;
    columns_.push_back({statistic.counter, statistic.formula, statistic.level});
    head += "," + quoted_csv(fmt::format("{} [{}]", statistic.path, statistic.unit));
  });
  out_ << head << '\n';
}

void Series::sample(std::uint64_t cycle, std::uint64_t ps) {
  row_.clear();
  fmt::format_to(std::back_inserter(row_), "{},{}", cycle, ps);
  for (Column& column : columns_) {
    row_.push_back(',');
    append(column);
  }
  row_.push_back('\n');
  out_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

void Series::append(Column& column) {
  const auto grown = [](std::uint64_t& last, std::uint64_t now) {
    const auto growth = static_cast<std::int64_t>(now - last);
    last = now;
    return growth;
  };
  if (column.counter != nullptr) {
    fmt::format_to(std::back_inserter(row_), "{}", grown(column.last, column.counter->value()));
    return;
  }
  if (column.level != nullptr) {
    fmt::format_to(std::back_inserter(row_), "{}", (*column.level)());
    return;
  }
  const std::int64_t above = grown(column.last, column.formula->numerator_sum());
  const std::int64_t below = grown(column.last_below, column.formula->denominator_sum());
  if (below == 0) return;
  fmt::format_to(std::back_inserter(row_), "{}",
                 column.formula->scale() * static_cast<double>(above) / static_cast<double>(below));
}

}  // namespace heddle
