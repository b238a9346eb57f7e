#include "platforms/import/arrivals/minute_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/core/config/config.h"
#include "models/core/config/config_units.h"
#include "platforms/import/arrivals/request_rows.h"
#include "platforms/import/table_cells.h"

namespace heddle::imported {

namespace {

constexpr std::uint64_t kMinuteNs = 60'000'000'000;
constexpr std::uint64_t kMostInMinute = 1'000'000'000;  // of one function
constexpr std::uint64_t kMostInAll = 10'000'000'000;

class MinuteCounts {
 public:
  MinuteCounts(RowReader& rows, const TraceFormat& format, const ArrivalOptions& options, RequestTrace& trace)
      : rows_(rows), options_(options), trace_(trace), draws_(Random(options.seed).fork("placement")) {
    const std::vector<std::string>& names = rows_.names();
    const auto cell_of = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    app_ = cell_of(format.app);
    function_ = cell_of(format.function);
    for (std::size_t cell = cell_of("1"); cell < names.size();
         cell = cell_of(std::to_string(cells_.size() + 1)))
      cells_.push_back(cell);
    counts_.resize(cells_.size());
  }

  void row(const Cells& cells) {
    const bool is_wanted =
        options_.function.empty() || is_wanted_function(options_.function, cells[app_], cells[function_]);
    is_found_ = is_found_ || is_wanted;
    for (std::size_t minute = 0; minute < counts_.size(); ++minute) {
      const std::uint64_t count = count_of(cells[cells_[minute]], minute);
      (is_wanted ? counts_[minute] : trace_.left_out().other_functions) += count;
    }
  }

  void place(const std::string& file) {
    if (!is_found_) throw config::Error({fmt::format("{}: has no function '{}'", file, options_.function)});
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts_) all += count;
    if (all > kMostInAll)
      throw config::Error({fmt::format("{}: has {} invocations, of {} at most; --function takes those of one",
                                       file, all, kMostInAll)});
    for (std::size_t minute = 0; minute < counts_.size(); ++minute)
      if (counts_[minute] > 0) place_minute(minute, counts_[minute]);
  }

 private:
  std::uint64_t count_of(std::string_view cell, std::size_t minute) const {
    const std::optional<std::uint64_t> count = read_whole(cell);
    if (!count)
      rows_.fail(
          fmt::format("'{}' of minute {} is no whole number", config::detail::shown(cell), minute + 1));
    if (*count > kMostInMinute)
      rows_.fail(fmt::format("'{}' of minute {} is more than {}", cell, minute + 1, kMostInMinute));
    return *count;
  }

  void place_minute(std::size_t minute, std::uint64_t count) {
    const std::uint64_t start = minute * kMinuteNs;
    if (options_.place == "uniform") {
      offsets_.clear();
      for (std::uint64_t i = 0; i < count; ++i) offsets_.push_back(draws_.below(kMinuteNs));
      std::sort(offsets_.begin(), offsets_.end());
      for (const std::uint64_t offset : offsets_) add(start + offset);
      return;
    }
    const double part = static_cast<double>(kMinuteNs) / static_cast<double>(count);
    for (std::uint64_t i = 0; i < count; ++i)
      add(start + static_cast<std::uint64_t>(part * (static_cast<double>(i) + 0.5)));
  }

  void add(std::uint64_t time_ns) {
    const auto time = static_cast<std::int64_t>(time_ns);
    if (trace_.read() == 0) trace_.begin(time);
    trace_.add(time, {});
  }

  RowReader& rows_;
  const ArrivalOptions& options_;
  RequestTrace& trace_;
  Random draws_;
  std::size_t app_ = 0;
  std::size_t function_ = 0;
  std::vector<std::size_t> cells_;     // by minute
  std::vector<std::uint64_t> counts_;  // by minute
  std::vector<std::uint64_t> offsets_;
  bool is_found_ = false;
};

}  // namespace

void read_minute_counts(RowReader& rows, const Cells& first, const TraceFormat& format,
                        const std::string& file, const ArrivalOptions& options, RequestTrace& trace) {
  MinuteCounts counts(rows, format, options, trace);
  Cells cells = first;
  do counts.row(cells);
  while (rows.next(cells));
  counts.place(file);
}

}  // namespace heddle::imported
