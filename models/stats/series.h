#pragma once
// A Series samples statistics of a tree during a run and writes CSV, with a row for each interval:
//
//   cycle,ps,gpu.sm0.blocks_done [block],gpu.l2_miss_rate [1]
//   1000,1428571,3,0.25
//
// `cycle` and `ps` are the end of the interval. A counter is what it has grown by in the interval, so that a
// column adds up to the counter at the end of the run. A formula is the ratio of what its two sums have grown
// by; it is empty if the lower one has not grown. A level is its value at the end of the interval. Memory does
// not depend on the length of the run.

#include <fmt/format.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/stats/group.h"

namespace heddle {

// Returns those of the patterns that match no statistic of the tree. A pattern is one of the shell (fnmatch:
// * ? [a-z]) for a whole path, and its * matches dots, too.
std::vector<std::string> unmatched_patterns(const Group& tree, const std::vector<std::string>& patterns);

class Series {
 public:
  // The columns are the statistics that match a pattern, in canonical order. Patterns without a match are
  // left out. `tree` and `out` must outlive the series.
  Series(const Group& tree, const std::vector<std::string>& patterns, std::ostream& out);

  std::size_t columns() const { return columns_.size(); }
  // Writes the row of the interval that ends now. The counters are up to date.
  void sample(std::uint64_t cycle, std::uint64_t ps);

 private:
  struct Column {
    const Counter* counter = nullptr;
    const Formula* formula = nullptr;
    const Level* level = nullptr;
    std::uint64_t last = 0;        // value, or sum above, at the end of the interval before
    std::uint64_t last_below = 0;  // of a formula: the sum below
  };

  void append(Column& column);

  std::ostream& out_;
  std::vector<Column> columns_;
  fmt::memory_buffer row_;
};

}  // namespace heddle
