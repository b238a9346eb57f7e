#pragma once
// A launch file: YAML that says how a program in PTX is run. The README's "PTX kernels" shows every key.

#include <memory>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/launch/contents_reader.h"
#include "stimuli/launch/launch_plan.h"

namespace heddle {

struct LaunchFile {
  std::string description;
  std::shared_ptr<const LaunchPlan> plan;
  ApiProgram program;            // its scripts follow the plan
  std::vector<NamedFile> files;  // PTX and data, in the order of the file
};

// Whether the document is a launch file.
bool is_launch_file(const config::Section& root);

// Problems are recorded in its document; those of a PTX file are thrown as config::Error, all of them.
// file: where the launch file lies, for the files that it names.
LaunchFile read_launch_file(const config::Section& root, const std::string& file);

}  // namespace heddle
