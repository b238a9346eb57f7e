#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "models/core/config/config.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/backends/campaign_files.h"
#include "platforms/campaign/plan/paper_codec.h"
#include "platforms/campaign/results/report.h"
#include "platforms/campaign/store/run_plan.h"
#include "platforms/campaign/store/run_store.h"
#include "platforms/cli/batch/campaign_console.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/reproduce_cost.h"
#include "platforms/run/output.h"
#include "platforms/run/script.h"

namespace heddle {

namespace {

constexpr const char* kDefaultOut = "results/reproduce";
constexpr std::int64_t kMostWindow = std::int64_t{1} << 60;  // cycles

struct ReproduceOptions {
  std::string paper;  // a name, a file, or all; empty: every paper that is in `out`
  std::string out = kDefaultOut;
  PaperSize size;
  bool plan = false;     // says what it costs, and runs nothing
  bool resume = false;   // goes on with what is in `out`, in the size in which it was started
  bool page = false;     // the same, and runs nothing
  std::size_t jobs = 0;  // runs at a time; 0: one per core
  bool strict = false;   // no page unless every run is ok
  bool quiet = false;
};

struct PaperWork {
  Paper paper;
  std::string given;  // the name or the file of the paper
  PaperSize size;
  std::string directory;
};

// OUT/PAPER/started.yaml says in which size a paper was started, so that it goes on in this size from any
// folder.
void write_started(const PaperWork& work) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  const std::string file =
      is_file_name(work.given) ? std::filesystem::absolute(work.given).string() : work.given;
  std::filesystem::create_directories(work.directory);
  write_result(work.directory + "/started.yaml", Existing::kOwned, "--out",
               fmt::format("given: {}\npaper: {}\nwindow: {}\nshort: {}\n", quoted(work.given), quoted(file),
                           work.size.window, work.size.is_short));
}

PaperWork read_started(const std::filesystem::path& directory) {
  const config::Document document = config::Document::load(directory / "started.yaml");
  const config::Section root = document.root();
  PaperWork work;
  work.given = root.text("given");
  const std::string file = root.text("paper");
  work.size.window = static_cast<std::uint64_t>(root.integer("window", {0, kMostWindow}));
  work.size.is_short = root.boolean("short");
  document.finish();
  work.directory = directory;
  work.paper = load_paper(file, work.size);
  return work;
}

bool has_started(const std::string& directory) {
  return std::filesystem::exists(directory + "/started.yaml");
}

// Returns the papers that are in OUT, or the one of them that is asked for.
std::vector<PaperWork> started_works(const ReproduceOptions& options) {
  std::set<std::filesystem::path> directories;
  if (std::filesystem::is_directory(options.out))
    for (const auto& entry : std::filesystem::directory_iterator(options.out))
      if (has_started(entry.path())) directories.insert(entry.path());
  std::vector<PaperWork> works;
  for (const std::filesystem::path& directory : directories) {
    PaperWork work = read_started(directory);
    if (options.paper.empty() || options.paper == "all" || options.paper == work.given ||
        options.paper == work.paper.name)
      works.push_back(std::move(work));
  }
  if (works.empty())
    throw config::Error({fmt::format("{}: {} was started there", options.out,
                                     options.paper.empty() ? "no paper" : "no paper " + options.paper)});
  return works;
}

// Returns the words that repeat the work.
std::string command_of(const PaperWork& work) {
  std::string command = "heddle reproduce " + work.given;
  if (work.size.is_short && work.paper.has_short) command += " --short";
  if (work.size.window != 0) command += fmt::format(" --window {}", work.size.window);
  return command;
}

// Says so if the paper was started in another size.
void note_other_size(const PaperWork& work) {
  if (!has_started(work.directory)) return;
  const PaperWork before = read_started(work.directory);
  if (command_of(before) == command_of(work)) return;
  std::cerr << fmt::format(
      "note: {} was started as '{}', and these runs are others; --resume goes on with what was started\n",
      work.directory, command_of(before));
}

std::vector<PaperWork> works_of(const ReproduceOptions& options) {
  if (options.paper.empty()) refuse_without("paper");
  std::vector<PaperWork> works;
  const bool all = options.paper == "all";
  for (const std::string& name :
       all ? known_data("stimuli/papers") : std::vector<std::string>{options.paper}) {
    const Paper paper = load_paper(name, options.size);
    works.push_back({paper, name, options.size, options.out + "/" + paper.name});
    std::string problem;
    if (options.size.window != 0 && !paper.has_window)
      problem = paper.name + ": its runs end when their applications do: it has no window";
    if (options.size.is_short && !paper.has_short) problem = paper.name + ": it has no short form";
    if (problem.empty()) continue;
    if (!all) throw config::Error({problem});
    std::cerr << "heddle: " << problem << "\n";
  }
  return works;
}

// Runs the campaigns of a paper and returns the worst of their exit codes.
int run_campaigns(const PaperWork& work, const ReproduceOptions& options, const Words& argv) {
  const std::string resume = fmt::format("heddle reproduce {} --resume{}", work.given,
                                         options.out == kDefaultOut ? "" : " --out " + options.out);
  int worst = 0;
  for (const Campaign& campaign : work.paper.campaigns) {
    const std::string results = work.directory + "/" + campaign.name;
    BackendOptions backend;
    backend.directory = results;
    backend.jobs = options.jobs;
    backend.resume = std::filesystem::exists(results + "/campaign.yaml");
    backend.argv = argv;
    const int code = run_on_console(campaign, backend, options.quiet, resume);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    if (const int failed = write_report(results, options.strict); failed != 0) return failed;
  }
  return worst;
}

// Collects what the campaigns of a paper have. A campaign that has not started has no runs.
int collect_campaigns(const PaperWork& work, const ReproduceOptions& options) {
  for (const Campaign& campaign : work.paper.campaigns) {
    const std::string results = work.directory + "/" + campaign.name;
    if (!std::filesystem::exists(results + "/campaign.yaml")) {
      const CampaignLock lock(results, CampaignLock::Mode::kAlone);
      write_campaign(campaign, plan_runs(campaign, jobs_of(options.jobs)), results);
    }
    if (const int failed = write_report(results, options.strict); failed != 0) return failed;
  }
  return 0;
}

// Runs the missing runs of papers below OUT/PAPER and writes the page OUT/index.html.
int reproduce_papers(const ReproduceOptions& options, const Words& argv) {
  check_result_folder(options.out, "--out");
  const bool goes_on = options.resume || options.page;
  const std::vector<PaperWork> works = goes_on ? started_works(options) : works_of(options);
  if (!goes_on)
    for (const PaperWork& work : works) note_other_size(work);
  if (options.plan || (!options.page && !options.quiet))
    for (const PaperWork& work : works) print_cost(work.paper, work.directory, jobs_of(options.jobs));
  if (options.plan) return 0;
  int worst = 0;
  for (const PaperWork& work : works) {
    if (!goes_on) write_started(work);
    const int code = options.page ? collect_campaigns(work, options) : run_campaigns(work, options, argv);
    if (code != 0 && code != kExitFailed) return code;
    worst = std::max(worst, code);
    write_result(work.directory + "/paper.json", Existing::kOwned, "--out",
                 paper_text(work.paper, command_of(work)));
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

void declare_reproduce(CommandLine& verb, ReproduceOptions& options) {
  verb.add_option("paper", options.paper, "a paper's name (heddle list papers) or YAML file, or all");
  const auto window = [&options](const std::string& text) { return read_window(text, options.size.window); };
  verb.add_read_option("--window", window,
                       "cycles of each run that ends after a number of them (default: the paper's)")
      .type_name("CYCLES");
  verb.add_flag("--short", options.size.is_short, "the paper's short form: fewer or smaller runs");
  verb.add_flag("--plan", options.plan, "say what it costs, and run nothing");
  verb.add_flag("--resume", options.resume,
                "go on with what was started in OUT, in its size; without a paper, with all of it")
      .excludes("--window")
      .excludes("--short");
  verb.add_flag("--page", options.page, "draw the page from what is in OUT, and run nothing")
      .excludes("--window")
      .excludes("--short")
      .excludes("--resume")
      .excludes("--plan");
  verb.add_option("--out", options.out, "where everything goes (default: results/reproduce)");
  add_jobs_option(verb, options.jobs, "runs at a time (default: one per core)");
  verb.add_flag("--strict", options.strict, "no page unless every run is ok");
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.footer(
      "What was run is not run again.\nExamples:\n  heddle reproduce zorua --short --plan\n  heddle "
      "reproduce "
      "zorua --short\n  heddle reproduce --resume\n  heddle reproduce --page");
}

const VerbRegistration kReproduce("reproduce", 60,
                                  "Run a paper's experiments; its figures beside ours on one page",
                                  declare_reproduce, reproduce_papers);

}  // namespace

}  // namespace heddle
