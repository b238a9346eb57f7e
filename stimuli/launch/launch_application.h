#pragma once
// A launch file as an application of an experiment.

#include <string>
#include <utility>
#include <vector>

#include "stimuli/application/application.h"
#include "stimuli/launch/launch_reader.h"

namespace heddle {

struct LaunchApplication {
  Application application;
  std::string description;
  std::shared_ptr<const LaunchPlan> plan;
  // As read, parameters and all. It names the files below as they lie beside it: NAME/FILE.
  std::string yaml;
  std::vector<std::pair<std::string, std::string>> files;  // that name, and where the file lies now
};

// parameters: "n=4096", applied where the file has that parameter; those are added to `applied`. Throws
// config::Error with every problem.
LaunchApplication load_launch_application(const std::string& file, const std::vector<std::string>& parameters,
                                          std::vector<std::string>& applied);
// All of them have to apply.
LaunchApplication load_launch_application(const std::string& file,
                                          const std::vector<std::string>& parameters);

// Of "--set parameters.n=4096" the parameter's part; empty: it sets something else.
std::string parameter_set(const std::string& assignment);
// Throws config::Error unless all of them were applied.
void check_applied(const std::vector<std::string>& parameters, const std::vector<std::string>& applied);

}  // namespace heddle
