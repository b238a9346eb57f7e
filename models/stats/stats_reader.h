#pragma once
// The reader of stats.json, which write_json() writes. scripts/OUTPUT.md documents the format.

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

constexpr const char* kStatsSchema = "heddle-stats-1";

// The text is not of the schema kStatsSchema, or it is damaged. The message does not name the file.
class StatsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReadFormula {
  // The paths of its operands from the formula's group on. A path stands in a list as many times as its
  // counter is added.
  std::vector<std::string> numerator, denominator;
  double scale = 1;
};

struct ReadStatistic {
  std::string path, unit, description;
  std::uint64_t count = 0;                     // of a counter
  std::optional<double> value;                 // empty if a formula has no value
  std::shared_ptr<const ReadFormula> formula;  // null for a counter

  // Returns the full path of an operand of `formula`.
  std::string path_of(const std::string& operand) const;
};

// Returns every counter and formula of a run. Those of one unit and description are together, and the order
// of their first paths is canonical. Throws StatsError.
std::vector<ReadStatistic> read_stats(const std::string& text);

}  // namespace heddle
