#include "models/core/time/watchdog.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

std::string Watchdog::check(Cycle now) {
  const std::uint64_t progress = this->progress();
  if (progress != seen_ || idle()) {
    seen_ = progress;
    progressed_ = now;
    return {};
  }
  if (now - progressed_ < limit_) return {};
  return fmt::format("deadlock: no progress for {} cycles{}", now - progressed_, waiting());
}

std::string Watchdog::waiting() const {
  std::string text;
  for (const Component& component : components_)
    if (!component.idle()) text += fmt::format("\n  {}: {}", component.name, component.waiting_for());
  return text;
}

std::uint64_t Watchdog::progress() const {
  std::uint64_t sum = 0;
  for (const Component& component : components_)
    if (component.progress) sum += component.progress();
  return sum;
}

bool Watchdog::idle() const {
  return std::all_of(components_.begin(), components_.end(),
                     [](const Component& component) { return component.idle(); });
}

}  // namespace heddle
