#pragma once
// This file reads launch files, which state in YAML how a program in PTX is run. stimuli/README.md, "PTX
// kernels", shows every key.

#include <memory>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/launch/contents_reader.h"
#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/loaded_parts.h"
#include "stimuli/ptx/analysis/spilling.h"

namespace heddle {

struct LaunchFile {
  std::string description;
  std::shared_ptr<const LaunchPlan> plan;
  ApiProgram program;              // make_script makes scripts of the plan
  std::vector<std::string> notes;  // what happened to kernels as they were loaded, for the user
  std::vector<NamedFile> files;    // PTX and data, in the order of the file
};

// Returns whether the document is a launch file.
bool is_launch_file(const config::Section& root);

// Reads a launch file. Problems are recorded in its document. Problems in PTX files are thrown together as
// one config::Error. `file` is the path of the launch file, from whose folder the names of files count.
// Kernels whose threads need more than `most_registers` spill. What `parts` has is not loaded again.
LaunchFile read_launch_file(const config::Section& root, const std::string& file,
                            std::uint32_t most_registers, LoadedParts& parts);
LaunchFile read_launch_file(const config::Section& root, const std::string& file,
                            std::uint32_t most_registers = ptx::kAnyRegisters);

}  // namespace heddle
