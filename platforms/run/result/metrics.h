#pragma once
// The metrics that a campaign may name. Each is one entry of a table with a name, a unit and a function that
// reads it. The names are those of the README's "Results". The name of a metric within an object is the
// object's name, a dot and its own name.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/result/measures.h"

namespace heddle {

struct RunMetric {
  std::string name;
  std::string unit;
  std::function<std::optional<double>(const RunMeasures&)> value;  // none if the run lacks it
};

// Returns all metrics of a run. A ratio gives its value. Some metrics have a value only with cycle SMs.
const std::vector<RunMetric>& run_metrics();

// Returns null if no metric has this name.
const RunMetric* find_run_metric(const std::string& name);

struct ApplicationMetric {
  std::string name;
  std::string unit;
  std::function<std::optional<double>(const RunMeasures&, std::size_t application)>
      value;  // none: it lacks it
};

const std::vector<ApplicationMetric>& application_metrics();

// Returns the names of the times that each served request of a server has, in picoseconds.
const std::vector<std::string>& request_metrics();

// The latency of each hand-over of an SM, in picoseconds.
constexpr const char* kHandoverMetric = "handover_ps";

}  // namespace heddle
