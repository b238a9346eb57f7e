#pragma once
// unfairness.csv: the slowdowns of the applications of a run and their unfairness over time.

#include <string>

#include "platforms/run/result/measures.h"

namespace heddle {

// Returns a row for each window, under begin [ps],end [ps],unfairness,slowdown.0,slowdown.1, ..: the number
// is the place of the application in the experiment. What has no value is empty. The run has servers.
std::string unfairness_csv(const RunMeasures& measures);

}  // namespace heddle
