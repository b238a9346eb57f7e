#pragma once
// This file loads a launch file as an application of an experiment.

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/core/base/memo.h"
#include "stimuli/application/application.h"
#include "stimuli/launch/launch_reader.h"
#include "stimuli/launch/loaded_parts.h"

namespace heddle {

struct LaunchApplication {
  Application application;
  std::string description;
  std::shared_ptr<const LaunchPlan> plan;
  // The launch file with the parameters that were set. It names its files as results store them: NAME/FILE.
  std::string yaml;
  std::vector<std::pair<std::string, std::string>> files;  // NAME/FILE, and the present path of the file
};

// Loads a launch file. An assignment in `parameters`, such as "n=4096", is applied if the file has the
// parameter, and is then added to `applied`. Kernels whose threads need more than `most_registers` spill.
// Throws config::Error with every problem.
LaunchApplication load_launch_application(const std::string& file, const std::vector<std::string>& parameters,
                                          std::vector<std::string>& applied,
                                          std::uint32_t most_registers = ptx::kAnyRegisters);
// Does the same; an assignment that does not apply is an error.
LaunchApplication load_launch_application(const std::string& file,
                                          const std::vector<std::string>& parameters);

// Loads launch files, each once with the same parameters, however often it is asked for; its result shares
// what was loaded. Files of other parameters share code and structures. The files must stay as they are.
// Several threads may use it.
class LoadedLaunches {
 public:
  // As load_launch_application().
  LaunchApplication load(const std::string& file, const std::vector<std::string>& parameters,
                         std::vector<std::string>& applied, std::uint32_t most_registers);

 private:
  static constexpr std::size_t kMostLoaded = 128;  // launch files in memory

  using Key = std::tuple<std::string, std::vector<std::string>, std::uint32_t>;
  struct Loaded {
    LaunchApplication application;
    std::vector<std::string> applied;
  };

  LoadedParts parts_;
  Memo<Key, Loaded> loaded_{kMostLoaded};
};

// Returns "n=4096" for the assignment "parameters.n=4096" of --set; empty if it sets no parameter.
std::string parameter_set(const std::string& assignment);
// Throws config::Error unless all assignments in `parameters` are in `applied`.
void check_applied(const std::vector<std::string>& parameters, const std::vector<std::string>& applied);

}  // namespace heddle
