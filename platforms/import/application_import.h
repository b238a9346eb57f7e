#pragma once
// A recorded application becomes YAML that the application reader takes, on the platform on which it was
// recorded.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/import/application_text.h"

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

// Makes the text and reads it as `heddle check` does. Throws config::Error: there is no such platform, a
// kernel does not fit its SMs, it has too few streams, or more calls are left than an application may have.
ApplicationImport import_application(const RecordedApplication& application, const ImportOptions& options);

}  // namespace heddle::imported
