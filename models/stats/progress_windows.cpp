#include "models/stats/progress_windows.h"

#include <algorithm>

namespace heddle {

void ProgressWindows::add(std::uint64_t time_ps, double value) {
  cover(time_ps);
  Window& window = windows_[static_cast<std::size_t>(time_ps / length_ps_)];
  ++window.count;
  window.sum += value;
}

void ProgressWindows::cover(std::uint64_t time_ps) {
  const std::size_t half = windows_.size() / 2;
  for (; time_ps / length_ps_ >= windows_.size(); length_ps_ *= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      windows_[i].count = windows_[2 * i].count + windows_[2 * i + 1].count;
      windows_[i].sum = windows_[2 * i].sum + windows_[2 * i + 1].sum;
    }
    std::fill(windows_.begin() + static_cast<std::ptrdiff_t>(half), windows_.end(), Window{});
  }
}

}  // namespace heddle
