#pragma once
// What a campaign's run tells its driver over the pipe, a message a line.

#include <optional>
#include <string>

#include "platforms/campaign/store/run_store.h"

namespace heddle {

// Exactly one member has a value.
struct RunMessage {
  std::optional<double> fraction;        // done so far
  std::optional<RunRecord> ended;        // the run has its place in the store
  std::optional<std::string> unwritten;  // why the run could not be written: nothing is left of it
};

std::string line_of(const RunMessage& message);
RunMessage read_run_message(const std::string& line);  // throws CodecError

}  // namespace heddle
