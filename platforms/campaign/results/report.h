#pragma once
// A campaign's report page.

#include <string>

namespace heddle {

// Collects the results, see collect_results(), and runs scripts/report, which writes report.html and plots/
// into the directory. Returns the script's exit code.
int write_report(const std::string& directory, bool strict);

}  // namespace heddle
