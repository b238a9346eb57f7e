#pragma once
// The SamplingClock says when the engine asks the SMs for samples: when the first kernel comes to an empty
// engine, every `period` cycles from then on, and again when the last kernel has ended. So a window has
// either idle time only or at most `period` cycles, and every cycle with a kernel is in a window. The engine
// asks all SMs at once. A request that is due before all SMs have answered the last one is delayed until they
// have.

#include "models/core/base/ids.h"

namespace heddle {

class SamplingClock {
 public:
  // The period is in core cycles; 0 takes no samples.
  SamplingClock(std::uint64_t period, std::uint32_t sms) : period_(period), sms_(sms) {}

  // Returns whether the SMs are asked in this cycle. It is called at the end of every cycle in which the
  // engine is ticked; `busy` says whether a kernel is on the engine.
  bool ask(Cycle now, bool busy) {
    if (period_ == 0 || state_.waiting > 0) return false;
    if (busy == state_.busy && (!busy || now < state_.due)) return false;
    state_.busy = busy;
    state_.asked = now;
    state_.due = now + period_;
    state_.waiting = sms_;
    return true;
  }
  Cycle asked() const { return state_.asked; }       // the cycle of the last request
  bool waits() const { return state_.waiting > 0; }  // whether an answer is missing
  // An SM has answered. Returns whether it was the last one.
  bool answered() { return --state_.waiting == 0; }

  void reset() { state_ = {}; }

  // Returns the cycle of the next request, or never if no request is scheduled.
  Cycle due() const { return state_.busy && state_.waiting == 0 ? state_.due : Cycle::never(); }

 private:
  const std::uint64_t period_;
  const std::uint32_t sms_;
  struct State {
    bool busy = false;          // at the last request
    Cycle due;                  // of the next request, while busy
    Cycle asked;                // the last request
    std::uint32_t waiting = 0;  // SMs that have not answered
  };
  State state_;
};

}  // namespace heddle
