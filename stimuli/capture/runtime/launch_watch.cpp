#include "stimuli/capture/runtime/launch_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {

namespace {

constexpr std::chrono::seconds kOnTerminal{1};
constexpr std::chrono::seconds kElsewhere{60};
constexpr std::uint64_t kPercent = 100;

}  // namespace

std::string progress_line(const LaunchStatus& status) {
  return fmt::format("launch {}, {}: {} % of {} blocks, {:.1e} warp instructions in all", status.launch,
                     ptx::kernel_name(status.kernel), status.ended * kPercent / status.blocks, status.blocks,
                     static_cast<double>(status.warp_instructions));
}

LaunchProgress::LaunchProgress()
    : terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + (terminal_ ? kOnTerminal : kElsewhere)) {}

void LaunchProgress::advance(const LaunchStatus& status) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? kOnTerminal : kElsewhere);
  const std::string line = progress_line(status);
  std::fputs(terminal_ ? fmt::format("\r{}\x1b[K", line).c_str() : fmt::format("heddle: {}\n", line).c_str(),
             stderr);
  std::fflush(stderr);
  shown_ = terminal_;
}

void LaunchProgress::end() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void LaunchProgress::suspect(const std::string& where) {
  end();
  std::fputs(
      fmt::format("heddle: memory has not changed for long, so that this may never end: {}\n", where).c_str(),
      stderr);
}

}  // namespace heddle::capture
