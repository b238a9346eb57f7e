#pragma once
// A Series samples statistics of a tree during a run, in intervals. Of a counter it takes what it has grown
// by, so that the values add up to the counter at the end of the run; of a formula the ratio of what its two
// sums have grown by; and of a level its value at the end of the interval. Writers pass the values on:
//
//   Series series(tree, {"gpu.sm*.blocks_done", "gpu.l2_miss_rate"});
//   SeriesCsv csv(series, file);
//   series.sample();        // the counters are up to date
//   csv.row(1000, 1428571);
//
// Memory does not depend on the length of the run.

#include <fmt/format.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "models/stats/group.h"
#include "models/stats/timeline.h"

namespace heddle {

// Returns those of the patterns that match no statistic of the tree. A pattern is one of the shell (fnmatch:
// * ? [a-z]) for a whole path, and its * matches dots, too.
std::vector<std::string> unmatched_patterns(const Group& tree, const std::vector<std::string>& patterns);

class Series {
 public:
  // A formula whose lower sum has not grown has no value.
  using Value = std::variant<std::monostate, std::int64_t, double>;
  struct Column {
    std::string path;
    std::string unit;
    Value value;       // of the last interval
    const char* kind;  // see Statistic::kind()
    std::string description;
  };

  // The columns are the statistics that match a pattern, in canonical order. Patterns without a match are
  // left out. `tree` must outlive the series.
  Series(const Group& tree, const std::vector<std::string>& patterns);

  const std::vector<Column>& columns() const { return columns_; }
  void sample();  // ends an interval, and begins the next one

 private:
  struct Source {
    const Counter* counter = nullptr;  // one of these three is not null
    const Formula* formula = nullptr;
    const Level* level = nullptr;
    std::uint64_t last = 0;        // value, or sum above, at the end of the interval
    std::uint64_t last_below = 0;  // of a formula: the sum below
  };

  static Value next_value(Source& source);

  std::vector<Column> columns_;
  std::vector<Source> sources_;  // by column
};

// Writes a row for each interval:
//
//   cycle,ps,gpu.l2_miss_rate [1],gpu.sm0.blocks_done [block]
//   1000,1428571,0.25,3
//
// `cycle` and `ps` are the end of the interval. A column without a value is empty.
class SeriesCsv {
 public:
  SeriesCsv(const Series& series, std::ostream& out);  // both must outlive it
  void row(std::uint64_t cycle, std::uint64_t ps);

 private:
  const Series& series_;
  std::ostream& out_;
  fmt::memory_buffer row_;
};

// Writes what the columns of a series are as CSV with the header path,unit,kind,description.
void write_columns(const Series& series, std::ostream& out);

// Draws each column as a counter track of the timeline. An interval has its value from its begin on.
class SeriesTracks {
 public:
  SeriesTracks(const Series& series, Timeline& timeline);  // both must outlive it
  void draw(std::uint64_t begin_ps);

 private:
  const Series& series_;
  Timeline& timeline_;
  std::vector<TrackId> tracks_;  // by column
};

}  // namespace heddle
