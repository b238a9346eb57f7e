#include "platforms/import/table_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"

namespace heddle::imported {

const Units kTimeUnits{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
const Units kByteUnits{{"bytes", 1}, {"kib", 1024}};

namespace {

constexpr double kMost =
    9e18;  // of a number in the smallest unit: 9 x 10^6 s in ps; the sum of two fits 64 bits

// A known name that ends in '_' takes a unit.
bool takes_unit(const std::string& known) {
  return known.back() == '_';
}

std::string without_mark(const std::string& known) {
  return takes_unit(known) ? known.substr(0, known.size() - 1) : known;
}

std::string with_unit(const std::string& known) {
  return takes_unit(known) ? known + "UNIT" : known;
}

[[noreturn]] void fail_unknown(const std::string& name, const std::vector<std::string>& known,
                               const correlate::CsvReader& rows) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const std::string& one : known) names.push_back(with_unit(one));
  rows.fail(fmt::format("unknown column '{}'{}", name, config::suggestion_and_known(name, names)));
}

}  // namespace

std::optional<std::uint64_t> read_whole(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

TableColumns::TableColumns(const std::vector<std::string>& names, const std::vector<std::string>& known,
                           const std::vector<std::string>& required, const correlate::CsvReader& rows)
    : count_(names.size()) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto is_it = [&](const std::string& one) {
      return names[i] == without_mark(one) || (takes_unit(one) && names[i].rfind(one, 0) == 0);
    };
    const auto found = std::find_if(known.begin(), known.end(), is_it);
    if (found == known.end()) fail_unknown(names[i], known, rows);
    const std::string column = without_mark(*found);
    const std::string unit = names[i].size() > column.size() ? names[i].substr(column.size() + 1) : "";
    if (!columns_.emplace(column, Column{i, names[i], unit, 1}).second)
      rows.fail(fmt::format("two columns for '{}'", column));
  }
  for (const std::string& name : required)
    if (!has(without_mark(name))) rows.fail(fmt::format("has no column '{}'", with_unit(name)));
}

void TableColumns::require_scale(const std::string& column, const Units& units,
                                 const correlate::CsvReader& rows) {
  const auto found = columns_.find(column);
  if (found == columns_.end()) return;
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const auto& one) { return one.first == found->second.unit; });
  if (unit == units.end()) {
    std::vector<std::string> names;
    for (const auto& one : units) names.push_back(column + "_" + one.first);
    rows.fail(fmt::format("the column '{}' states no unit; name it {}", found->second.name,
                          fmt::join(names, ", ")));
  }
  found->second.scale = unit->second;
}

void TableColumns::check_count(const std::vector<std::string>& cells,
                               const correlate::CsvReader& rows) const {
  if (cells.size() != count_) rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), count_));
}

std::string TableColumns::text(const std::string& column, const std::vector<std::string>& cells) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::string() : cells[found->second.cell];
}

std::uint64_t TableColumns::whole(const std::string& column, const std::vector<std::string>& cells,
                                  const correlate::CsvReader& rows,
                                  std::optional<std::uint64_t> fallback) const {
  const std::string cell = text(column, cells);
  if (cell.empty() && fallback) return *fallback;
  const std::optional<std::uint64_t> number = read_whole(cell);
  if (!number) rows.fail(fmt::format("'{}' of '{}' is no whole number", cell, column));
  return *number;
}

std::uint64_t TableColumns::scaled(const std::string& column, const std::vector<std::string>& cells,
                                   const correlate::CsvReader& rows,
                                   std::optional<std::uint64_t> fallback) const {
  const auto found = columns_.find(column);
  const std::string cell = text(column, cells);
  if (cell.empty() && fallback) return *fallback;
  const std::string name = found == columns_.end() ? column : found->second.name;
  const double scale = found == columns_.end() ? 1 : found->second.scale;
  if (const std::optional<std::uint64_t> number = read_whole(cell);
      number && static_cast<double>(*number) * scale <= kMost)
    return *number * static_cast<std::uint64_t>(scale);
  double number = 0;
  if (!correlate::read_decimal(cell, number)) rows.fail(fmt::format("'{}' of '{}' is no number", cell, name));
  if (number < 0) rows.fail(fmt::format("'{}' of '{}' is negative", cell, name));
  if (number * scale > kMost) rows.fail(fmt::format("'{}' of '{}' is too large", cell, name));
  return static_cast<std::uint64_t>(std::llround(number * scale));
}

}  // namespace heddle::imported
