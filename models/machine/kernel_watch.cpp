#include "models/machine/kernel_watch.h"

#include <algorithm>

namespace heddle {

bool KernelWatch::check(const Progress& progress, const std::vector<KernelProgram*>& kernels) {
  const bool goes_on = is_watching_ && events_ == progress.events;
  if (goes_on && !progress.memory_may_change && !kernels.empty() &&
      std::all_of(kernels.begin(), kernels.end(), [](const auto* kernel) { return kernel->is_stuck(); }))
    return true;
  if (goes_on) return false;
  is_watching_ = begins(progress) && !kernels.empty();
  for (KernelProgram* const kernel : kernels) kernel->watch(is_watching_);
  events_ = progress.events;
  blocks_ = progress.blocks;
  return false;
}

// Kernels are watched from the second check without a new block on, and after a watch that has seen memory
// change only after a pause, because a watch costs time.
bool KernelWatch::begins(const Progress& progress) {
  constexpr std::uint32_t kLongestPause = 64;
  if (blocks_ != progress.blocks) {
    pause_ = left_ = 0;
    return false;
  }
  if (is_watching_) {
    pause_ = std::min(kLongestPause, 2 * pause_ + 1);
    left_ = pause_;
    return false;
  }
  if (left_ > 0) {
    --left_;
    return false;
  }
  return events_ == progress.events;
}

}  // namespace heddle
