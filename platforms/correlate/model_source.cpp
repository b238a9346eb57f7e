#include "platforms/correlate/model_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "models/core/config/input_file.h"
#include "models/stats/stats_reader.h"
#include "platforms/correlate/csv_reader.h"

namespace heddle::correlate {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStats = "stats.json";

// Returns the folder with the stats.json of the only run.
std::string folder_of(const std::string& run) {
  std::error_code ignored;
  if (fs::path(run).filename() == kStats) {
    const std::string folder = fs::path(run).parent_path().string();
    return folder.empty() ? "." : folder;
  }
  if (!fs::is_directory(run, ignored)) throw config::Error({run + ": is no directory"});
  if (fs::exists(fs::path(run) / kStats, ignored)) return run;
  std::vector<std::string> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(run, ignored))
    if (fs::exists(entry.path() / kStats, ignored)) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) throw config::Error({run + ": is no result of heddle run: it has no stats.json"});
  if (folders.size() > 1)
    throw config::Error({fmt::format("{}: has several runs; name one of {}", run, fmt::join(folders, ", "))});
  return folders.front();
}

std::uint64_t cycle_of(const std::string& cell, const CsvReader& rows) {
  std::uint64_t cycle = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), cycle);
  if (error != std::errc{} || end != cell.data() + cell.size())
    rows.fail(fmt::format("'{}' is no cycle", cell));
  return cycle;
}

}  // namespace

ModelSource::ModelSource(const std::string& run) : folder_(folder_of(run)) {
  read_statistics();
}

void ModelSource::read_statistics() {
  const std::string file = folder_ + "/" + kStats;
  try {
    for (ReadStatistic& statistic : read_stats(config::read_file(file))) {
      index_.emplace(statistic.path, paths_.size());
      totals_.push_back(statistic.formula ? statistic.value
                                          : std::optional<double>(static_cast<double>(statistic.count)));
      paths_.push_back(std::move(statistic.path));
    }
  } catch (const StatsError& error) {
    throw config::Error({file + ": " + error.what()});
  }
}

std::optional<std::size_t> ModelSource::find(const std::string& path) const {
  const auto found = index_.find(path);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::size_t> ModelSource::matches(const std::string& pattern) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if (::fnmatch(pattern.c_str(), paths_[i].c_str(), 0) == 0) found.push_back(i);
  return found;
}

// Reads which columns of series.csv are counters.
void ModelSource::read_series_columns() {
  const std::string file = folder_ + "/series_columns.csv";
  const std::string text = config::read_file(file);
  CsvReader rows(text, file);
  std::vector<std::string> cells;
  while (rows.next(cells)) {
    if (cells.size() != 4)
      rows.fail(fmt::format("has {} cells, not path, unit, kind and description", cells.size()));
    if (cells[2] == "counter") columns_[cells[0]] = {};
  }
}

void ModelSource::load_series() {
  series_file_ = folder_ + "/series.csv";
  series_text_ = config::read_file(series_file_);
  read_series_columns();
  std::vector<std::string> cells;
  CsvReader rows(series_text_, series_file_);
  if (!rows.next(cells) || cells[0] != "cycle")
    throw config::Error({series_file_ + ": has no column 'cycle'"});
  series_cells_ = cells.size();
  for (std::size_t cell = 1; cell < cells.size(); ++cell) {
    const std::string path = cells[cell].substr(0, cells[cell].rfind(" ["));
    const auto column = columns_.find(path);
    if (column != columns_.end()) column->second.cell = cell;
  }
  for (auto column = columns_.begin(); column != columns_.end();)
    column = column->second.cell == 0 ? columns_.erase(column) : std::next(column);
  while (rows.next(cells)) {
    if (cells.size() != series_cells_)
      rows.fail(fmt::format("has {} cells, the head has {}", cells.size(), series_cells_));
    const std::uint64_t cycle = cycle_of(cells[0], rows);
    const bool grows = interval_ends_.empty() || cycle >= interval_ends_.back();
    if (!grows) rows.fail(fmt::format("cycle {} after cycle {}", cycle, interval_ends_.back()));
    interval_ends_.push_back(cycle);
  }
  if (interval_ends_.empty()) throw config::Error({series_file_ + ": has no interval"});
}

void ModelSource::read_series(const std::vector<std::size_t>& statistics) {
  std::vector<Column*> wanted;
  for (const std::size_t statistic : statistics) {
    const auto found = columns_.find(paths_[statistic]);
    if (found == columns_.end() || !found->second.values.empty()) continue;
    found->second.values.reserve(interval_ends_.size());
    wanted.push_back(&found->second);
  }
  CsvReader rows(series_text_, series_file_);
  std::vector<std::string> cells;
  rows.next(cells);
  while (rows.next(cells)) {
    for (Column* column : wanted) {
      double number = 0;
      const std::string& cell = cells[column->cell];
      if (!read_decimal(cell, number)) rows.fail(fmt::format("'{}' is no number", cell));
      column->values.push_back(number);
    }
  }
}

std::optional<std::size_t> ModelSource::interval_at(std::uint64_t cycle) const {
  if (cycle == 0) return 0;
  const auto end = std::lower_bound(interval_ends_.begin(), interval_ends_.end(), cycle);
  if (end == interval_ends_.end()) return interval_ends_.size();
  if (*end != cycle) return std::nullopt;
  // The last interval of a run may be empty; it belongs to the one before.
  return static_cast<std::size_t>(std::upper_bound(end, interval_ends_.end(), cycle) -
                                  interval_ends_.begin());
}

ModelWindows ModelSource::in_windows(const std::vector<std::size_t>& statistics,
                                     const std::vector<CycleRange>& windows, const config::Value& place) {
  read_series(statistics);
  ModelWindows found;
  found.total.resize(statistics.size());
  for (const CycleRange& window : windows) {
    const std::optional<std::size_t> first = interval_at(window.begin);
    const std::optional<std::size_t> last = interval_at(window.end);
    if (!first || !last) {
      place.problem(fmt::format("cycles {} to {} of the run are no whole intervals of series.csv",
                                window.begin, window.end));
      return found;
    }
    std::vector<double> values(statistics.size());
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      const Column& column = columns_.at(paths_[statistics[i]]);
      for (std::size_t interval = *first; interval < *last; ++interval) values[i] += column.values[interval];
      found.total[i] += values[i];
    }
    found.values.push_back(std::move(values));
  }
  return found;
}

}  // namespace heddle::correlate
