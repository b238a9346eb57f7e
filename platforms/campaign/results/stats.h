#pragma once
// The counters and formulas of a run, found in the text of its stats.json, which write_json() wrote.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

class RunStats {
 public:
  struct Value {
    std::optional<double> value;  // none if a formula has no value
    std::string unit;
  };

  // Throws config::Error if the file cannot be read or is incomplete.
  explicit RunStats(const std::string& file);

  // Finds a statistic by its full name. Throws config::Error if its line is damaged; other lines are not
  // checked.
  std::optional<Value> find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::string file_;
  std::string text_;
};

}  // namespace heddle
