#pragma once
// A Watchdog detects a deadlock: no component has made progress for a number of cycles although one of them
// is not idle. Each component then says what it waits for. Progress is work that ends: traffic that can
// repeat for ever without an effect is none.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/core/base/ids.h"

namespace heddle {

class Watchdog {
 public:
  struct Component {
    std::string name;
    std::function<std::uint64_t()> progress;   // a count that grows with the work done; null: none
    std::function<bool()> idle;                // whether nothing is in flight in it
    std::function<std::string()> waiting_for;  // what it holds and what it waits for
  };

  explicit Watchdog(std::uint64_t limit) : limit_(limit) {}  // cycles of the caller's clock, 1 or more

  void watch(Component component) { components_.push_back(std::move(component)); }

  // The caller asks from time to time. The result is empty without a deadlock; else it says how long nothing
  // has been done, with a line for each component that is not idle, in the order in which they were added.
  std::string check(Cycle now);
  // The next check counts from cycle 0. The components stay.
  void reset() {
    seen_ = 0;
    progressed_ = Cycle{0};
  }
  // Returns those lines alone, each after a line feed.
  std::string waiting() const;

 private:
  std::uint64_t progress() const;
  bool idle() const;

  std::uint64_t limit_;
  std::vector<Component> components_;
  std::uint64_t seen_ = 0;
  Cycle progressed_{0};  // the last check that found progress or found everything idle
};

}  // namespace heddle
