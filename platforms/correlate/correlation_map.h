#pragma once
// A correlation map as YAML: which expression over signals of an RTL simulation belongs to which expression
// over statistics of a run. platforms/RTL.md describes its keys.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/correlate/expression.h"

namespace heddle::correlate {

// The sides agree if they differ by at most `absolute`, or by at most `relative` times the value of the RTL.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct MappedExpression {
  config::Value place;
  Expression tree;
};

struct MappedPair {
  std::string name;
  MappedExpression rtl, model;
  Tolerance tolerance;
};

struct MappedName {
  config::Value place;
  std::string name;  // or a pattern of the shell
  std::string reason;
};

struct MappedClock {
  config::Value place;
  std::optional<MappedExpression> signal;  // a name, perhaps with one bit
  bool rising = true;                      // the edge of the signal
  std::uint64_t period_ps = 0;             // without a signal
};

struct MappedReset {
  MappedExpression signal;
  bool high = true;  // the level at which nothing is counted
};

struct MappedWindows {
  struct Range {
    config::Value place;
    std::uint64_t begin = 0, end = 0;  // in cycles; the end is not in the window
  };

  config::Value place;
  // One of these three is set.
  std::vector<Range> ranges;               // ascending
  std::optional<MappedExpression> signal;  // high during a window
  std::uint64_t every = 0;                 // cycles
  bool has_series = true;                  // false: all windows together are compared with the whole run
  std::uint64_t offset = 0;                // cycle 0 of the RTL is this cycle of the run
};

struct CorrelationMap {
  std::string name;  // empty if the map has none
  std::optional<MappedClock> clock;
  std::optional<MappedReset> reset;
  std::optional<MappedWindows> windows;
  std::vector<MappedPair> pairs;
  std::vector<MappedName> unmapped_rtl, unmapped_model;  // with reasons
  std::vector<MappedName> cover_rtl, cover_model;
};

// Reads a map. Every problem is recorded in the document, and what has one is left out of the map. The caller
// calls finish() when it has bound the names.
CorrelationMap read_correlation_map(const config::Section& root);

// Records a problem with an expression at its place and column.
void record_problem(const MappedExpression& expression, std::size_t column, const std::string& message);

}  // namespace heddle::correlate
