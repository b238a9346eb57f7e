#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/backends/campaign_driver.h"
#include "platforms/campaign/plan/paper_codec.h"
#include "platforms/campaign/results/results.h"
#include "platforms/cli/commands.h"
#include "platforms/run/output.h"
#include "platforms/run/script.h"

namespace heddle {

namespace {

std::vector<Paper> papers_of(const ReproduceOptions& options) {
  std::vector<Paper> papers;
  const bool all = options.paper == "all";
  for (const std::string& name :
       all ? known_data("stimuli/papers") : std::vector<std::string>{options.paper}) {
    papers.push_back(load_paper(name, options.window));
    if (options.window == 0 || papers.back().has_window) continue;
    const std::string problem =
        fmt::format("{}: its runs end when their applications do: it has no window", papers.back().name);
    if (!all) throw config::Error({problem});
    std::cerr << "heddle: " << problem << "\n";
  }
  return papers;
}

// The worst of its campaigns' exit codes.
int run_campaigns(const Paper& paper, const std::string& directory, const ReproduceOptions& options) {
  int worst = 0;
  for (const Campaign& campaign : paper.campaigns) {
    const std::string results = directory + "/" + campaign.name;
    BatchOptions batch;
    batch.directory = results;
    batch.jobs = options.jobs;
    batch.resume = std::filesystem::exists(results + "/campaign.yaml");
    batch.quiet = options.quiet;
    batch.argv = options.argv;
    const int code = batch_run(campaign, batch);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    CollectOptions collect;
    collect.directory = results;
    collect.strict = options.strict;
    if (const int failed = batch_report(collect); failed != 0) return failed;
  }
  return worst;
}

}  // namespace

int reproduce_command(const ReproduceOptions& options) {
  int worst = 0;
  for (const Paper& paper : papers_of(options)) {
    const std::string directory = options.out + "/" + paper.name;
    const int code = run_campaigns(paper, directory, options);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    write_file(directory + "/paper.json",
               paper_text(paper, options.window, "heddle reproduce " + options.paper));
  }
  std::vector<std::string> words{"--", options.out};
  if (options.strict) words.insert(words.begin(), "--strict");
  const int drawn = run_script("reproduce_page", words);
  return drawn != 0 ? drawn : worst;
}

}  // namespace heddle
