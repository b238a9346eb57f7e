#pragma once
// Counters and formulas of a run, looked up in the stats.json that write_json() wrote.

#include <optional>
#include <string>
#include <vector>

namespace heddle {

class RunStats {
 public:
  struct Value {
    std::optional<double> value;  // none of a formula that has none
    std::string unit;
  };

  // Throws config::Error where the file cannot be read or is not whole.
  explicit RunStats(const std::string& file);

  // By its full name. Throws config::Error where what stands there is damaged; what is not looked up is not
  // looked at.
  std::optional<Value> find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::string file_;
  std::string text_;
};

}  // namespace heddle
