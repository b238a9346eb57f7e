#include "platforms/import/arrivals/request_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "models/core/config/config.h"
#include "platforms/correlate/csv_reader.h"

namespace heddle::imported {

namespace {

constexpr std::size_t kMostNamed = 20;  // models that a message names

class RequestRows {
 public:
  RequestRows(RowReader& rows, const RequestColumns& columns, const ArrivalOptions& options,
              RequestTrace& trace)
      : rows_(rows), columns_(columns), options_(options), trace_(trace) {}

  void row(const Cells& cells) {
    std::int64_t time = read_time(cells[columns_.time], columns_.unit);
    values_.clear();
    for (const RequestColumns::Parameter& parameter : columns_.parameters)
      values_.push_back(value_of(parameter, cells));
    if (columns_.duration) {
      const std::int64_t duration = read_time(cells[*columns_.duration], TimeUnit::kS);
      values_.push_back(static_cast<double>(duration) / 1e6);
      time -= duration;
    }
    if (is_wanted(cells)) trace_.add(time, values_);
  }

  void check_found(const std::string& file) const {
    if (!options_.model.empty() && !has_model_)
      throw config::Error({fmt::format("{}: has no request of the model '{}'; it has those of: {}", file,
                                       options_.model, fmt::join(models_, ", "))});
    if (!options_.function.empty() && !has_function_)
      throw config::Error({fmt::format("{}: has no function '{}'", file, options_.function)});
  }

 private:
  std::int64_t read_time(std::string_view cell, TimeUnit unit) const {
    const auto time = parse_trace_time(cell, unit);
    if (!time.ok()) rows_.fail(time.problem);
    return time.value;
  }

  double value_of(const RequestColumns::Parameter& parameter, const Cells& cells) const {
    const std::string_view cell = cells[parameter.cell];
    double value = 0;
    if (!correlate::read_decimal(cell, value))
      rows_.fail(fmt::format("'{}' of '{}' is no number", config::detail::shown(cell), parameter.source));
    if (parameter.is_length && value < 0)
      rows_.fail(fmt::format("'{}' of '{}' is negative", cell, parameter.source));
    return value;
  }

  bool is_wanted(const Cells& cells) {
    if (columns_.function && !options_.function.empty() &&
        !is_wanted_function(options_.function, cells[*columns_.app], cells[*columns_.function])) {
      ++trace_.left_out().other_functions;
      return false;
    }
    has_function_ = true;
    if (columns_.model && !options_.model.empty() && cells[*columns_.model] != options_.model) {
      ++trace_.left_out().other_models;
      if (models_.size() < kMostNamed) models_.emplace(cells[*columns_.model]);
      return false;
    }
    has_model_ = true;
    if (columns_.failed && !options_.with_failed && has_failed(cells)) {
      ++trace_.left_out().failed;
      return false;
    }
    return true;
  }

  bool has_failed(const Cells& cells) const {
    double length = 0;
    return correlate::read_decimal(cells[*columns_.failed], length) && length == 0;
  }

  RowReader& rows_;
  const RequestColumns& columns_;
  const ArrivalOptions& options_;
  RequestTrace& trace_;
  std::vector<double> values_;
  bool has_model_ = false;
  bool has_function_ = false;
  std::set<std::string, std::less<>> models_;  // others than the one that is wanted
};

}  // namespace

bool is_wanted_function(const std::string& wanted, std::string_view app, std::string_view function) {
  if (wanted == function) return true;
  const std::string_view text = wanted;
  return text.size() == app.size() + 1 + function.size() && text.substr(0, app.size()) == app &&
         text[app.size()] == '/' && text.substr(app.size() + 1) == function;
}

void read_requests(RowReader& rows, const Cells& first, const RequestColumns& columns,
                   const std::string& file, const ArrivalOptions& options, RequestTrace& trace) {
  RequestRows requests(rows, columns, options, trace);
  Cells cells = first;
  do requests.row(cells);
  while (rows.next(cells));
  requests.check_found(file);
}

}  // namespace heddle::imported
