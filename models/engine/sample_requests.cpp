#include "models/engine/sample_requests.h"

#include <algorithm>
#include <utility>

#include "models/core/base/check.h"

namespace heddle {

void SampleRequests::reset() {
  clock_.reset();
  std::fill(asked_.begin(), asked_.end(), Asked{});
  std::fill(windows_.begin(), windows_.end(), SmSample{});
}

void SampleRequests::ask_all(Cycle now, bool busy) {
  if (!clock_.ask(now, busy)) return;
  for (std::uint32_t sm = 0; sm < asked_.size(); ++sm) ask(now, SmId{sm});
}

void SampleRequests::ask(Cycle now, SmId sm) {
  Asked& asked = asked_[sm.value];
  if (asked.last == now) return;
  asked.last = now;
  ++asked.open;
  port_.sample(sm, now);
}

bool SampleRequests::answered(Cycle now, SmId sm, const SmSample& sample, Cycle asked,
                              SmSample& of_partitioner) {
  HEDDLE_CHECK(asked_[sm.value].open > 0, "execution engine", now,
               "SM {} told a sample that nobody asked for", sm.value);
  --asked_[sm.value].open;
  const bool in_period = clock_.waits() && asked == clock_.asked();
  if (windows_.empty()) {
    if (in_period) of_partitioner = sample;
  } else {
    SmSample& window = windows_[sm.value];
    window += sample;
    if (in_period) {
      std::swap(of_partitioner, window);
      window.clear(sample.until);
    }
  }
  return in_period && clock_.answered();
}

}  // namespace heddle
