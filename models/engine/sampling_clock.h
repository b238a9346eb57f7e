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
    if (period_ == 0 || waiting_ > 0) return false;
    if (busy == busy_ && (!busy || now < due_)) return false;
    busy_ = busy;
    due_ = now + period_;
    waiting_ = sms_;
    return true;
  }
  bool waits() const { return waiting_ > 0; }  // for answers
  // One SM has answered; whether it was the last.
  bool answered() { return --waiting_ == 0; }

  // The cycle of the next question, or never: there is none before something else happens.
  Cycle due() const { return busy_ && waiting_ == 0 ? due_ : Cycle::never(); }

 private:
  const std::uint64_t period_;
  const std::uint32_t sms_;
  bool busy_ = false;          // at the last question
  Cycle due_;                  // while busy
  std::uint32_t waiting_ = 0;  // SMs that have not answered
};

}  // namespace heddle
