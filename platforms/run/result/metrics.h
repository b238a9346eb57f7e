#pragma once
// The measures that a campaign may name: each is one entry of a table with its name, its unit and how it is
// read. A name is that of README's "Results"; one within an object stands behind the object's and a dot.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/result/measures.h"

namespace heddle {

struct RunMetric {
  std::string name;
  std::string unit;
  std::function<std::optional<double>(const RunMeasures&)> value;  // none where the run does not have it
};

// Ratios stand for their value. Some are there with cycle SMs only.
const std::vector<RunMetric>& run_metrics();

// Null for a name that is none of them.
const RunMetric* find_run_metric(const std::string& name);

struct ApplicationMetric {
  std::string name;
  std::string unit;
  std::function<double(const RunMeasures&, std::size_t application)> value;
};

const std::vector<ApplicationMetric>& application_metrics();

}  // namespace heddle
