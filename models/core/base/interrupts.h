#pragma once
// Interrupts of the program by a signal: SIGINT, SIGTERM and SIGHUP.

#include <poll.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>

namespace heddle {

struct Interrupted {};

// From this call on, SIGINT and SIGTERM do not end the program: poll_or_interrupt() throws Interrupted. A
// file that exceeds the size limit is a write error then, which does not end the program either.
void catch_interrupts();

// Returns the last of the three signals that was caught; 0 if there was none.
int interrupting_signal();

// Waits as poll() does, or until the time `most` has passed. Without `most` the wait has no limit. Throws
// Interrupted if one of the signals comes during the wait or has come before it, while they are caught.
void poll_or_interrupt(pollfd* waits, std::size_t count,
                       std::optional<std::chrono::milliseconds> most = std::nullopt);

// While a CaughtInterrupts lives, the three signals are caught. The destructor restores what they did before.
// A signal that the program ignores, as under nohup, stays ignored.
class CaughtInterrupts {
 public:
  CaughtInterrupts();
  ~CaughtInterrupts();
  CaughtInterrupts(const CaughtInterrupts&) = delete;
  CaughtInterrupts& operator=(const CaughtInterrupts&) = delete;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace heddle
