#include "stimuli/ptx/execute/register_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ptx {

void RegisterPool::start() {
  std::fill(held_.begin(), held_.end(), per_thread_);
  free_ = 0;
}

bool RegisterPool::waits(const WarpStep& at) const {
  if (per_thread_ == 0 || at.active == 0 || at.step.statement->variant != Variant::kInc) return false;
  const std::uint32_t count = wanted(at);
  return count > held_[at.number] && count - held_[at.number] > free_;
}

void RegisterPool::execute(const WarpStep& at) {
  const std::uint32_t count = wanted(at);
  if (count < kLeast || count > kMost || count % kGranularity != 0)
    faults_.raise(at, at.first_lane(),
                  fmt::format("setmaxnreg to {} registers; it takes multiples of {} from {} to {}", count,
                              kGranularity, kLeast, kMost));
  if (per_thread_ == 0) return;
  std::uint32_t& held = held_[at.number];
  const bool increases = at.step.statement->variant == Variant::kInc;
  if (increases ? count < held : count > held)
    faults_.raise(at, at.first_lane(),
                  fmt::format("setmaxnreg.{} to {} registers of a thread that has {}",
                              increases ? "inc" : "dec", count, held));
  free_ += held;
  free_ -= count;
  held = count;
}

}  // namespace heddle::ptx
