#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "models/core/config/config.h"
#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/campaign/backends/campaign_files.h"
#include "platforms/campaign/plan/card.h"
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
  std::string paper;  // of a paper or card: a name, a file, or all; empty: all that is in `out`
  std::string out = kDefaultOut;
  PaperSize size;
  bool plan = false;     // says what it costs, and runs nothing
  bool resume = false;   // goes on with what is in `out`, in the size in which it was started
  bool page = false;     // the same, and runs nothing
  std::size_t jobs = 0;  // runs at a time; 0: one per core
  bool strict = false;   // no page unless every run is ok
  bool quiet = false;
};

constexpr const char* kPapers = "stimuli/papers";
constexpr const char* kCards = "stimuli/cards";

struct PaperWork {
  Paper paper;               // of a card its name, title and campaigns
  std::optional<Card> card;  // none: it is a paper
  std::string given;         // the name or the file of the paper or card
  PaperSize size;
  std::string directory;
};

bool is_card(const std::string& given) {
  if (is_file_name(given)) return config::Document::load(find_data(kCards, given)).root().has("card");
  if (has_data(kPapers, given)) return false;
  if (has_data(kCards, given)) return true;
  std::vector<std::string> known = known_data(kCards);
  const std::vector<std::string> papers = known_data(kPapers);
  known.insert(known.end(), papers.begin(), papers.end());
  throw config::Error(
      {fmt::format("there is no paper or card '{}'{}", given, config::suggestion_and_known(given, known))});
}

// The campaigns of a card run in the same way as those of a paper. Only their page is different.
Paper paper_of(const Card& card) {
  Paper paper;
  paper.name = card.name;
  paper.title = card.title;
  paper.campaigns = card.campaigns;
  paper.has_short = card.has_short;
  if (card.is_short) {
    paper.left_out.push_back(card.points_words);
    if (!card.mechanisms.empty()) paper.left_out.push_back("without each mechanism: " + card.changed_words);
  }
  paper.run_seconds = card.run_seconds;
  return paper;
}

// Loads a paper or a card by name or file.
PaperWork load_work(const std::string& given, PaperSize size) {
  PaperWork work;
  work.given = given;
  work.size = size;
  if (!is_card(given)) {
    work.paper = load_paper(given, size);
    return work;
  }
  work.card = load_card(given, size.is_short);
  work.paper = paper_of(*work.card);
  return work;
}

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
  const std::string given = root.text("given");
  const std::string file = root.text("paper");
  PaperSize size;
  size.window = static_cast<std::uint64_t>(root.integer("window", {0, kMostWindow}));
  size.is_short = root.boolean("short");
  document.finish();
  PaperWork work = load_work(file, size);
  work.given = given;
  work.directory = directory;
  return work;
}

bool has_started(const std::string& directory) {
  return std::filesystem::exists(directory + "/started.yaml");
}

// Returns the papers and cards that are in OUT, or the one of them that is asked for.
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
    throw config::Error(
        {fmt::format("{}: {} was started there", options.out,
                     options.paper.empty() ? "nothing" : "no paper or card " + options.paper)});
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
  for (const std::string& name : all ? known_data(kPapers) : std::vector<std::string>{options.paper}) {
    works.push_back(load_work(name, options.size));
    const Paper& paper = works.back().paper;
    works.back().directory = options.out + "/" + paper.name;
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

// Writes what a page is drawn from, and the page of a card, OUT/CARD/index.html. Returns an exit code.
int write_page_of(const PaperWork& work, bool strict) {
  const std::string file = work.directory + (work.card ? "/card.json" : "/paper.json");
  const std::string text =
      work.card ? card_text(*work.card, command_of(work)) : paper_text(work.paper, command_of(work));
  write_result(file, Existing::kOwned, "--out", text);
  if (!work.card) return 0;
  std::vector<std::string> words{"--", work.directory};
  if (strict) words.insert(words.begin(), "--strict");
  return run_script("card_page", words);
}

// Runs what is missing below OUT/NAME. Writes the page of all papers, OUT/index.html, and the page of each
// card, OUT/CARD/index.html.
int reproduce_works(const ReproduceOptions& options, const Words& argv) {
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
    if (const int drawn = write_page_of(work, options.strict); drawn != 0) return drawn;
  }
  if (std::all_of(works.begin(), works.end(), [](const PaperWork& work) { return work.card.has_value(); }))
    return worst;
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
  verb.add_option(
      "paper", options.paper,
      "the name of a paper or card (heddle list papers, cards), its YAML file, or all, which is every paper");
  const auto window = [&options](const std::string& text) { return read_window(text, options.size.window); };
  verb.add_read_option("--window", window,
                       "cycles of each run that ends after a number of them (default: the paper's)")
      .type_name("CYCLES");
  verb.add_flag("--short", options.size.is_short, "the short form: fewer or smaller runs");
  verb.add_flag("--plan", options.plan, "say what it costs, and run nothing");
  verb.add_flag("--resume", options.resume,
                "go on with what was started in OUT, in its size; without a name, with all of it")
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
      "zorua --short\n  heddle reproduce h100 --short\n  heddle reproduce --resume\n  heddle reproduce "
      "--page");
}

const VerbRegistration kReproduce("reproduce", 60,
                                  "Run a paper's experiments, or the programs that were measured on a card; "
                                  "a page has both sides",
                                  declare_reproduce, reproduce_works);

}  // namespace

}  // namespace heddle
