#pragma once
// SampleRequests asks SMs for samples: for the SM partitioner all of them in every period (SamplingClock),
// and for the block throttle one when it wants it. An SM is asked at most once in a cycle. A sample holds
// what was counted since the one before, whoever asked for that one, so that each of the two gets what it has
// not seen.

#include <cstdint>
#include <vector>

#include "models/core/kernel/sm_sample.h"
#include "models/engine/dispatch_port.h"
#include "models/engine/sampling_clock.h"

namespace heddle {

class SampleRequests {
 public:
  // `period` is SmPartitioner::sample_period(). With `others` not only the partitioner asks. The port must
  // live as long.
  SampleRequests(std::uint64_t period, std::uint32_t sms, bool others, DispatchPort& port)
      : clock_(period, sms), port_(port), asked_(sms), windows_(period > 0 && others ? sms : 0) {}

  void reset();

  // Asks all SMs if a period is over. It is called at the end of every cycle in which the engine is ticked;
  // `busy` says whether a kernel is on the engine.
  void ask_all(Cycle now, bool busy);
  void ask(Cycle now, SmId sm);
  Cycle due() const { return clock_.due(); }  // of the next request to all SMs

  // An SM has answered the request of the cycle `asked`. If that was one to all SMs, the partitioner's sample
  // becomes the present one. Returns whether all SMs have answered by this.
  bool answered(Cycle now, SmId sm, const SmSample& sample, Cycle asked, SmSample& of_partitioner);

 private:
  struct Asked {
    Cycle last = Cycle::never();  // the last request for a sample
    std::uint32_t open = 0;       // requests without an answer
  };

  SamplingClock clock_;
  DispatchPort& port_;
  std::vector<Asked> asked_;  // by SM
  // By SM: what the partitioner has not seen of samples that others asked for. Empty if no other asks.
  std::vector<SmSample> windows_;
};

}  // namespace heddle
