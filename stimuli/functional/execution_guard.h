#pragma once
// An ExecutionGuard stops kernels that are executed without a machine: at the limit of the run, or where the
// user interrupts it. It is asked after each turn of a block.

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "models/core/base/run_limit.h"
#include "stimuli/functional/interruption.h"

namespace heddle {

class LimitReached : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ExecutionGuard {
 public:
  // `what` is limited, such as "capture". There are no cycles without a machine.
  ExecutionGuard(std::string what, const RunLimit& limit);

  // Throws LimitReached at the limit and InterruptedRun after SIGINT. `where` says what is executed and
  // where its warps are.
  void check(std::uint64_t warp_instructions, const std::function<std::string()>& where) const;

 private:
  const std::string what_;
  const RunLimit limit_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace heddle
