#pragma once
// The summary of an experiment. The README's "Results" documents it as summary.json.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/experiment/experiment.h"
#include "platforms/run/result/measures.h"

namespace heddle {

struct AloneTime {
  std::string application;
  std::uint64_t turnaround_ps = 0;
  // Of the measured requests of a server, in picoseconds; none if it is no server.
  std::optional<double> service_ps{};
  std::optional<double> response_ps{};
};

struct RunSummary {
  std::string label;
  std::map<std::string, PolicyChoice> policies;  // by decision
  RunMeasures measures;
};

struct Summary {
  std::string experiment;
  std::string question;
  std::string platform;
  std::string mix;
  std::uint64_t seed = 0;
  std::optional<std::string> prioritised;  // the application's name
  std::vector<AloneTime> alone;            // by application
  std::vector<RunSummary> runs;            // of the variants that have been run, in their order
  std::vector<std::string> missing;        // labels of the variants that have not been run
};

// `runs` has the result of each variant that has been run, and `alone` the run of each application alone.
// Throws std::invalid_argument as measure() does.
Summary summarise(const Experiment& experiment, const std::vector<std::optional<RunResult>>& runs,
                  const std::vector<AloneRun>& alone);

}  // namespace heddle
