#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "models/stats/writers.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct StatsOptions {
  std::string file;
};

int print_stats(const StatsOptions& options) {
  try {
    write_csv(read_stats(config::read_file(options.file)), std::cout);
  } catch (const StatsError& error) {
    throw config::Error({options.file + ": " + error.what()});
  }
  return 0;
}

void declare_stats(CommandLine& verb, StatsOptions& options) {
  verb.add_option("file", options.file, "stats.json of a run, also one of a campaign").required();
  verb.footer("Example:\n  heddle stats results/parboil-eight/1-fcfs-s/stats.json > stats.csv");
}

const VerbRegistration kStats("stats", 25, "Print every statistic of a run as CSV, one a line", declare_stats,
                              print_stats);

}  // namespace

}  // namespace heddle
