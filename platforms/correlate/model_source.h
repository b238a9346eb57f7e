#pragma once
// The statistics of a run: totals from stats.json, and parts of windows from series.csv.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/correlate/correlation_map.h"

namespace heddle::correlate {

// The values of some statistics in the windows of a map.
struct ModelWindows {
  std::vector<std::vector<double>> values;  // by window, then by statistic
  std::vector<double> total;                // of all windows together, by statistic
};

struct CycleRange {
  std::uint64_t begin = 0, end = 0;  // the end is not in the range
};

class ModelSource {
 public:
  // `run` is a directory that heddle run has written with one run, the folder of one of its runs, or a
  // stats.json. Throws config::Error.
  explicit ModelSource(const std::string& run);

  const std::string& folder() const { return folder_; }  // with the files of the run
  const std::vector<std::string>& paths() const { return paths_; }
  std::optional<std::size_t> find(const std::string& path) const;
  std::vector<std::size_t> matches(
      const std::string& pattern) const;  // a pattern of the shell for whole paths
  // Returns the value of a whole run, or nothing if a formula has none.
  std::optional<double> total(std::size_t statistic) const { return totals_[statistic]; }

  // Reads the heads of series.csv. Throws config::Error if the run has none.
  void load_series();
  bool has_series_of(std::size_t statistic) const { return columns_.count(paths_[statistic]) != 0; }
  std::uint64_t series_cycles() const { return interval_ends_.back(); }  // its length

  // Adds up the intervals of series.csv that are in each window. The statistics are counters that have a
  // series. A window may end after the run; its begin, and an end within the run, must be ends of intervals.
  // Problems are recorded at `place`, and then windows lack values.
  ModelWindows in_windows(const std::vector<std::size_t>& statistics, const std::vector<CycleRange>& windows,
                          const config::Value& place);

 private:
  // The column of a counter in series.csv.
  struct Column {
    std::size_t cell = 0;
    std::vector<double> values;  // by interval, once it has been read
  };

  void read_statistics();
  void read_series_columns();
  void read_series(const std::vector<std::size_t>& statistics);
  // Returns the index of the first interval that begins at the cycle, or nothing if none does.
  std::optional<std::size_t> interval_at(std::uint64_t cycle) const;

  std::string folder_;
  std::vector<std::string> paths_;
  std::vector<std::optional<double>> totals_;
  std::unordered_map<std::string, std::size_t> index_;
  std::string series_text_;
  std::string series_file_;
  std::size_t series_cells_ = 0;
  std::unordered_map<std::string, Column> columns_;  // by path
  std::vector<std::uint64_t> interval_ends_;
};

}  // namespace heddle::correlate
