#include <fmt/format.h>

#include <iostream>

#include "platforms/campaign/results/leftovers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"

namespace heddle {

namespace {

struct BatchGcOptions {
  std::string directory;
  bool dry_run = false;  // print what would be removed, and remove nothing
};

void declare_batch_gc(CommandLine& verb, BatchGcOptions& options) {
  add_results_option(verb, options.directory);
  verb.add_flag("--dry-run", options.dry_run, "only print what would go");
}

std::string kib(std::uint64_t bytes) {
  return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

int remove_unused_runs(const BatchGcOptions& options) {
  std::size_t count = 0;
  std::uint64_t total = 0;
  remove_leftovers(options.directory, options.dry_run, [&](const Leftover& leftover) {
    ++count;
    total += leftover.bytes;
    std::cout << fmt::format("{}: {}\n", leftover.path, kib(leftover.bytes));
  });
  std::cout << fmt::format("{} of {} {}\n", count, kib(total),
                           options.dry_run ? "would be removed" : "removed");
  return 0;
}

const VerbRegistration kBatchGc("batch gc", 100, "Remove runs that a campaign does not name any more",
                                declare_batch_gc, remove_unused_runs);

}  // namespace

}  // namespace heddle
