#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/plan/paper_codec.h"
#include "platforms/campaign/results/report.h"
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/run/output.h"
#include "platforms/run/script.h"

namespace heddle {

namespace {

struct ReproduceOptions {
  std::string paper;  // a name, a file, or all
  std::string out = "results/reproduce";
  PaperSize size;
  std::size_t jobs = 0;  // runs at a time; 0: one per core
  bool strict = false;   // no page unless every run is ok
  bool quiet = false;
};

std::vector<Paper> papers_of(const ReproduceOptions& options) {
  std::vector<Paper> papers;
  const bool all = options.paper == "all";
  for (const std::string& name :
       all ? known_data("stimuli/papers") : std::vector<std::string>{options.paper}) {
    papers.push_back(load_paper(name, options.size));
    const Paper& paper = papers.back();
    std::string problem;
    if (options.size.window != 0 && !paper.has_window)
      problem = paper.name + ": its runs end when their applications do: it has no window";
    if (options.size.is_short && !paper.has_short) problem = paper.name + ": it has no short form";
    if (problem.empty()) continue;
    if (!all) throw config::Error({problem});
    std::cerr << "heddle: " << problem << "\n";
  }
  return papers;
}

// Runs the campaigns of a paper and returns the worst of their exit codes.
int run_campaigns(const Paper& paper, const std::string& directory, const ReproduceOptions& options,
                  const Words& argv) {
  int worst = 0;
  for (const Campaign& campaign : paper.campaigns) {
    const std::string results = directory + "/" + campaign.name;
    BackendOptions backend;
    backend.directory = results;
    backend.jobs = options.jobs;
    backend.resume = std::filesystem::exists(results + "/campaign.yaml");
    backend.argv = argv;
    const int code = run_on_console(campaign, backend, options.quiet);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    if (const int failed = write_report(results, options.strict); failed != 0) return failed;
  }
  return worst;
}

// Runs the missing runs of papers below OUT/PAPER and writes the page OUT/index.html.
int reproduce_papers(const ReproduceOptions& options, const Words& argv) {
  int worst = 0;
  for (const Paper& paper : papers_of(options)) {
    const std::string directory = options.out + "/" + paper.name;
    const int code = run_campaigns(paper, directory, options, argv);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    write_file(directory + "/paper.json",
               paper_text(paper, options.size.window,
                          fmt::format("heddle reproduce {}{}", options.paper,
                                      options.size.is_short && paper.has_short ? " --short" : "")));
  }
  std::vector<std::string> words{"--", options.out};
  if (options.strict) words.insert(words.begin(), "--strict");
  const int drawn = run_script("reproduce_page", words);
  return drawn != 0 ? drawn : worst;
}

// Reads "200k" or "2M" cycles into `window` and returns what is wrong with the text, or nothing.
std::string read_window(const std::string& text, std::uint64_t& window) {
  const bool scaled = !text.empty() && (text.back() == 'k' || text.back() == 'M');
  const std::string digits = scaled ? text.substr(0, text.size() - 1) : text;
  const std::uint64_t scale = !scaled ? 1 : text.back() == 'k' ? 1000 : 1000000;
  if (!check_count(digits).empty() || digits.size() > 12 || std::stoull(digits) == 0)
    return "'" + text + "' is no number of cycles: 200k, 2M, 150000";
  window = std::stoull(digits) * scale;
  return "";
}

void declare_reproduce(CLI::App& verb, ReproduceOptions& options) {
  verb.add_option("paper", options.paper, "a paper's name (heddle list papers) or YAML file, or all")
      ->required();
  verb.add_option("--window", "cycles of each run that ends after a number of them (default: the paper's)")
      ->type_name("CYCLES")
      ->each([&options](const std::string& text) {
        const std::string problem = read_window(text, options.size.window);
        if (!problem.empty()) throw CLI::ValidationError("--window", problem);
      });
  verb.add_flag("--short", options.size.is_short, "the paper's short form: fewer or smaller runs");
  verb.add_option("--out", options.out, "where everything goes (default: results/reproduce)");
  add_jobs_option(verb, options.jobs, "runs at a time (default: one per core)");
  verb.add_flag("--strict", options.strict, "no page unless every run is ok");
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.footer(
      "What was run is not run again; an interrupted one goes on.\nExample:\n  heddle reproduce cusched");
}

const VerbRegistration kReproduce("reproduce", 60,
                                  "Run a paper's experiments; its figures beside ours on one page",
                                  declare_reproduce, reproduce_papers);

}  // namespace

}  // namespace heddle
