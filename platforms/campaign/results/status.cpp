// How far a campaign is.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/stats/writers.h"
#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/campaign/store/points.h"
#include "platforms/campaign/store/run_store.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Counts = std::map<RunState, std::uint64_t>;

std::string last_line(const std::string& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

// Of a task that works or has done its work.
bool is_progress(const std::string& line) {
  return line.empty() || line.rfind("chunk ", 0) == 0 ||
         std::isdigit(static_cast<unsigned char>(line[0])) != 0;
}

// The logs of Slurm's tasks that came to another end: each with its last line.
std::map<std::string, std::string> failed_tasks(const std::string& directory) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(directory + "/submissions", error)) {
    if (entry.path().extension() != ".log") continue;
    const std::string line = last_line(entry.path());
    if (!is_progress(line)) found[entry.path()] = line;
  }
  return found;
}

struct Failure {
  std::string id;
  std::string label;
  RunState state = RunState::kFailed;
  std::string log;  // its last line
  std::string directory;
};

// What is shown: runs by state, in all and by value of each axis, each run once in each count.
class Status {
 public:
  explicit Status(const std::string& directory)
      : store_(directory),
        records_(store_.find_all()),
        points_(read_points(directory)),
        tasks_(failed_tasks(directory)) {
    for (const PointRecord& point : points_.points) count(point);
    std::stable_sort(
        axis_values_.begin(), axis_values_.end(),
        [this](const AxisValue& a, const AxisValue& b) { return keys_.at(a.first) < keys_.at(b.first); });
  }

  Json json() const {
    Json result{{"schema", "heddle-status-1"},     {"campaign", points_.campaign},
                {"points", points_.points.size()}, {"runs", seen_.size()},
                {"states", json_of(states_)},      {"axes", Json::array()},
                {"failures", Json::array()},       {"tasks", Json::array()}};
    for (const Failure& failure : failures_)
      result["failures"].push_back({{"id", failure.id},
                                    {"label", failure.label},
                                    {"state", name_of(failure.state)},
                                    {"log", failure.log},
                                    {"directory", failure.directory}});
    for (const auto& [log, line] : tasks_) result["tasks"].push_back({{"file", log}, {"log", line}});
    for (const auto& [key, value] : axis_values_) {
      Json entry{{"key", key}, {"value", value}};
      entry["states"] = json_of(by_value_.at({key, value}));
      result["axes"].push_back(entry);
    }
    return result;
  }

  void print(std::ostream& out) const {
    out << fmt::format("{}: {} points, {} runs\n\n", points_.campaign, points_.points.size(), seen_.size());
    std::vector<Table::Column> columns{{"runs"}};
    for (const RunState state : kRunStates)
      if (states_.count(state) != 0) columns.push_back({name_of(state), Table::Align::kRight});
    Table table(columns);
    table.add_row(cells("all", states_));
    for (const auto& [key, value] : axis_values_)
      table.add_row(cells(fmt::format("{}={}", key, value), by_value_.at({key, value})));
    table.print(out);
    if (!failures_.empty()) out << "\n";
    for (const Failure& failure : failures_)
      out << fmt::format("{}: {}: {}\n  {}\n", failure.label, name_of(failure.state), failure.log,
                         failure.directory);
    if (!tasks_.empty()) out << "\ntasks that did not come to their end\n";
    for (const auto& [log, line] : tasks_) out << fmt::format("{}\n  {}\n", line, log);
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
        ++states_[record.state];
        if (!record.reason.empty() && record.state != RunState::kLost) fail(point.label, id, record);
      }
  }

  void count_value(const AxisValue& value, const std::string& id, RunState state) {
    keys_.emplace(value.first, keys_.size());
    const auto [runs, is_new] = of_value_.emplace(value, std::set<std::string>{});
    if (is_new) axis_values_.push_back(value);
    if (runs->second.insert(id).second) ++by_value_[value][state];
  }

  void fail(const std::string& label, const std::string& id, const RunRecord& record) {
    const std::string directory = store_.path_of(id);
    const std::string line = last_line(directory + "/log");
    failures_.push_back({id, label, record.state, line.empty() ? record.reason : line, directory});
  }

  static Json json_of(const Counts& counts) {
    Json json = Json::object();
    for (const auto& [state, runs] : counts) json[name_of(state)] = runs;
    return json;
  }

  std::vector<std::string> cells(const std::string& title, const Counts& counts) const {
    std::vector<std::string> row{title};
    for (const auto& [state, all] : states_) {
      const auto found = counts.find(state);
      row.push_back(found == counts.end() ? "0" : fmt::format("{}", found->second));
    }
    return row;
  }

  RunStore store_;
  std::map<std::string, RunRecord> records_;
  PointsFile points_;
  std::map<std::string, std::string> tasks_;
  Counts states_;
  std::set<std::string> seen_;
  std::map<std::string, std::size_t> keys_;  // of the axes, numbered as they come in the points
  std::vector<AxisValue> axis_values_;       // axis by axis, each in the order of the points
  std::map<AxisValue, Counts> by_value_;
  std::map<AxisValue, std::set<std::string>> of_value_;
  std::vector<Failure> failures_;
};

}  // namespace

int batch_status(const BatchOptions& options) {
  const Status status(options.directory);
  if (options.json)
    std::cout << status.json().dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  else
    status.print(std::cout);
  return 0;
}

}  // namespace heddle
