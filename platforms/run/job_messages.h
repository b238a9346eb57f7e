#pragma once
// What a job's process tells over its pipe, a message a line.

#include <optional>
#include <string>

#include "platforms/run/job.h"

namespace heddle {

// Exactly one member has a value.
struct JobMessage {
  std::optional<JobProgress> progress;
  std::optional<std::string> failure;  // of the simulation, which has ended
  std::optional<Simulation> done;
};

std::string line_of(const JobMessage& message);
JobMessage read_job_message(const std::string& line);  // throws CodecError

}  // namespace heddle
