#pragma once
// The ApplicationReader adds the applications of an experiment's file to the experiment: applications,
// traces, captured programs, launch files, or a mix of applications that is drawn.

#include <map>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"
#include "stimuli/application/launch_ranges.h"

namespace heddle {

class ApplicationReader {
 public:
  // The platform and the settings of the experiment have been read. `file` is the experiment's. Launch files
  // take the `parameters` of the command line, "n=4096", and the only application the launches of `options`.
  ApplicationReader(Experiment& experiment, std::string file, std::vector<std::string> parameters,
                    const LoadOptions& options);

  // Reads `applications` or `mix`. The problems of an application's own file are thrown at once.
  void read(const config::Section& root);

  // Throws config::Error if no launch file took one of the parameters of the command line.
  void check_parameters() const;

 private:
  // What an experiment says of one of its applications.
  struct Use {
    config::Value name;
    std::int32_t priority = 0;
    std::uint64_t start_ps = 0;
    std::map<std::string, std::uint32_t> registers{};  // see ExperimentApplication, as the next one
    LaunchRanges launches{};
    std::optional<bool> restartable{};
    std::string own_name{};  // in this experiment; empty: that of the application
    StatedRequests requests{};
  };

  void read_mix(const config::Section& section);
  Use read_use(const config::Value& value) const;
  std::map<std::string, std::uint32_t> read_registers(const config::Section& section) const;
  LaunchRanges read_launches(const config::Section& section) const;
  void override_launches(const config::Section& root, std::vector<Use>& uses) const;
  bool is_recorded(const config::Value& name) const;
  void add(const Use& use);
  void add_launch(const Use& use, const std::string& file, const config::Section& root);
  void add_unmeasured(const Use& use, ExperimentApplication added);
  void add_checked(const Use& use, ExperimentApplication added);
  ExperimentApplication trace(const Use& use) const;
  ExperimentApplication captured(const Use& use) const;
  ExperimentApplication launch(const std::string& file, const std::vector<std::string>& parameters);
  ExperimentApplication measured_application(const Use& use, config::Document& document);
  void add_requests(const Use& use, const RequestReading& reading, ExperimentApplication& added) const;
  const GpuSpec& measured(const std::string& platform);
  void add_note(const std::string& note);
  void check_beside_others(const config::Value& name, const ExperimentApplication& added) const;

  Experiment& experiment_;
  const std::string file_;
  const std::string launches_of_option_;
  const std::string cache_;
  LoadedInputs* const loaded_;
  std::vector<std::string> parameters_;      // of the command line, for all launch files: "n=4096"
  std::vector<std::string> applied_;         // the parameters that at least one file took
  std::map<std::string, GpuSpec> measured_;  // by file
};

// Returns whether the file is the list of kernels of a trace.
bool is_kernels_list(const std::string& file);

// Returns whether the folder of data has this name.
bool is_known_data(const std::string& folder, const std::string& name);

// Returns the file that a value of the experiment's `file` names. Throws config::Error, with the place of the
// value, if there is no such file.
std::string find_named(const std::string& folder, const config::Value& name, const std::string& file);

}  // namespace heddle
