#include "platforms/import/arrivals/arrival_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "models/core/config/config.h"
#include "platforms/import/arrivals/minute_counts.h"
#include "platforms/import/arrivals/request_columns.h"
#include "platforms/import/arrivals/request_rows.h"
#include "platforms/import/arrivals/row_reader.h"
#include "platforms/import/arrivals/trace_format.h"

namespace heddle::imported {

namespace {

// Returns the public format of the file, or null for another table.
const TraceFormat* choose_format(const RowReader& rows, const ArrivalOptions& options) {
  const std::vector<TraceFormat>& all = trace_formats();
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const TraceFormat& format) { return format.name == options.format; });
  if (named != all.end()) return &*named;
  if (options.format == kTableFormat || !options.time_column.empty()) return nullptr;
  return recognise_format(rows.names());
}

void check_options(const TraceFormat* format, const std::string& file, const ArrivalOptions& options) {
  const std::string name = format != nullptr ? format->name : kTableFormat;
  const auto refuse = [&](bool is_given, bool suits, const char* option, const char* what) {
    if (is_given && !suits)
      throw config::Error(
          {fmt::format("{}: {} does not suit the format {}, which has no {}", file, option, name, what)});
  };
  const bool is_table = format == nullptr;
  refuse(!options.time_column.empty(), is_table, "--time-column", "choice of columns");
  refuse(!options.time_unit.empty(), is_table, "--time-unit", "choice of units");
  refuse(!options.function.empty(), !is_table && !format->function.empty(), "--function", "functions");
  refuse(!options.model.empty(), !is_table && !format->model.empty(), "--model", "models");
  refuse(options.with_failed, !is_table && !format->failed.empty(), "--with-failed", "requests that failed");
  refuse(!options.place.empty(), !is_table && format->has_counts, "--place", "counts");
}

std::vector<std::string> parameters_of(const RequestColumns& columns) {
  std::vector<std::string> names;
  for (const RequestColumns::Parameter& parameter : columns.parameters) names.push_back(parameter.name);
  if (columns.duration) names.emplace_back("duration_ms");
  return names;
}

ArrivalImport finish(RequestTrace& trace, const std::string& format, bool has_dates) {
  ArrivalImport result;
  result.format = format;
  result.table = trace.finish();
  result.left_out = trace.left_out();
  result.read =
      trace.read() + result.left_out.failed + result.left_out.other_models + result.left_out.other_functions;
  result.out_of_order = trace.out_of_order();
  if (has_dates) result.first_date = date_text(trace.first_ns());
  return result;
}

}  // namespace

ArrivalImport import_arrivals(const std::string& file, const ArrivalOptions& options) {
  TextInput input(file);
  const std::unique_ptr<RowReader> rows = open_rows(input);
  const TraceFormat* const format = choose_format(*rows, options);
  check_options(format, file, options);
  RequestColumns columns;
  if (format != nullptr)
    columns = columns_of(*format, *rows);
  else
    columns.time = time_column_of(*rows, options);
  Cells first;
  if (!rows->next(first)) input.fail("there is no request behind the head");
  if (format == nullptr) columns = columns_of_table(*rows, columns.time, first, options);
  const bool has_counts = format != nullptr && format->has_counts;
  const bool has_dates = !has_counts && columns.unit == TimeUnit::kDate;
  RequestTrace trace(file, options, parameters_of(columns), has_dates);
  if (has_counts)
    read_minute_counts(*rows, first, *format, file, options, trace);
  else
    read_requests(*rows, first, columns, file, options, trace);
  ArrivalImport result = finish(trace, format != nullptr ? format->name : kTableFormat, has_dates);
  result.columns_left_out = columns.left_out;
  return result;
}

}  // namespace heddle::imported
