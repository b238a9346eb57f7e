#include "platforms/campaign/results/stats.h"

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/store/run_files.h"

namespace heddle {

RunStats::RunStats(const std::string& file) {
  const std::string text = config::read_file(file);
  check_content(file, text);
  try {
    statistics_ = read_stats(text);
  } catch (const StatsError& error) {
    throw config::Error({file + ": " + error.what()});
  }
  for (std::size_t i = 0; i < statistics_.size(); ++i) places_.emplace(statistics_[i].path, i);
}

const ReadStatistic* RunStats::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &statistics_[found->second];
}

std::vector<std::string> RunStats::names() const {
  std::vector<std::string> names;
  for (const ReadStatistic& statistic : statistics_) names.push_back(statistic.path);
  return names;
}

}  // namespace heddle
