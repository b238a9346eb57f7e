#include "platforms/import/arrivals/request_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "models/core/config/config_names.h"
#include "platforms/correlate/csv_reader.h"

namespace heddle::imported {

namespace {

std::optional<std::size_t> find_cell(const std::string& column, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), column);
  if (column.empty() || found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// A name such as "time [ms]", "time (ms)" or "time_ms" in its parts.
struct NameWithUnit {
  std::string name;
  std::optional<TimeUnit> unit;
};

NameWithUnit split_unit(const std::string& column) {
  const std::string_view text = column;
  const std::size_t start = text.find_last_of("[(_");
  if (start == std::string_view::npos) return {column, std::nullopt};
  std::string_view unit = text.substr(start + 1);
  if (text[start] != '_') {
    if (unit.empty() || unit.back() != (text[start] == '[' ? ']' : ')')) return {column, std::nullopt};
    unit.remove_suffix(1);
  }
  const std::optional<TimeUnit> known = time_unit(unit);
  if (!known) return {column, std::nullopt};
  const std::size_t end = column.find_last_not_of(" \t", start - 1);
  return {start == 0 || end == std::string::npos ? "" : column.substr(0, end + 1), known};
}

bool is_name_of_times(const std::string& column) {
  constexpr std::array<std::string_view, 4> kNames{"time", "timestamp", "arrival", "arrival_time"};
  std::string name = split_unit(column).name;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

TimeUnit unit_of(const std::string& column, std::string_view first, const RowReader& rows,
                 const ArrivalOptions& options) {
  if (!options.time_unit.empty()) return *time_unit(options.time_unit);
  if (const auto stated = split_unit(column).unit) return *stated;
  if (read_date(first)) return TimeUnit::kDate;
  rows.fail(fmt::format("{} state no unit; --time-unit names it: {}",
                        column.empty() ? "the times" : fmt::format("the times of '{}'", column),
                        fmt::join(time_unit_names(), ", ")));
}

}  // namespace

RequestColumns columns_of(const TraceFormat& format, const RowReader& rows) {
  const std::vector<std::string>& names = rows.names();
  for (const std::string& column : format.columns)
    if (!find_cell(column, names))
      rows.fail(
          fmt::format("there is no column '{}', which a trace of the format {} has", column, format.name));
  RequestColumns columns;
  columns.time = find_cell(format.time, names).value_or(0);
  columns.unit = format.unit;
  columns.duration = find_cell(format.duration, names);
  columns.failed = find_cell(format.failed, names);
  columns.model = find_cell(format.model, names);
  columns.function = find_cell(format.function, names);
  columns.app = find_cell(format.app, names);
  for (const auto& [source, name] : format.lengths)
    if (const auto cell = find_cell(source, names)) columns.parameters.push_back({*cell, name, source, true});
  return columns;
}

std::size_t time_column_of(const RowReader& rows, const ArrivalOptions& options) {
  const std::vector<std::string>& names = rows.names();
  if (!options.time_column.empty()) {
    const auto cell = find_cell(options.time_column, names);
    if (!cell)
      rows.fail(fmt::format("there is no column '{}'{}", options.time_column,
                            config::suggestion_and_known(options.time_column, names)));
    return *cell;
  }
  if (names.size() == 1 && (names[0].empty() || !options.format.empty())) return 0;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_name_of_times(names[i])) found.push_back(i);
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    rows.fail(fmt::format("the columns '{}' and '{}' may both have the times; --time-column names the one",
                          names[found[0]], names[found[1]]));
  rows.fail(fmt::format(
      "the columns {} are those of no known trace. Known: {}. Of another table, --time-column names the "
      "column of times",
      fmt::join(names, ", "), fmt::join(described_formats(), "; ")));
}

RequestColumns columns_of_table(const RowReader& rows, std::size_t time, const Cells& first,
                                const ArrivalOptions& options) {
  const std::vector<std::string>& names = rows.names();
  RequestColumns columns;
  columns.time = time;
  columns.unit = unit_of(names[columns.time], first[columns.time], rows, options);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == columns.time) continue;
    // The reader of arrivals takes names without quotes, and one column of times.
    const bool can_be_named = !names[i].empty() && names[i].find_first_of(",\"\n\r") == std::string::npos &&
                              names[i].rfind("time [", 0) != 0;
    double number = 0;
    if (can_be_named && correlate::read_decimal(first[i], number))
      columns.parameters.push_back({i, names[i], names[i], false});
    else
      columns.left_out.push_back(names[i]);
  }
  return columns;
}

}  // namespace heddle::imported
