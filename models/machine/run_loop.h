#pragma once
// A RunLoop advances the simulation until a run has ended. It looks at the progress of the run about once in
// a millisecond of simulated time, and takes samples at core cycles.

#include <cstdint>
#include <functional>

#include "models/core/time/clock_domain.h"

namespace heddle {

class RunLoop {
 public:
  struct Deps {
    const ClockDomain& core;
    std::function<bool()> goes_on;         // false when the run has ended or failed
    std::function<void()> check_progress;  // may end the run
    // Called with the time up to which the simulation runs next; see ClockDomain::go_ahead_until(). It may be
    // empty.
    std::function<void(const sc_core::sc_time&)> go_ahead = {};
  };
  explicit RunLoop(Deps deps) : deps_(std::move(deps)) {}

  // Simulates until the core cycle `end` is about to begin, or until the run ends. Several calls that follow
  // each other give the same results as one call. Whoever ends the run also calls sc_pause(). `progress` is
  // called after each check of the progress; it may be empty.
  void run_to(Cycle end, const std::function<void()>& progress);
  // Makes run_to() call `sample` once in every `cycles` core cycles, after all hardware blocks have finished
  // a cycle and before any of them begins the next one. `cycles` is above zero.
  void sample_every(std::uint64_t cycles, std::function<void()> sample);
  // Makes run_to() call `poll` at least once in so many core cycles, between two cycles as for a sample. The
  // call may throw, which ends run_to().
  void poll_every(std::uint64_t cycles, std::function<void()> poll);
  void reset();  // a new run begins at the present time

 private:
  void run_until(const sc_core::sc_time& end);

  const Deps deps_;
  std::uint64_t sample_cycles_ = 0;  // 0: there are no samples
  Cycle sample_at_;                  // of the next one
  std::function<void()> sample_;
  sc_core::sc_time check_at_;    // of the next check_progress()
  sc_core::sc_time poll_after_;  // from one poll to the next one
  std::function<void()> poll_;
};

}  // namespace heddle
