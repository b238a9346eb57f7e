#include "platforms/campaign/results/status.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "platforms/campaign/store/points.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::string last_line(const std::string& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

// Whether the last line of a log is that of a task that is in progress or finished.
bool is_progress(const std::string& line) {
  return line.empty() || line.rfind("chunk ", 0) == 0 ||
         std::isdigit(static_cast<unsigned char>(line[0])) != 0;
}

// Returns the logs of Slurm tasks that broke off, each with its last line.
std::map<std::string, std::string> failed_tasks(const std::string& directory) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(directory + "/submissions", error)) {
    if (entry.path().extension() != ".log" || !entry.is_regular_file()) continue;
    const std::string line = last_line(entry.path());
    if (!is_progress(line)) found[entry.path()] = line;
  }
  return found;
}

class StatusReader {
 public:
  explicit StatusReader(const std::string& directory)
      : store_(directory), records_(store_.find_all()), points_(read_points(directory)) {
    status_.tasks = failed_tasks(directory);
  }

  CampaignStatus read() {
    for (const PointRecord& point : points_.points) count(point);
    std::stable_sort(values_.begin(), values_.end(), [this](const AxisValue& a, const AxisValue& b) {
      return keys_.at(a.first) < keys_.at(b.first);
    });
    for (const AxisValue& value : values_)
      status_.values.push_back({value.first, value.second, by_value_.at(value)});
    status_.campaign = points_.campaign;
    status_.points = points_.points.size();
    status_.runs = seen_.size();
    return std::move(status_);
  }

 private:
  using AxisValue = std::pair<std::string, std::string>;

  RunRecord record_of(const std::string& id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? RunRecord{} : found->second;
  }

  void count(const PointRecord& point) {
    for (const std::vector<std::string>* ids : {&point.runs, &point.alone})
      for (const std::string& id : *ids) {
        const RunRecord record = record_of(id);
        for (const auto& [key, value] : point.point.values) count_value({key, value}, id, record.state);
        if (!seen_.insert(id).second) continue;
        ++status_.states[record.state];
        if (!record.reason.empty() && record.state != RunState::kLost) add_failure(point.label, id, record);
      }
  }

  void count_value(const AxisValue& value, const std::string& id, RunState state) {
    keys_.emplace(value.first, keys_.size());
    const auto [runs, is_new] = runs_of_value_.emplace(value, std::set<std::string>{});
    if (is_new) values_.push_back(value);
    if (runs->second.insert(id).second) ++by_value_[value][state];
  }

  void add_failure(const std::string& label, const std::string& id, const RunRecord& record) {
    const std::string directory = store_.path_of(id);
    const std::string line = last_line(directory + "/log");
    status_.failures.push_back({id, label, record.state, line.empty() ? record.reason : line, directory});
  }

  RunStore store_;
  std::map<std::string, RunRecord> records_;
  PointsFile points_;
  CampaignStatus status_;
  std::set<std::string> seen_;               // identities of runs
  std::map<std::string, std::size_t> keys_;  // keys of the axes, numbered in the order of the points
  std::vector<AxisValue> values_;
  std::map<AxisValue, CampaignStatus::Counts> by_value_;
  std::map<AxisValue, std::set<std::string>> runs_of_value_;
};

}  // namespace

CampaignStatus read_status(const std::string& directory) {
  return StatusReader(directory).read();
}

}  // namespace heddle
