#pragma once
// The statistics of a stats.json by path.

#include <map>
#include <string>
#include <utility>

#include "models/stats/stats_reader.h"

namespace heddle::test {

inline std::map<std::string, ReadStatistic> statistics_in(const std::string& stats_json) {
  std::map<std::string, ReadStatistic> statistics;
  for (ReadStatistic& statistic : read_stats(stats_json))
    statistics.emplace(statistic.path, std::move(statistic));
  return statistics;
}

}  // namespace heddle::test
