#pragma once
// Campaigns on the console: what the verbs that run one print, and their exit codes.

#include <chrono>
#include <cstddef>
#include <string>

#include "platforms/campaign/backends/local_backend.h"
#include "platforms/campaign/backends/run_progress.h"

namespace heddle {

std::string clock_text(double seconds);  // "1:02:03"

// Shows progress on a terminal as one line that is drawn again at most ten times a second, elsewhere as one
// line a run.
class ConsoleProgress final : public RunProgress {
 public:
  explicit ConsoleProgress(bool quiet);
  ~ConsoleProgress() override;

  void note(const std::string& text) override;
  void begin(std::size_t runs) override;
  void ended(const std::string& label, const RunRecord& record) override;
  void update() override;

 private:
  using Clock = std::chrono::steady_clock;

  const bool quiet_;
  const bool terminal_;
  std::size_t runs_ = 0;
  Clock::time_point begin_{};
  Clock::time_point drawn_{};
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
};

// Returns kExitInterrupted, with a message on standard error, if the work was interrupted, and 0 if it is all
// done. Throws OutputError if a file could not be written. Both messages name the command that goes on.
constexpr const char* kBatchResume = "heddle batch resume";
int report_work(const WorkResult& work, const std::string& go_on = kBatchResume);

// Each runs what a campaign does not have yet, prints how the campaign stands and returns the exit code.
int run_on_console(const Campaign& campaign, const BackendOptions& options, bool quiet,
                   const std::string& go_on = kBatchResume);
int submit_on_console(const Campaign& campaign, const BackendOptions& options);

}  // namespace heddle
