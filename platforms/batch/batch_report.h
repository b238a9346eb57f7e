#pragma once
// The verb `heddle batch report`.

#include <string>

namespace heddle {

struct BatchReportOptions {
  std::string directory;
  bool strict = false;  // refuses a campaign that is partial
};

// Becomes scripts/report, whose exit codes are those of the verbs. Throws OutputError where it cannot be
// started, config::Error where there is no such program.
[[noreturn]] void batch_report(const BatchReportOptions& options);

}  // namespace heddle
