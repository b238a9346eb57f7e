#include "platforms/campaign/backends/progress.h"

#include <fmt/format.h>
#include <unistd.h>
#include <cmath>

#include <iostream>

namespace heddle {

std::string clock_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
}

BatchProgress::BatchProgress(std::size_t runs, bool quiet)
    : runs_(runs), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void BatchProgress::clear() {
  if (drawn_ != Clock::time_point{}) std::cerr << "\r\033[K" << std::flush;
}

void BatchProgress::ended(const std::string& label, const RunRecord& record) {
  ++done_;
  if (record.state != RunState::kOk) ++failed_;
  if (quiet_ || terminal_) return;
  std::cout << fmt::format("{}/{} {}: {}", done_, runs_, name_of(record.state), label);
  if (!record.reason.empty()) std::cout << " (" << record.reason << ")";
  std::cout << "\n" << std::flush;
}

void BatchProgress::draw() {
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

}  // namespace heddle
