#include "models/core/base/interrupts.h"

#include <cerrno>

namespace heddle {

namespace {

volatile std::sig_atomic_t interrupted = 0;

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

struct sigaction catching() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interrupted = signal; };
  return action;
}

const sigset_t& interruptions() {
  static const sigset_t signals = [] {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kSignals) sigaddset(&set, signal);
    return set;
  }();
  return signals;
}

timespec timespec_of(std::chrono::milliseconds time) {
  return {static_cast<time_t>(time.count() / 1000), static_cast<long>(time.count() % 1000 * 1000000)};
}

}  // namespace

void catch_interrupts() {
  const struct sigaction action = catching();
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

int interrupting_signal() {
  return interrupted;
}

// Signals are blocked except within ppoll(), so that a signal before the wait is not missed.
void poll_or_interrupt(pollfd* waits, std::size_t count, std::optional<std::chrono::milliseconds> most) {
  const timespec time = timespec_of(most.value_or(std::chrono::milliseconds(0)));
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &interruptions(), &before);
  if (interrupted == 0 && ::ppoll(waits, count, most ? &time : nullptr, &before) < 0)
    for (std::size_t i = 0; i < count; ++i) waits[i].revents = 0;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (interrupted != 0) throw Interrupted{};
}

CaughtInterrupts::CaughtInterrupts() {
  const struct sigaction action = catching();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

CaughtInterrupts::~CaughtInterrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace heddle
