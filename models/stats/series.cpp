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

// Returns what the number has grown by since `last`, and sets `last`.
std::int64_t growth(std::uint64_t& last, std::uint64_t now) {
  const auto grown = static_cast<std::int64_t>(now - last);
  last = now;
  return grown;
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

Series::Series(const Group& tree, const std::vector<std::string>& patterns) {
  tree.visit_with_levels([&](const Statistic& statistic) {
    const auto matched = [&](const std::string& pattern) { return matches(statistic.path, pattern); };
    if (std::none_of(patterns.begin(), patterns.end(), matched)) return;
    columns_.push_back({statistic.path,
                        std::string(statistic.unit),
                        {},
                        statistic.kind(),
                        std::string(statistic.description)});
    sources_.push_back({statistic.counter, statistic.formula, statistic.level});
  });
}

Series::Value Series::next_value(Source& source) {
  if (source.level != nullptr) return (*source.level)();
  if (source.counter != nullptr) return growth(source.last, source.counter->value());
  const std::int64_t above = growth(source.last, source.formula->numerator_sum());
  const std::int64_t below = growth(source.last_below, source.formula->denominator_sum());
  if (below == 0) return {};
  return source.formula->scale() * static_cast<double>(above) / static_cast<double>(below);
}

void Series::sample() {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].value = next_value(sources_[i]);
}

SeriesCsv::SeriesCsv(const Series& series, std::ostream& out) : series_(series), out_(out) {
  out_ << "cycle,ps";
  for (const Series::Column& column : series_.columns())
    out_ << ',' << quoted_csv(fmt::format("{} [{}]", column.path, column.unit));
  out_ << '\n';
}

void SeriesCsv::row(std::uint64_t cycle, std::uint64_t ps) {
  row_.clear();
  const auto out = std::back_inserter(row_);
  fmt::format_to(out, "{},{}", cycle, ps);
  for (const Series::Column& column : series_.columns()) {
    row_.push_back(',');
    if (const auto* whole = std::get_if<std::int64_t>(&column.value)) fmt::format_to(out, "{}", *whole);
    if (const auto* real = std::get_if<double>(&column.value)) fmt::format_to(out, "{}", *real);
  }
  row_.push_back('\n');
  out_.write(row_.data(), static_cast<std::streamsize>(row_.size()));
}

void write_columns(const Series& series, std::ostream& out) {
  out << "path,unit,kind,description\n";
  for (const Series::Column& column : series.columns())
    out << quoted_csv(column.path) << ',' << quoted_csv(column.unit) << ',' << column.kind << ','
        << quoted_csv(column.description) << '\n';
}

SeriesTracks::SeriesTracks(const Series& series, Timeline& timeline) : series_(series), timeline_(timeline) {
  const TrackId parent = timeline_.process("statistics");
  for (const Series::Column& column : series_.columns())
    tracks_.push_back(timeline_.counter(parent, column.path, column.unit));
}

void SeriesTracks::draw(std::uint64_t begin_ps) {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Series::Value& value = series_.columns()[i].value;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) timeline_.value(tracks_[i], begin_ps, *whole);
    if (const auto* real = std::get_if<double>(&value)) timeline_.value(tracks_[i], begin_ps, *real);
  }
}

}  // namespace heddle
