#include "platforms/campaign/results/report.h"

#include "platforms/campaign/results/collect.h"
#include "platforms/run/script.h"

namespace heddle {

int write_report(const std::string& directory, bool strict) {
  collect_results(directory, strict);
  return run_script("report", {"--", directory});
}

}  // namespace heddle
