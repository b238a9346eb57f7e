#pragma once
// Ctrl-C (SIGINT) while kernels are executed: the run stops at the next turn of a block and tells where its
// warps are, instead of ending at once.

#include <csignal>
#include <stdexcept>

namespace heddle {

// While an object exists, SIGINT sets a flag. Another SIGINT a second later ends the process. A program that
// handles the signal itself keeps its handler.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;

  static bool is_set();
  [[noreturn]] static void end_process();  // as the signal does by default

 private:
  struct sigaction before_ {};
};

class InterruptedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
