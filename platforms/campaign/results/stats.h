#pragma once
// The counters and formulas of a run of a campaign, read from its stats.json.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/stats/stats_reader.h"

namespace heddle {

class RunStats {
 public:
  // Throws config::Error if the file cannot be read, is of another schema or is damaged.
  explicit RunStats(const std::string& file);

  // Finds a statistic by its full name, or returns null.
  const ReadStatistic* find(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  std::vector<ReadStatistic> statistics_;
  std::unordered_map<std::string, std::size_t> places_;  // by path
};

}  // namespace heddle
