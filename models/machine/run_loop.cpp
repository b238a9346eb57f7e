#include "models/machine/run_loop.h"

#include <algorithm>
#include <utility>

namespace heddle {

namespace {

constexpr double kCheckSeconds = 1e-3;  // of simulated time

}  // namespace

void RunLoop::run_to(Cycle end, const std::function<void()>& progress) {
  if (end == Cycle{0}) return;
  const sc_core::sc_time slice(kCheckSeconds, sc_core::SC_SEC);
  const sc_core::sc_time limit = end == Cycle::never()
                                     ? sc_core::sc_max_time()
                                     : deps_.core.time_of(end) - sc_core::sc_get_time_resolution();
  while (deps_.goes_on() && sc_core::sc_time_stamp() < limit) {
    if (check_at_ <= sc_core::sc_time_stamp()) check_at_ = sc_core::sc_time_stamp() + slice;
    const sc_core::sc_time poll_at = poll_ ? sc_core::sc_time_stamp() + poll_after_ : sc_core::sc_max_time();
    run_until(std::min({check_at_, poll_at, limit}));
    const bool is_due = sc_core::sc_time_stamp() == check_at_;
    if (is_due && deps_.goes_on()) deps_.check_progress();
    if (poll_ && deps_.goes_on()) poll_();
    const bool is_last = !deps_.goes_on() || sc_core::sc_time_stamp() >= limit;
    if (progress && (is_due || is_last)) progress();
  }
}

void RunLoop::poll_every(std::uint64_t cycles, std::function<void()> poll) {
  poll_after_ = deps_.core.time_of(Cycle{cycles}) - deps_.core.time_of(Cycle{0});
  poll_ = std::move(poll);
}

void RunLoop::sample_every(std::uint64_t cycles, std::function<void()> sample) {
  sample_cycles_ = cycles;
  sample_at_ = deps_.core.now() + cycles;
  sample_ = std::move(sample);
}

// A sample is taken when all hardware blocks have finished a cycle and none has begun the next one. The order
// in which they run within a cycle therefore has no effect on the sample.
void RunLoop::run_until(const sc_core::sc_time& end) {
  const auto run = [this](const sc_core::sc_time& to) {
    if (!deps_.goes_on()) return false;
    if (deps_.go_ahead) deps_.go_ahead(to);
    sc_core::sc_start(to - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
    return deps_.goes_on();
  };
  while (sample_cycles_ != 0) {
    const sc_core::sc_time at = deps_.core.time_of(sample_at_) - sc_core::sc_get_time_resolution();
    if (at >= end || !run(at)) break;
    sample_();
    sample_at_ = sample_at_ + sample_cycles_;
  }
  run(end);
}

void RunLoop::reset() {
  check_at_ = sc_core::sc_time_stamp();
  sample_at_ = Cycle{sample_cycles_};
}

}  // namespace heddle
