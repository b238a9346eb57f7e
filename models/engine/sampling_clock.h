#pragma once
// When the SMs are asked for samples: as the first kernel comes to an empty engine, every `period` cycles
// from then on, and once more when the last kernel has gone. So a window holds either idle time alone or at
// most `period` cycles, and every cycle with a kernel is in one. All SMs are asked at once, and only when all
// have answered; a question that falls due before is put off until then.

#include "models/core/base/ids.h"

namespace heddle {

class SamplingClock {
 public:
  // period: core cycles; 0: never.
  SamplingClock(std::uint64_t period, std::uint32_t sms) : period_(period), sms_(sms) {}

  // At the end of every cycle in which something happens, `busy` if a kernel is on the engine: whether the
  // SMs are asked in this cycle.
  bool ask(Cycle now, bool busy) {
    if (period_ == 0 || state_.waiting > 0) return false;
    if (busy == state_.busy && (!busy || now < state_.due)) return false;
    state_.busy = busy;
    state_.due = now + period_;
    state_.waiting = sms_;
    return true;
  }
  bool waits() const { return state_.waiting > 0; }  // for answers
  // One SM has answered; whether it was the last.
  bool answered() { return --state_.waiting == 0; }

  void reset() { state_ = {}; }

  // The cycle of the next question, or never: there is none before something else happens.
  Cycle due() const { return state_.busy && state_.waiting == 0 ? state_.due : Cycle::never(); }

 private:
  const std::uint64_t period_;
  const std::uint32_t sms_;
  struct State {
    bool busy = false;          // at the last question
    Cycle due;                  // while busy
    std::uint32_t waiting = 0;  // SMs that have not answered
  };
  State state_;
};

}  // namespace heddle
