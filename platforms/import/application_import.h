#pragma once
// A recorded application becomes YAML that the application reader takes, on the platform on which it was
// recorded.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/recorded/application_text.h"

namespace heddle::imported {

struct ImportOptions {
  std::string input;        // the recording's file, for messages
  std::string name;         // of the application; empty: from the output's file name
  std::string output;       // the file that will have the text
  std::string source;       // where it was recorded, for the text
  std::string measured_on;  // a platform's name or file
  std::uint64_t least_gap_ps = 10'000'000;
};

struct ApplicationImport {
  std::string text;
  TextSummary summary;
  std::vector<std::string> notes;  // what of the record the text does not have, or has otherwise
};

// Writes the recording as the text of an application's file, and reads that text back as `heddle check` does.
// Throws config::Error if the platform does not exist, if a block of a kernel does not fit one of its SMs, if
// the recording has more streams than the platform allows a context, or if the program has more calls than
// the reader accepts.
ApplicationImport import_application(const RecordedApplication& application, const ImportOptions& options);

}  // namespace heddle::imported
