#include "platforms/campaign/results/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/results/stats.h"
#include "platforms/campaign/store/run_files.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/metrics.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

// Returns the longest folder that all files among the values of a key share, with its slash, or nothing.
std::string common_folder(const std::vector<PointRecord>& points, const std::string& key) {
  std::optional<std::string> common;
  for (const PointRecord& record : points)
    for (const Assignment& assignment : record.point.values) {
      if (assignment.key != key || !fs::path(assignment.value).is_absolute()) continue;
      const std::string& file = assignment.value;
      if (!common) common = file;
      const auto parted = std::mismatch(common->begin(), common->end(), file.begin(), file.end());
      common->erase(parted.first, common->end());
      common->erase(common->rfind('/') + 1);
    }
  return common.value_or("");
}

// Removes the common folder from values that are files, because results do not depend on it.
void shorten_files(std::vector<PointRecord>& points) {
  for (const char* key : {"experiment", "platform"}) {
    const std::string folder = common_folder(points, key);
    if (folder.empty()) continue;
    for (PointRecord& record : points) {
      for (Assignment& assignment : record.point.values)
        if (assignment.key == key && assignment.value.rfind(folder, 0) == 0)
          assignment.value.erase(0, folder.size());
      record.label = label_of(record.point);
    }
  }
}

class ResultsReader {
 public:
  explicit ResultsReader(const std::string& directory) : store_(directory) {}

  Results read() {
    PointsFile file = read_points(store_.directory());
    results_.points = std::move(file.points);
    results_.campaign = load_kept_campaign(store_.directory());
    check_agreement(file.campaign);
    shorten_files(results_.points);
    name_metrics();
    const std::map<std::string, RunRecord> records = store_.find_all();
    for (std::size_t point = 0; point < results_.points.size(); ++point) add_runs(point, records);
    for (CollectedRun& run : results_.runs) read_provenance(run);
    read_counters();
    alone_.resize(results_.runs.size());
    for (Sample& sample : results_.samples)
      if (sample.complete) measure(sample);
    return std::move(results_);
  }

 private:
  void check_agreement(const std::string& name) const {
    const std::vector<std::string>& keys = results_.campaign.keys;
    bool agrees = name == results_.campaign.name;
    for (const PointRecord& record : results_.points)
      for (const Assignment& assignment : record.point.values)
        agrees = agrees && std::find(keys.begin(), keys.end(), assignment.key) != keys.end();
    if (!agrees)
      throw config::Error({results_.campaign.file +
                           ": points.json beside it is another campaign's; heddle batch run "
                           "writes both again"});
  }

  void name_metrics() {
    for (const std::string& name : results_.campaign.metrics) {
      const RunMetric* const metric = find_run_metric(name);
      if (metric == nullptr) counters_.push_back(results_.units.size());
      metrics_.push_back(metric);
      results_.units.push_back(metric == nullptr ? "" : metric->unit);
    }
  }

  void add_runs(std::size_t point, const std::map<std::string, RunRecord>& records) {
    const PointRecord& from = results_.points[point];
    for (std::size_t i = 0; i < from.runs.size(); ++i) {
      const std::string label = variant_run_label(from.label, from.names, i);
      const std::size_t run = place_of({from.runs[i], label, false, {}, false, {}}, records);
      results_.samples.push_back({point, i, run, false, {}, {}});
    }
    results_.alone.emplace_back();
    for (std::size_t i = 0; i < from.alone.size(); ++i) {
      const std::string label = alone_run_label(from.label, from.names, i);
      results_.alone.back().push_back(place_of({from.alone[i], label, true, {}, false, {}}, records));
    }
    const bool has_alone = std::all_of(results_.alone.back().begin(), results_.alone.back().end(),
                                       [this](std::size_t run) { return is_ok(run); });
    for (std::size_t i = results_.samples.size() - from.runs.size(); i < results_.samples.size(); ++i)
      results_.samples[i].complete = has_alone && is_ok(results_.samples[i].run);
  }

  bool is_ok(std::size_t run) const { return results_.runs[run].record.state == RunState::kOk; }

  std::size_t place_of(CollectedRun run, const std::map<std::string, RunRecord>& records) {
    const auto [known, is_new] = places_.emplace(run.id, results_.runs.size());
    if (!is_new) return known->second;
    if (const auto found = records.find(run.id); found != records.end()) run.record = found->second;
    run.is_kept = run.record.state != RunState::kQueued && fs::exists(store_.path_of(run.id));
    results_.runs.push_back(std::move(run));
    return known->second;
  }

  // A run that was killed can have a part of the file.
  void read_provenance(CollectedRun& run) const {
    const std::string file = store_.path_of(run.id) + "/provenance.json";
    const bool is_needed = run.record.state == RunState::kOk;
    if (!run.is_kept || (!is_needed && !fs::exists(file))) return;
    auto entries = provenance_entries(config::read_file(file));
    if (!entries && is_needed) fail_damaged(file, "must be an object of JSON");
    if (entries) run.provenance = std::move(*entries);
  }

  // Reads the counters that are metrics of the campaign, of the run of every sample.
  void read_counters() {
    if (counters_.empty()) return;
    std::vector<bool> is_known(counters_.size());
    std::string last;
    for (const Sample& sample : results_.samples) {
      const std::string& id = results_.runs[sample.run].id;
      if (!is_ok(sample.run) || counted_.count(id) != 0) continue;
      last = store_.path_of(id) + "/stats.json";
      const RunStats stats(last);
      for (std::size_t i = 0; i < counters_.size(); ++i) {
        const ReadStatistic* const found = stats.find(results_.campaign.metrics[counters_[i]]);
        counted_[id].push_back(found != nullptr ? found->value : std::nullopt);
        if (found != nullptr) results_.units[counters_[i]] = found->unit;
        is_known[i] = is_known[i] || found != nullptr;
      }
    }
    for (std::size_t i = 0; i < counters_.size() && !last.empty(); ++i)
      if (!is_known[i]) refuse(results_.campaign.metrics[counters_[i]], RunStats(last).names());
  }

  [[noreturn]] void refuse(const std::string& counter, const std::vector<std::string>& known) const {
    throw config::Error({fmt::format("{}: metrics: no run has a counter '{}'{}", results_.campaign.file,
                                     counter, config::suggestion(counter, known))});
  }

  void measure(Sample& sample) {
    std::vector<AloneRun> alone;
    for (const std::size_t run : results_.alone[sample.point]) alone.push_back(alone_of(run));
    const std::string& id = results_.runs[sample.run].id;
    const std::string run = store_.path_of(id);
    try {
      take(sample, heddle::measure(load_result(run), alone, results_.points[sample.point].names.prioritised));
    } catch (const std::invalid_argument& error) {
      fail_damaged(result_file_of(run), error.what());
    }
    for (std::size_t i = 0; i < counters_.size(); ++i) sample.metrics[counters_[i]] = counted_[id][i];
  }

  void take(Sample& sample, const RunMeasures& measured) const {
    for (const RunMetric* metric : metrics_)
      sample.metrics.push_back(metric == nullptr ? std::nullopt : metric->value(measured));
    for (std::size_t i = 0; i < measured.run.applications.size(); ++i) {
      sample.applications.emplace_back();
      for (const ApplicationMetric& metric : application_metrics())
        sample.applications.back().push_back(metric.value(measured, i));
    }
    if (measured.unfairness) take_unfairness(sample, *measured.unfairness, measured.run.simulated_ps);
  }

  static void take_unfairness(Sample& sample, const Unfairness& unfairness, std::uint64_t end_ps) {
    std::uint64_t begin_ps = 0;
    for (const std::optional<double>& value : unfairness.windows) {
      const std::uint64_t next_ps = begin_ps + unfairness.window_ps;
      if (value) sample.unfairness.push_back({begin_ps, std::min(next_ps, end_ps), *value});
      begin_ps = next_ps;
    }
  }

  const AloneRun& alone_of(std::size_t run) {
    if (alone_[run].turnaround_ps != 0) return alone_[run];
    const std::string path = store_.path_of(results_.runs[run].id);
    alone_[run] = AloneRun(load_result(path));
    if (alone_[run].turnaround_ps == 0)
      fail_damaged(result_file_of(path), "applications[0].turnaround_ps: is zero");
    return alone_[run];
  }

  const RunStore store_;
  Results results_;
  std::unordered_map<std::string, std::size_t> places_;  // place of a run by identity
  std::vector<const RunMetric*> metrics_;                // null for a metric that is a counter
  std::vector<std::size_t> counters_;                    // metrics that are counters
  std::unordered_map<std::string, std::vector<std::optional<double>>>
      counted_;                  // values of counters by identity
  std::vector<AloneRun> alone_;  // by run; a turnaround of 0 before it is read
};

}  // namespace

std::map<RunState, std::size_t> Results::states() const {
  std::map<RunState, std::size_t> counts;
  for (const CollectedRun& run : runs) ++counts[run.record.state];
  return counts;
}

Results read_results(const std::string& directory) {
  return ResultsReader(directory).read();
}

}  // namespace heddle
