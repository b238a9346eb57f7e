// A campaign's page: what collect writes, and a script that draws it.

#include "platforms/campaign/results/results.h"
#include "platforms/run/script.h"

namespace heddle {

int batch_report(const CollectOptions& options) {
  CollectOptions collect = options;
  collect.quiet = true;
  batch_collect(collect);
  return run_script("report", {"--", options.directory});
}

}  // namespace heddle
