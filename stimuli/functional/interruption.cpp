#include "stimuli/functional/interruption.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace heddle {

namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::time_t interrupted_at = 0;  // seconds of the monotonic clock

// A terminal and a parent may both send the signal for one Ctrl-C.
void set_flag(int) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupted != 0 && now.tv_sec > interrupted_at) InterruptFlag::end_process();
  interrupted = 1;
  interrupted_at = now.tv_sec;
}

}  // namespace

InterruptFlag::InterruptFlag() {
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = set_flag;
  ::sigaction(SIGINT, &action, nullptr);
}

InterruptFlag::~InterruptFlag() {
  if (before_.sa_handler == SIG_DFL) ::sigaction(SIGINT, &before_, nullptr);
}

bool InterruptFlag::is_set() {
  return interrupted != 0;
}

void InterruptFlag::end_process() {
  std::signal(SIGINT, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(SIGINT);
  std::_Exit(128 + SIGINT);
}

}  // namespace heddle
