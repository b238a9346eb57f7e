#pragma once
// The messages that a job's process sends over its pipe, one a line.

#include <optional>
#include <string>

#include "platforms/run/job.h"

namespace heddle {

// Exactly one member has a value.
struct JobMessage {
  std::optional<JobProgress> progress;
  std::optional<std::string> failure;  // the reason, if the simulation has failed
  std::optional<Simulation> done;
};

std::string line_of(const JobMessage& message);
JobMessage read_job_message(const std::string& line);  // throws CodecError

}  // namespace heddle
