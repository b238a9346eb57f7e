#include "platforms/cli/batch/campaign_console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <iostream>

#include "platforms/campaign/backends/slurm_submit.h"
#include "platforms/cli/exit_code.h"
#include "platforms/run/output.h"

namespace heddle {

std::string clock_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

ConsoleProgress::ConsoleProgress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

ConsoleProgress::~ConsoleProgress() {
  if (drawn_ != Clock::time_point{}) std::cerr << "\r\033[K" << std::flush;
}

void ConsoleProgress::note(const std::string& text) {
  std::cerr << "note: " << text << std::endl;
}

void ConsoleProgress::begin(std::size_t runs) {
  runs_ = runs;
  begin_ = Clock::now();
}

void ConsoleProgress::ended(const std::string& label, const RunRecord& record) {
  ++done_;
  if (record.state != RunState::kOk) ++failed_;
  if (quiet_ || terminal_) return;
  std::cout << fmt::format("{}/{} {}: {}", done_, runs_, name_of(record.state), label);
  if (!record.reason.empty()) std::cout << " (" << record.reason << ")";
  std::cout << "\n" << std::flush;
}

void ConsoleProgress::update() {
  const Clock::time_point now = Clock::now();
  if (quiet_ || !terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(done_) / seconds;
  std::string line = fmt::format("{} done, {} failed, {} left", done_, failed_, runs_ - done_);
  if (done_ > 0)
    line += fmt::format(", {:.1f} a second, {} to go", rate,
                        clock_text(static_cast<double>(runs_ - done_) / rate));
  std::cerr << "\r\033[K" << line << std::flush;
}

int report_work(const WorkResult& work, const std::string& go_on) {
  const std::string summary = fmt::format("{} of {} runs were done, {} goes on", work.done, work.runs, go_on);
  switch (work.end) {
    case WorkResult::End::kInterrupted:
      std::cerr << fmt::format("heddle: interrupted; {}\n", summary);
      return kExitInterrupted;
    case WorkResult::End::kUnwritten:
      throw OutputError(fmt::format("{}; {}", work.reason, summary));
    default:
      return 0;
  }
}

int run_on_console(const Campaign& campaign, const BackendOptions& options, bool quiet,
                   const std::string& go_on) {
  CampaignOutcome outcome;
  {
    ConsoleProgress progress(quiet);
    outcome = run_campaign(campaign, options, progress);
  }
  if (const int code = report_work(outcome.work, go_on); code != 0) return code;
  std::cout << fmt::format("{}: {} points, {} runs, {} ok, {} not; results: {}", campaign.name,
                           campaign.points.size(), outcome.runs, outcome.ok, outcome.runs - outcome.ok,
                           outcome.directory)
            << std::endl;
  return outcome.ok == outcome.runs ? 0 : kExitFailed;
}

int submit_on_console(const Campaign& campaign, const BackendOptions& options) {
  const SubmitOutcome outcome = submit_campaign(campaign, options);
  if (!outcome.note.empty()) std::cerr << "note: " << outcome.note << "\n";
  const std::string jobs = outcome.submitted == 0
                               ? "nothing to submit"
                               : fmt::format("{} submitted in {} tasks: job {}", outcome.submitted,
                                             outcome.tasks, fmt::join(outcome.jobs, " "));
  std::cout << fmt::format("{}: {} runs, {} done, {} in the queue; {}; heddle batch status {}", campaign.name,
                           outcome.runs, outcome.done, outcome.queued, jobs, outcome.directory)
            << std::endl;
  return 0;
}

}  // namespace heddle
